// Reports the backward passes that a program starts, and makes the ops of its autograd functions.
#pragma once
#include <vector>

#include "engine/trace.h"

namespace glassgrad::python {

struct BackwardPassWatcher {
  virtual ~BackwardPassWatcher() = default;
  virtual void pass_begins(const Tensor& from) = 0;
  virtual void pass_ended() = 0;  // with an exception, too
};
// Per thread. Null: no watcher.
extern thread_local constinit BackwardPassWatcher* backward_pass_watcher;

// Returns the op of a program's class that computes gradients itself: its node prints as NAMEBackward.
const Op& python_op(const std::string& name);

// Reports a backward pass that lasts until the end of the scope.
class BackwardPassScope {
 public:
  explicit BackwardPassScope(const Tensor& from) : watcher_(backward_pass_watcher) {
    if (watcher_) watcher_->pass_begins(from);
  }
  ~BackwardPassScope() {
    if (watcher_) watcher_->pass_ended();
  }
  BackwardPassScope(const BackwardPassScope&) = delete;
  BackwardPassScope& operator=(const BackwardPassScope&) = delete;

 private:
  BackwardPassWatcher* const watcher_;
};

}  // namespace glassgrad::python

// Records modules outside of a lesson: every call, and the values that the modules name.
#pragma once
#include <string>
#include <vector>

#include "engine/glass/recorder.h"

namespace glassgrad {

class NamedRecorder : public Recorder {
 public:
  // A tensor at the moment when it was named.
  struct Value : Snapshot {
    std::string name;            // "trf_blocks.0.att.keys": qualified by the parts of the called module
    std::optional<size_t> node;  // the place of its grad_fn in nodes()
    bool requires_grad = false;
  };
  const std::vector<Value>& values() const { return values_; }

  void named(const Tensor& x, const char* name) override;

 private:
  std::vector<Value> values_;
};

}  // namespace glassgrad

// Decides which calls of a run are kept. A training loop makes the same calls hundreds of times. Its first
// steps are kept so that they can be opened; keeping the rest would fill the memory.
#pragma once
#include <utility>

#include "engine/glass/snapshot.h"
#include "engine/trace.h"

namespace glassgrad::learn {

// Passes on the calls that it sees, except most of a training loop's. Once the results of a top-level
// statement hold more than 4 million numbers, it leaves out the calls from the next backward pass to the end
// of the statement. The choice depends on sizes alone, so every run leaves out the same calls.
class CallFilter : public Observer {
 public:
  // snapshots: is notified of writes by calls that are left out, so that existing snapshots keep their
  // numbers.
  CallFilter(Observer& to, Snapshots& snapshots) : to_(to), snapshots_(snapshots) {}

  void backward_begins() { keeps_ = keeps_ && numbers_ <= kMostNumbers; }
  void statement_ended() { numbers_ = 0, last_statement_skipped_ = !std::exchange(keeps_, true); }
  // True if calls were left out in the run so far; last_statement_skipped: in the statement that ended last.
  bool has_skipped_calls() const { return has_skipped_calls_; }
  bool last_statement_skipped() const { return last_statement_skipped_; }
  // The multiplications in all products of matrices so far, kept or not.
  int64_t multiplications() const { return multiplications_; }

  bool wants_steps() const override { return to_.wants_steps(); }
  void op(const Call& call) override;
  void before_write(const Tensor& x) override;
  void scope(const char* name, bool enter) override { to_.scope(name, enter); }  // enter and leave match
  void module_scope(const char* name, bool enter) override { to_.module_scope(name, enter); }
  void named(const Tensor& x, const char* name) override;
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override;
  void accumulate(const Node& node, const Tensor& before, const Tensor& grad) override;
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override;

 private:
  static constexpr int64_t kMostNumbers = 4'000'000;

  Observer& to_;
  Snapshots& snapshots_;
  int64_t numbers_ = 0, multiplications_ = 0;
  bool keeps_ = true, has_skipped_calls_ = false, last_statement_skipped_ = false;
};

}  // namespace glassgrad::learn

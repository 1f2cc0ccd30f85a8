// Watches the ops of one thread, so that a program's own numbers can be explained: in the names that the
// program gave to tensors, during the run and after it.
#pragma once
#include <atomic>
#include <mutex>

#include "program_record.h"

namespace glassgrad::why {

class ProgramTrace;
void release(ProgramTrace*) noexcept;

// All functions may be called from any thread.
class ProgramTrace : public Counted, public Observer {
 public:
  ProgramTrace();
  // Starts to watch this thread's ops, in addition to the current observers. Call it once.
  static void watch(const Ref<ProgramTrace>& trace);
  // The existing traces, the newest first.
  static std::vector<Ref<ProgramTrace>> all();
  ~ProgramTrace() override;

  // Stops watching ops. Writes are still tracked, so that snapshots keep their numbers.
  void stop();
  bool is_watching() const { return watches_; }

  // Names the numbers that x holds at this moment.
  void name(const Tensor& x, const std::string& name, const Naming& how) {
    const std::lock_guard lock(mutex_);
    record_.name(x, name, how);
  }
  // Returns a snapshot of x as it is now; empty if no op has computed or read x and it has no name.
  Snapshot seen(const Tensor& x) {
    const std::lock_guard lock(mutex_);
    return record_.seen(x);
  }
  // The number of recorded calls.
  size_t size() {
    const std::lock_guard lock(mutex_);
    return record_.calls().size();
  }
  // Returns f(ProgramRecord&), with all that was seen so far. The trace is locked meanwhile: f may open
  // numbers, but must not call code of the program, Python's for example.
  template <class F>
  auto ask(F f) {
    const std::lock_guard lock(mutex_);
    const ForScope<bool> opening(opens_, true);
    const Watch nobody(nullptr);
    record_.index();
    return f(record_);
  }

  // Lets fused ops run, so that results stay the same under glass.
  bool wants_steps() const override { return false; }
  void op(const Call& call) override { record(&Observer::op, call); }
  void before_write(const Tensor& x) override { record(&Observer::before_write, x); }
  void scope(const char* name, bool enter) override { record(&Observer::scope, name, enter); }
  void module_scope(const char* name, bool enter) override { record(&Observer::module_scope, name, enter); }
  void named(const Tensor& x, const char* name) override { record(&Observer::named, x, name); }
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override {
    record(&Observer::backward, node, grads, out);
  }
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override {
    record(&Observer::leaf_gradient, leaf, grad);
  }

 private:
  template <class... P, class... A>
  void record(void (Observer::*told)(P...), A&&... what) {
    const std::lock_guard lock(mutex_);
    if (watches_) (record_.*told)(what...);
  }
  static void before_any_write(const Tensor& x);

  // True while this thread opens numbers: the ops that do so write to tensors of their own only.
  static inline thread_local bool opens_ = false;
  std::mutex mutex_;
  std::atomic<bool> watches_ = true;  // read by every thread that writes to a tensor
  ProgramRecord record_;              // guarded by mutex_
};

}  // namespace glassgrad::why

// Runs a program: an interpreter in a fresh thread state, with limits, that can be stopped.
#pragma once
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include "apps/script/interpreter.h"
#include "engine/core/for_scope.h"
#include "engine/core/storage.h"
#include "engine/core/threads.h"
#include "engine/print.h"
#include "engine/random.h"
#include "engine/trace.h"

namespace glassgrad::learn {

// The limits of a run. By default there is no time limit, and half of the free memory may be used.
struct Limits {
  uint64_t steps = UINT64_MAX;  // statements and iterations of loops
  size_t bytes = 0;             // for all tensors, and the same again for everything else; 0: no limit
  double seconds = HUGE_VAL;
};

// Saves what a program can set for the whole thread: printing, the default generator, grad mode, the default
// dtype, where warnings go. A run begins with PyTorch's defaults and without warnings; afterwards everything
// is restored.
class FreshState {
 public:
  FreshState();
  ~FreshState();
  FreshState(const FreshState&) = delete;
  FreshState& operator=(const FreshState&) = delete;

 private:
  Generator::State random_;
  PrintOptions printing_;
  bool grad_mode_;
  DType dtype_;
  std::function<void(const std::string&)> warnings_;
};

// Thrown when a run has taken more steps or seconds than it may. Not a std::exception, so that no handler of
// the program catches it.
struct EndOfTime {};

class ProgramRun {
 public:
  ProgramRun(const Limits& limits, std::function<void(std::string_view)> print, script::Watcher* watcher);

  script::Interpreter& in() { return in_; }
  // Counts a step. Throws EndOfTime; Cancelled if a CancelScope says so; StopRequested.
  void step();
  // Returns an observer that calls `look` at each op (long ops also call it while they run) and refuses
  // unreasonably large tensors.
  Observer& meter() { return meter_; }

 private:
  void look() const;

  struct Meter : Observer {
    explicit Meter(const ProgramRun& of) : run(of) {}
    void op(const Call& call) override;
    bool wants_steps() const override { return false; }
    const ProgramRun& run;
  };

  const FreshState state_;
  const Limits limits_;
  const double end_;
  uint64_t steps_ = 0;
  Meter meter_;
  const std::optional<StorageLimit> tensors_;
  const ForScope<LoopWatch> loops_;
  script::Heap heap_;
  script::Interpreter in_;
};

}  // namespace glassgrad::learn

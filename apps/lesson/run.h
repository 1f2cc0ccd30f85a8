// A program's run: an interpreter in a fresh state of its thread, within limits, that can be stopped.
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

// What a run may take. The default: as long as it likes, and half of the memory that is free.
struct Limits {
  uint64_t steps = UINT64_MAX;  // statements and turns of loops
  size_t bytes = 0;             // of all its tensors, and the same again of everything else; 0: no such limit
  double seconds = HUGE_VAL;
};

// What a program can set for the whole thread: printing, the default generator, grad mode, the default dtype,
// where warnings go. A run begins with PyTorch's own and without warnings; then all is as it was.
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

// A run has taken more steps or seconds than it may. No std::exception: no handler of the program may take
// it.
struct EndOfTime {};

class ProgramRun {
 public:
  ProgramRun(const Limits& limits, std::function<void(std::string_view)> print, script::Watcher* watcher);

  script::Interpreter& in() { return in_; }
  // Counts a step. EndOfTime; Cancelled, where a CancelScope says so; Enough.
  void step();
  // Watches ops for `look`, which long ops ask on their way too, and for tensors that no program needs.
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

// Ends a run whose result is not needed any more.
#pragma once
#include <atomic>
#include <cstdint>

namespace glassgrad::learn {

// Not a std::exception, so that no handler in between treats it as an error.
struct Cancelled {};

// While it exists, a run of this thread ends when `stop` is set.
class CancelScope {
 public:
  explicit CancelScope(const std::atomic<bool>& stop);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
};
// Throws Cancelled if `stop` is set, or if the run monitor wants the run to end. Every op and statement of a
// run calls it.
void throw_if_cancelled();

// Follows how far the runs of this thread have come, and may end them.
struct RunMonitor {
  // Called for each product of matrices, with its number of multiplications.
  virtual void multiplied(int64_t count) = 0;
  virtual bool wants_end() = 0;  // called often

 protected:
  ~RunMonitor() = default;
};
extern thread_local constinit RunMonitor* run_monitor;  // null at first; set for a scope by ForScope

// For a program that a user waits for: the line that runs, and whether the user has asked it to stop. If
// `stop_requested` is set, the run clears it and ends as if Python had raised KeyboardInterrupt.
struct InterruptibleRun {
  std::atomic<int> line = 0;
  std::atomic<bool> stop_requested = false;
};
// Null at first; set for a scope by ForScope.
extern thread_local constinit InterruptibleRun* interruptible_run;
struct StopRequested {};  // not a std::exception, as above
void throw_if_stop_requested();

}  // namespace glassgrad::learn

// How a run that nobody waits for any more ends.
#pragma once
#include <atomic>
#include <cstdint>

namespace glassgrad::learn {

// No std::exception: nobody on the way may take it for a failure.
struct Cancelled {};

// While it lives, what this thread runs ends when `stop` is set.
class CancelScope {
 public:
  explicit CancelScope(const std::atomic<bool>& stop);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;
};
// Throws Cancelled if so, or if the follower wants the end. Every op and statement of a run asks.
void throw_if_cancelled();

// Is told how far the runs of this thread have come, and may end them.
struct Follower {
  // A product of matrices was computed, with so many multiplications.
  virtual void multiplied(int64_t count) = 0;
  virtual bool wants_end() = 0;  // asked often

 protected:
  ~Follower() = default;
};
extern thread_local constinit Follower* follower;  // nobody at first; set for a scope by ForScope

// Of a program that somebody waits for: the line that runs, and whether what the program did so far is
// enough. Then its run ends there as if Python had raised KeyboardInterrupt, and takes `enough` back.
struct Awaited {
  std::atomic<int> line = 0;
  std::atomic<bool> enough = false;
};
extern thread_local constinit Awaited* awaited;  // nobody's at first; set for a scope by ForScope
struct Enough {};                                // no std::exception, as above
void throw_if_enough();

}  // namespace glassgrad::learn

// How a run that nobody waits for any more ends.
#pragma once
#include <atomic>

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
// Throws Cancelled if so. Every op of a run asks.
void throw_if_cancelled();

}  // namespace glassgrad::learn

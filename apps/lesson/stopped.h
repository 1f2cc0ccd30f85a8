// How a run that nobody waits for any more ends.
#pragma once
#include <atomic>

namespace glassgrad::learn {

// No std::exception: nobody on the way may take it for a failure.
struct Stopped {};

// While it lives, what this thread runs ends when `stop` is set.
class StoppedBy {
 public:
  explicit StoppedBy(const std::atomic<bool>& stop);
  ~StoppedBy();
  StoppedBy(const StoppedBy&) = delete;
  StoppedBy& operator=(const StoppedBy&) = delete;
};
// Throws Stopped if so. Every op of a run asks.
void end_if_stopped();

}  // namespace glassgrad::learn

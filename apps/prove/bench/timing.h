// Measures the time of a piece of work.
#pragma once
#include <functional>

namespace glassgrad::bench {

using Work = std::function<void()>;

// Returns the seconds of one call, after a warm-up: the median of as many as fit in the time, at least three.
double median_seconds(const Work& work, double for_seconds);
// Returns the least seconds of these calls: the machine's speed when no other program uses it.
double least_seconds(const Work& work, double for_seconds);

}  // namespace glassgrad::bench

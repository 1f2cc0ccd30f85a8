// How long a piece of work takes.
#pragma once
#include <functional>

namespace glassgrad::bench {

using Work = std::function<void()>;

// Seconds of one call: the median of as many as fit the time, three at least, after one that only makes room.
double median_seconds(const Work& work, double for_seconds);
// The least of them: what the machine can do when nobody else wants it.
double least_seconds(const Work& work, double for_seconds);

}  // namespace glassgrad::bench

// A clock to measure durations.
#pragma once

namespace glassgrad {

// Returns the seconds since a fixed moment in the past. Always 0 in a web page: its engine has no clock, so
// the page itself must stop an engine that runs too long.
double seconds_now();

}  // namespace glassgrad

// How long something has taken.
#pragma once

namespace glassgrad {

// Seconds from some moment of the past. Of a page, which has no clock of its own, always 0: whoever runs its
// engine ends it.
double seconds_now();

}  // namespace glassgrad

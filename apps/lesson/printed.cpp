#include "apps/lesson/printed.h"

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

std::string printed(const Tensor& x) { return value_of(x, Snapshots().take(x)).repr(); }

}  // namespace glassgrad::learn

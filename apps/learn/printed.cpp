#include "apps/learn/printed.h"

#include "apps/learn/recording.h"

namespace glassgrad::learn {

std::string printed(const Tensor& x) { return value_of(x, Snapshots().take(x)).repr(); }

}  // namespace glassgrad::learn

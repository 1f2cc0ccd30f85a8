// Sums that the engine makes on its own account.
#pragma once
#include "../tensor.h"

namespace glassgrad {

// y[…] = x[…] + y[…], x broadcast to y's shape, both of one dtype and apart in memory. Not an op: nobody sees
// it, y's version stays. For results that nobody else holds yet.
void add_onto(const Tensor& y, const Tensor& x);

}  // namespace glassgrad

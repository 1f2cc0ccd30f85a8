// What a backward pass ends at, and how it is given other numbers.
#pragma once
#include <vector>

#include "tensor.h"

namespace glassgrad {

// The leaves whose .grad y.backward() adds to, in the order in which a walk from y meets them.
std::vector<Tensor> leaves_of(const Tensor& y);

// x.data = y: x shows y's numbers from now on, whatever their shape, dtype and device, and stays what it is
// for whoever holds it. Graphs made before that no longer reach its .grad, if one of the three is another.
void set_data(const Tensor& x, const Tensor& y);

}  // namespace glassgrad

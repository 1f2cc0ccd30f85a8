// NumPy's .npy files: one tensor each. Never executes anything, never allocates what the file does not hold.
#pragma once
#include <string>

#include "../tensor.h"

namespace glassgrad {

// numpy.load: versions 1 to 3; float16, float32, float64, int8 to int64 and uint8, of either byte order, and
// bool.
// fortran_order gives a tensor with column-major strides, as torch.from_numpy(numpy.load(path)) has.
// Error: the file, what is wrong with it, at which byte, and what to do.
Tensor load_npy(const std::string& path);

// numpy.save: version 1.0, elements in logical order; the file appears whole or not at all.
// Error: what the system refused. TypeError: bfloat16, which numpy has not.
void save_npy(const Tensor& x, const std::string& path);

}  // namespace glassgrad

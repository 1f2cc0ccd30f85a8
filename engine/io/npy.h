// NumPy's .npy files: one tensor each. Never executes anything from the file and never allocates more than
// the file holds.
#pragma once
#include <string>

#include "../tensor.h"

namespace glassgrad {

// numpy.load: versions 1 to 3; every dtype that numpy has, of either byte order. With fortran_order the
// tensor has column-major strides, like torch.from_numpy(numpy.load(path)). Throws Error with the file, what
// is wrong with it, at which byte, and what to do.
Tensor load_npy(const std::string& path);

// numpy.save: version 1.0, elements in logical order; the file appears whole or not at all. Throws Error if
// the system refuses, TypeError for bfloat16, which numpy does not have.
void save_npy(const Tensor& x, const std::string& path);

}  // namespace glassgrad

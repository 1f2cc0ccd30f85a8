// Large products by NVIDIA's cuBLASLt. It is never linked: the library of this build's CUDA is opened at the
// first such product; where there is none, products stay with the project's own kernel.
#pragma once
#include "../core/kernel_arguments.h"

namespace glassgrad::cuda {

// y = a·b, and a row of n numbers added to each row if there is a bias, as matmul in kernels.h has it, of
// float32. False, and nothing is done, where the product is small, an operand lies neither by rows nor by
// columns, or cuBLASLt has no algorithm for it. A shape is computed by the first algorithm that the library
// proposes, so every run has the same bits, on the same kind of GPU and with the same cuBLASLt.
bool blas_product(const View& a, const View& b, const View& y, MatmulPrecision precision, const void* bias);

// For products of how many shapes it has an algorithm, so far.
int blas_shapes();

}  // namespace glassgrad::cuda

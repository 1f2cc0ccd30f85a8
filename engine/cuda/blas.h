// Large products by NVIDIA's cuBLASLt. It is never linked: the library of this build's CUDA is opened at the
// first such product; where there is none, products stay with the project's own kernel.
#pragma once
#include <string>

#include "../core/kernel_arguments.h"
#include "../core/types.h"

namespace glassgrad::cuda {

// y = a·b, and a row of n numbers added to each row if there is a bias, as matmul in kernels.h has it, of
// float32. False, and nothing is done, where the product is small, an operand lies neither by rows nor by
// columns, or cuBLASLt has no algorithm for it. The first product of a shape takes longer: of the algorithms
// that the library proposes and that give the same bits as its first one, the fastest is kept. That is so for
// 256 shapes; for others, and for all with GLASSGRAD_MATMUL_SEARCH=0, it is the first. So every run has the
// same bits, on the same kind of GPU and with the same cuBLASLt.
bool blas_product(const View& a, const View& b, const View& y, MatmulPrecision precision, const void* bias);

// The algorithms kept so far, a line each; where cuBLASLt serves no product, empty.
std::string matmul_plans();

}  // namespace glassgrad::cuda

// The kernels of products of matrices, in the precision that is set.
#pragma once
#include "../cpu/kernels.h"

namespace glassgrad {

// y = a·b for (m,k)·(k,n) or (b,m,k)·(b,k,n), as Kernels::matmul has it; from inputs rounded to bf16 where
// bf16_matmul() is on and they are float32.
void multiply(const View& a, const View& b, const View& y, bool fused, const Epilogue& end);

}  // namespace glassgrad

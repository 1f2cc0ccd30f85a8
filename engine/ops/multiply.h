// The kernels of products of matrices, in the precision that is set.
#pragma once
#include "../device.h"
#include "../types.h"

namespace glassgrad {

// y = a·b for (m,k)·(k,n) or (b,m,k)·(b,k,n) on the device that all three are on, as Kernels::matmul has it;
// from inputs rounded as matmul_precision() says where they are float32. With a bias, n numbers side by side
// that are added to each row; m, k and n are not 0 then and n is not 1.
void multiply(Device device, const View& a, const View& b, const View& y, bool fused,
              const void* bias = nullptr);

}  // namespace glassgrad

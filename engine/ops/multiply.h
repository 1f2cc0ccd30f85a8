// The kernels of products of matrices, in the precision that is set.
#pragma once
#include "../core/device.h"
#include "../core/types.h"

namespace glassgrad {

struct Epilogue;

// y = a·b for (m,k)·(k,n) or (b,m,k)·(b,k,n) on the device that all three are on, as Kernels::matmul has it;
// from inputs rounded as matmul_precision() says where they are float32. With a bias, n numbers side by side
// that are added to each row; m, k and n are not 0 then and n is not 1.
void multiply(Device device, const View& a, const View& b, const View& y, bool fused,
              const void* bias = nullptr);
// The same on the CPU, fused, with all that the end of a product may bring (cpu/kernels.h).
void multiply_on_cpu(const View& a, const View& b, const View& y, const Epilogue& end);

}  // namespace glassgrad

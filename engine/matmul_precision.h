// The precision of float32 matrix products, for the whole process: PyTorch's
// torch.set_float32_matmul_precision.
#pragma once
#include "core/device.h"
#include "core/kernel_arguments.h"

namespace glassgrad {

MatmulPrecision matmul_precision();
// Sets the precision of products on that device. Throws ValueError if it cannot: tf32 needs a GPU, bf16 a
// processor with AVX512-BF16. For bf16 on a GPU use autocast (autocast.h), which also keeps halves in memory.
void set_matmul_precision(MatmulPrecision precision, Device device = kCpu);

// True if products on the CPU are computed in bf16.
bool bf16_matmul();
// Turns bf16 products on or off. Throws ValueError for on, unless has_bf16_matmul().
void set_bf16_matmul(bool on);
// True if the processor has AVX512-BF16 and GLASSGRAD_CPU allows it.
bool has_bf16_matmul();

}  // namespace glassgrad

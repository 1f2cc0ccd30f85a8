// How exact the products of float32 matrices are: a setting of the whole process, like PyTorch's
// torch.set_float32_matmul_precision.
#pragma once
#include "core/device.h"
#include "core/kernel_arguments.h"

namespace glassgrad {

MatmulPrecision matmul_precision();
// Sets the precision of products on that device. Throws ValueError if it cannot: tf32 needs a GPU, bf16 a
// processor with AVX512-BF16. A GPU multiplies in bf16 under autocast (autocast.h), which keeps halves in
// memory.
void set_matmul_precision(MatmulPrecision precision, Device device = kCpu);

// Are products on the CPU computed in bf16?
bool bf16_matmul();
// Turns bf16 products on or off. Throws ValueError for on, unless has_bf16_matmul().
void set_bf16_matmul(bool on);
// Does the processor have an instruction for bf16 (AVX512-BF16), and does GLASSGRAD_CPU allow it?
bool has_bf16_matmul();

}  // namespace glassgrad

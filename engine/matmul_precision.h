// How exact the products of float32 matrices are: a setting of the whole process, like PyTorch's
// torch.set_float32_matmul_precision.
#pragma once
#include "core/device.h"
#include "core/kernel_arguments.h"

namespace glassgrad {

MatmulPrecision matmul_precision();
// Sets it, for products on that device. ValueError for what it cannot do: tf32 needs a GPU, bf16 a processor
// with AVX512-BF16. A GPU multiplies in bf16 under autocast (autocast.h), which keeps the halves in memory.
void set_matmul_precision(MatmulPrecision precision, Device device = kCpu);

// The same for bf16 on the CPU.
bool bf16_matmul();
// Sets it. ValueError if it is to be on where has_bf16_matmul() says no.
void set_bf16_matmul(bool on);
// Has the processor an instruction for it (AVX512-BF16), and does GLASSGRAD_CPU let it be used?
bool has_bf16_matmul();

}  // namespace glassgrad

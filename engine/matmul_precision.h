// How exact the products of float32 matrices are: a setting of the whole process, like PyTorch's
// torch.set_float32_matmul_precision.
#pragma once
#include "device.h"

namespace glassgrad {

// What the inputs of products of two float32 matrices are rounded to, forward and backward: nothing (fp32),
// tf32 or bf16, which have 11 and 8 bits of precision instead of 24. Sums are kept in float32, and so are the
// tensors themselves. It concerns mm, bmm, addmm and what is made of them (matmul, linear); not products with
// a vector; of scaled_dot_product_attention only on a GPU, for bf16 and heads of 64 or 128. Where there are
// no instructions for it, and on a GPU where a product is small, nothing is rounded. fp32 at first.
enum class MatmulPrecision : uint8_t { fp32, tf32, bf16 };
MatmulPrecision matmul_precision();
// Sets it, for products on that device. ValueError if its processor has no instruction for it: every GPU has,
// of other processors those with AVX512-BF16 for bf16.
void set_matmul_precision(MatmulPrecision precision, Device device = kCpu);

// The same for bf16 on the CPU.
bool bf16_matmul();
// Sets it. ValueError if it is to be on where has_bf16_matmul() says no.
void set_bf16_matmul(bool on);
// Has the processor an instruction for it (AVX512-BF16), and does GLASSGRAD_CPU let it be used?
bool has_bf16_matmul();

}  // namespace glassgrad

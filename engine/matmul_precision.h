// How exact the products of float32 matrices are: a setting of the whole process, like PyTorch's
// torch.set_float32_matmul_precision("medium").
#pragma once

namespace glassgrad {

// Are the inputs of products of two float32 matrices rounded to bf16, which has 8 bits of precision instead
// of 24, forward and backward? Sums are kept in float32, and so are the tensors themselves. It concerns mm,
// bmm, addmm and what is made of them (matmul, linear); not products with a vector, and not
// scaled_dot_product_attention. Off at first.
bool bf16_matmul();
// Sets it. ValueError if it is to be on where has_bf16_matmul() says no.
void set_bf16_matmul(bool on);
// Has the processor an instruction for it (AVX512-BF16), and does GLASSGRAD_CPU let it be used?
bool has_bf16_matmul();

}  // namespace glassgrad

#include "kernels.h"

#include <utility>

#include "../matmul_precision.h"
#include "layout.h"

namespace glassgrad {
namespace {

View transposed(View x) {
  const int last = x.shape.n - 1;
  std::swap(x.shape[last - 1], x.shape[last]);
  std::swap(x.strides[last - 1], x.strides[last]);
  return x;
}

// Rounds x (…, m, k) to bf16 and packs each two neighbours along k into the bits of one float.
Tensor pairs_of(const View& x) {
  const int last = x.shape.n - 1;
  Dims shape = x.shape;
  shape[last] = (shape[last] + 1) / 2;
  Dims strides = contiguous_strides(shape);
  if (x.strides[last] != 1 && x.strides[last - 1] == 1) {
    strides[last - 1] = 1;
    strides[last] = shape[last - 1];
  }
  const Tensor y = empty_strided(shape, strides, float32);
  kernels().bf16_pairs(x, y.raw());
  return y;
}

void multiply_ending(const View& a, const View& b, const View& y, MatmulArithmetic arithmetic,
                     MatmulPrecision precision, const Epilogue& end) {
  const bool has_numbers = y.shape.numel() > 0 && a.shape[a.shape.n - 1] > 0;
  const bool rounded = precision == MatmulPrecision::bf16 && has_bf16_matmul();
  if (!rounded || y.dtype != float32 || !has_numbers) return kernels().matmul(a, b, y, arithmetic, end);
  const Tensor left = pairs_of(a), right = pairs_of(transposed(b));
  kernels().bf16_matmul(left.raw(), transposed(right.raw()), y, end);
}

void matmul_on_cpu(const View& a, const View& b, const View& y, MatmulArithmetic arithmetic,
                   MatmulPrecision precision, const void* bias) {
  multiply_ending(a, b, y, arithmetic, precision, {.bias = bias});
}

}  // namespace

GG_KERNEL(matmul, matmul_on_cpu);

void multiply(Device device, const View& a, const View& b, const View& y, MatmulArithmetic arithmetic,
              const void* bias) {
  const MatmulPrecision precision =
      arithmetic == MatmulArithmetic::SequentialFma ? MatmulPrecision::fp32 : matmul_precision();
  matmul_on(device)(a, b, y, arithmetic, precision, bias);
}

void multiply_on_cpu(const View& a, const View& b, const View& y, const Epilogue& end) {
  multiply_ending(a, b, y, MatmulArithmetic::Fused, matmul_precision(), end);
}

}  // namespace glassgrad

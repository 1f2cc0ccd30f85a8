// Σ a⊙b of each row of two tensors, in one pass over memory. The gradient of attention needs it for the
// result and the result's gradient.
#include "attention.h"
#include "packs.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

// A warp takes one row.
template <class T>
__global__ void row_dots_kernel(HeadMatrices<const T> a, HeadMatrices<const T> b, Computed<T>* y,
                                int64_t rows) {
  for (int64_t row = first_of_thread() / 32; row < rows; row += threads_of_grid() / 32) {
    const int64_t head = row / a.rows, i = row % a.rows;
    const HeadMatrix<const T> of_a(a, head), of_b(b, head);
    Computed<T> sum = 0;
    for (int64_t j = threadIdx.x % 32; j < a.columns; j += 32)
      sum = fma(Computed<T>(of_a.at(i, j)), Computed<T>(of_b.at(i, j)), sum);
    sum = over_warp(sum, Sum());
    if (threadIdx.x % 32 == 0) y[row] = sum;
  }
}
template <class T>
void run(const View& a, const View& b, const View& y) {
  const int64_t rows = y.shape.numel();
  launch("row_dots", row_dots_kernel<T>, grid_of(rows * 32), HeadMatrices<const T>(a),
         HeadMatrices<const T>(b), y.as<Computed<T>>(), rows);
}

// ---- rows of bf16 in pieces of 16 bytes: eight threads take a row, a block 128 rows of a head.
constexpr int kRowThreads = 8, kThreads = 256, kRowsAtOnce = kThreads / kRowThreads, kBlockRows = 128;

__global__ void packed_row_dots_kernel(HeadMatrices<const bfloat16_t> a, HeadMatrices<const bfloat16_t> b,
                                       float* y, int blocks_of_head) {
  const int64_t head = int(blockIdx.x) / blocks_of_head;
  const HeadMatrix<const bfloat16_t> of_a(a, head), of_b(b, head);
  const int first = int(blockIdx.x) % blocks_of_head * kBlockRows + int(threadIdx.x) / kRowThreads;
  GG_UNROLL for (int n = 0; n < kBlockRows; n += kRowsAtOnce) {
    const int64_t row = first + n;
    float sum = 0;
    if (row < a.rows)
      for (int64_t j = threadIdx.x % kRowThreads * 8; j < a.columns; j += kRowThreads * 8) {
        const auto u = get_pack<8>(of_a.data + row * a.row, j), v = get_pack<8>(of_b.data + row * b.row, j);
        GG_UNROLL for (int k = 0; k < 8; ++k) sum = fma(float(u.v[k]), float(v.v[k]), sum);
      }
    sum = over_warp(sum, Sum(), kRowThreads);
    if (threadIdx.x % kRowThreads == 0 && row < a.rows) y[head * a.rows + row] = sum;
  }
}
bool run_packed(const View& a, const View& b, const View& y) {
  const int64_t blocks_of_head = up(size_of(a, 2), kBlockRows), blocks = heads_of(a) * blocks_of_head;
  if (size_of(a, 1) % 8 != 0 || !has_packed_rows(a) || !has_packed_rows(b) || blocks > kMostBlocks)
    return false;
  launch("row_dots", packed_row_dots_kernel, {dim3(unsigned(blocks)), kThreads},
         HeadMatrices<const bfloat16_t>(a), HeadMatrices<const bfloat16_t>(b), y.as<float>(),
         int(blocks_of_head));
  return true;
}

}  // namespace

void row_dots(const View& a, const View& b, const View& y) {
  if (y.shape.numel() == 0) return;
  if (a.dtype != bfloat16) return floats(a.dtype, [&](auto zero) { run<decltype(zero)>(a, b, y); });
  if (!run_packed(a, b, y)) run<bfloat16_t>(a, b, y);
}

}  // namespace glassgrad::cuda

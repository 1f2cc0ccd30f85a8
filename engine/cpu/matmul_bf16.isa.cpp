// Products of inputs rounded to bf16, two per instruction, summed in float. Compiled once, for AVX-512 with
// AVX512-BF16.
#ifdef __AVX512BF16__
#include "kernels.h"
#include "parallel.h"
#include "products.h"

namespace glassgrad::GG_ISA {
namespace {

// Two bf16 in the bits of a float, the one with the lower k first, so that code for floats can move them.
using Pairs = float;

GG_INLINE Wide<float> as_pairs(__m512bh x) { return __builtin_bit_cast(Wide<float>, x); }
GG_INLINE __m512 first_of(const float* x, int64_t count) { return load_part(x, least(count, kWide<float>)); }

// Turns every 32 numbers of a row into 16 pairs.
void pair_along(const float* x, int64_t stride, int64_t depth, Pairs* y) {
  float gathered[32];
  for (int64_t k = 0; k < depth; k += 32) {
    const int64_t count = least(depth - k, 32);
    for (int64_t i = 0; stride != 1 && i < count; ++i) gathered[i] = x[(k + i) * stride];
    const float* const from = stride == 1 ? x + k : gathered;
    const __m512 low = first_of(from, count);
    const __m512 high = count > 16 ? first_of(from + 16, count - 16) : _mm512_setzero_ps();
    const Wide<float> pairs = as_pairs(_mm512_cvtne2ps_pbh(high, low));
    __builtin_memcpy(y + k / 2, &pairs, size_t(up(count, 2)) * sizeof(Pairs));
  }
}

// Turns two rows, k and k + 1 (or none), into one row of pairs.
void pair_across(const float* x, const float* next, int64_t n, Pairs* y) {
  alignas(64) static constexpr uint16_t kTurns[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                      21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                      11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i turns = _mm512_load_si512(kTurns);
  for (int64_t j = 0; j < n; j += 16) {
    const __m512 low = first_of(x + j, n - j), high = next ? first_of(next + j, n - j) : _mm512_setzero_ps();
    const auto both = __builtin_bit_cast(__m512i, _mm512_cvtne2ps_pbh(high, low));
    const auto pairs = __builtin_bit_cast(Wide<float>, _mm512_permutexvar_epi16(turns, both));
    __builtin_memcpy(y + j, &pairs, size_t(least(n - j, 16)) * sizeof(Pairs));
  }
}

void pairs_of(const View& x, const View& y) {
  const int rows = x.shape.n - 2;
  const int64_t batches = rows ? x.shape[0] : 1, m = x.shape[rows], depth = x.shape[rows + 1];
  const MatrixBatch<float> from(x), to(y);
  const bool along = to.first.stride.col == 1;
  const int64_t lines = along ? m : up(depth, 2);
  parallel(batches * lines, piece_of(along ? depth : m), [&](int64_t at, int64_t last) {
    for (; at < last; ++at) {
      const int64_t batch = at / lines, i = at % lines;
      const Matrix<const float> in = from[batch];
      Pairs* const out = y.as<Pairs>() + (to[batch].data - to[0].data);
      if (along)
        pair_along(&in.at(i, 0), in.stride.col, depth, out + i * to.first.stride.row);
      else
        pair_across(&in.at(0, 2 * i), 2 * i + 1 < depth ? &in.at(0, 2 * i + 1) : nullptr, m,
                    out + i * to.first.stride.col);
    }
  });
}

void bf16_matmul(const View& a, const View& b, const View& y, const Epilogue& end) {
  const int first = y.shape.n - 2;
  const Sizes s{first ? y.shape[0] : 1, y.shape[first], y.shape[first + 1], a.shape[first + 1]};
  ordered_products<MultiplyAdd::Bf16Pairs>(MatrixBatch<Pairs>(a), MatrixBatch<Pairs>(b), y.as<float>(), s,
                                           s.n, end);
}

}  // namespace

void fill_bf16(Kernels& k) {
  k.bf16_pairs = pairs_of;
  k.bf16_matmul = bf16_matmul;
}

}  // namespace glassgrad::GG_ISA
#endif

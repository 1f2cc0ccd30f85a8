#include "crc32.h"

#ifdef __x86_64__
#include <wmmintrin.h>
#endif

#include <array>

namespace glassgrad {
namespace {

constexpr uint32_t kPolynomial = 0xedb88320;  // 0x04c11db7, its bits reversed
constexpr size_t kStride = 8;

// row[0][b] is the remainder of byte b, row[k][b] that of b followed by k zero bytes. As the remainder of a
// sum is the sum of the remainders, eight bytes cost eight independent look-ups.
struct Tables {
  std::array<std::array<uint32_t, 256>, kStride> row{};

  constexpr Tables() {
    for (uint32_t b = 0; b < 256; ++b) {
      uint32_t remainder = b;
      for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ (remainder & 1 ? kPolynomial : 0u);
      row[0][b] = remainder;
    }
    for (size_t k = 1; k < kStride; ++k)
      for (size_t b = 0; b < 256; ++b) row[k][b] = (row[k - 1][b] >> 8) ^ row[0][row[k - 1][b] & 0xff];
  }
};
constexpr Tables kTables;

#ifdef __x86_64__
// The remainder of x^n, in the upper half of 64 bits.
constexpr uint64_t power(int n) {
  uint32_t remainder = 1u << 31;  // of 1
  for (; n > 0; --n) remainder = (remainder >> 1) ^ (remainder & 1 ? kPolynomial : 0u);
  return uint64_t{remainder} << 32;
}
// 16 bytes moved ahead by `bits`, with the same remainder: of both halves the product with a power of x. The
// processor's product of polynomials whose bits are reversed comes out as x times the product.
template <int bits>
[[gnu::target("pclmul")]] __m128i moved(__m128i bytes) {
  constexpr uint64_t kOfFirst = power(bits + 63), kOfLast = power(bits - 1);
  const __m128i by = _mm_set_epi64x(static_cast<int64_t>(kOfLast), static_cast<int64_t>(kOfFirst));
  return _mm_xor_si128(_mm_clmulepi64_si128(bytes, by, 0x00), _mm_clmulepi64_si128(bytes, by, 0x11));
}
// Replaces n ≥ 64 bytes, a multiple of 16, by 16 that have the same remainder; `state` comes before them.
[[gnu::target("pclmul")]] void fold(uint32_t state, const unsigned char* b, size_t n, unsigned char* folded) {
  const auto block = [](const unsigned char* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  __m128i lane[4];
  for (size_t k = 0; k < 4; ++k) lane[k] = block(b + 16 * k);
  lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128(static_cast<int>(state)));
  for (n -= 64, b += 64; n >= 64; n -= 64, b += 64)
    for (size_t k = 0; k < 4; ++k) lane[k] = _mm_xor_si128(moved<512>(lane[k]), block(b + 16 * k));
  for (size_t k = 1; k < 4; ++k) lane[k] = _mm_xor_si128(moved<128>(lane[k - 1]), lane[k]);
  for (; n >= 16; n -= 16, b += 16) lane[3] = _mm_xor_si128(moved<128>(lane[3]), block(b));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(folded), lane[3]);
}
const bool kFolds = __builtin_cpu_supports("pclmul");
#endif

}  // namespace

void Crc32::add(const void* bytes, size_t n) {
  const auto* b = static_cast<const unsigned char*>(bytes);
#ifdef __x86_64__
  if (n >= 64 && kFolds) {
    unsigned char folded[16];
    const size_t whole = n / 16 * 16;
    fold(state_, b, whole, folded);
    state_ = 0;
    add(folded, sizeof(folded));
    b += whole;
    n -= whole;
  }
#endif
  for (; n >= kStride; n -= kStride, b += kStride) {
    uint32_t remainder = 0;
    for (size_t k = 0; k < kStride; ++k) {
      const uint32_t before = k < 4 ? (state_ >> (8 * k)) & 0xff : 0;
      remainder ^= kTables.row[kStride - 1 - k][b[k] ^ before];
    }
    state_ = remainder;
  }
  for (; n > 0; --n, ++b) state_ = (state_ >> 8) ^ kTables.row[0][(state_ ^ *b) & 0xff];
}

}  // namespace glassgrad

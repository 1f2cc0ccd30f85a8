#include "crc32.h"

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

}  // namespace

void Crc32::add(const void* bytes, size_t n) {
  const auto* b = static_cast<const unsigned char*>(bytes);
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

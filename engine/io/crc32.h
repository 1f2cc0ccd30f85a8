// CRC-32, the checksum of zlib, gzip and PNG: tells whether bytes are still the ones that were written.
#pragma once
#include <cstddef>
#include <cstdint>

namespace glassgrad {

// The remainder of a division of polynomials over {0, 1} by 0x104c11db7, lowest bit first. Any change within
// 32 neighbouring bits changes the remainder.
class Crc32 {
 public:
  void add(const void* bytes, size_t n);
  uint32_t value() const { return ~state_; }

 private:
  uint32_t state_ = ~0u;
};

}  // namespace glassgrad

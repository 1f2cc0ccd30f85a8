// CRC-32, the checksum of zlib, gzip and PNG: detects bytes that have changed since they were written.
#pragma once
#include <cstddef>
#include <cstdint>

namespace glassgrad {

// The remainder of a division of polynomials over {0, 1} by 0x104c11db7, lowest bit first. Any error confined
// to 32 neighbouring bits changes it.
class Crc32 {
 public:
  void add(const void* bytes, size_t n);
  uint32_t value() const { return ~state_; }

 private:
  uint32_t state_ = ~0u;
};

}  // namespace glassgrad

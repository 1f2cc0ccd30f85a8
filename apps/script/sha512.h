// SHA-512 (FIPS 180-4), for seeds that are texts.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace glassgrad::script {

// The digest of the bytes of a text, first byte first.
std::array<uint8_t, 64> sha512(std::string_view bytes);

}  // namespace glassgrad::script

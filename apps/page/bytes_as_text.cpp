#include "apps/page/bytes_as_text.h"

#include <cstdint>

#include "engine/core/error.h"

namespace glassgrad::explorer {
namespace {

// ASCII's visible characters, without those that JSON or markup would have to escape: " < and the backslash.
constexpr std::string_view kDigits =
    "!#$%&'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";
constexpr uint32_t kBase = kDigits.size();
static_assert(kBase == 91 && kBase * kBase >= 1 << 13);

}  // namespace

std::string text_of_bytes(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 16 / 13 + 2);
  uint32_t bits = 0;
  int count = 0;
  const auto write = [&](int taken) {
    const uint32_t number = bits & ((1U << taken) - 1);
    text += kDigits[number % kBase];
    if (taken > 6) text += kDigits[number / kBase];
    bits >>= taken;
    count -= taken;
  };
  for (const char byte : bytes) {
    bits |= uint32_t{static_cast<unsigned char>(byte)} << count;
    if ((count += 8) >= 13) write(13);
  }
  if (count > 0) write(count > 6 ? 13 : 6);
  return text;
}

std::string bytes_of_text(std::string_view text) {
  const auto digit = [&](size_t i) {
    const size_t value = i < text.size() ? kDigits.find(text[i]) : 0;
    check(value != kDigits.npos, "byte {} of the text is no digit", i);
    return static_cast<uint32_t>(value);
  };
  std::string bytes;
  bytes.reserve(text.size() * 13 / 16);
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < text.size(); i += 2) {
    bits |= (digit(i) + kBase * digit(i + 1)) << count;
    for (count += i + 1 < text.size() ? 13 : 6; count >= 8; count -= 8, bits >>= 8)
      bytes += static_cast<char>(bits);
  }
  return bytes;
}

}  // namespace glassgrad::explorer

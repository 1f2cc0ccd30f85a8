#include "byte_alphabet.h"

#include <array>

#include "engine/core/error.h"
#include "engine/core/utf8.h"
#include "unicode.h"
#include "visible.h"

namespace glassgrad {
namespace {

constexpr uint32_t kOthers = 0x100;  // the first character for a byte that is not printable

constexpr bool is_itself(uint32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
}

// The character of each byte, and in their order the bytes that are not their own character.
struct Alphabet {
  std::array<uint32_t, 256> character{};
  std::array<char, 68> others{};

  constexpr Alphabet() {
    uint32_t next = 0;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      character[byte] = is_itself(byte) ? byte : kOthers + next;
      if (!is_itself(byte)) others[next++] = static_cast<char>(byte);
    }
  }
};
constexpr Alphabet kAlphabet;

}  // namespace

std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) append_utf8(text, kAlphabet.character[static_cast<unsigned char>(byte)]);
  return text;
}

std::string from_byte_alphabet(std::string_view text, std::string_view where) {
  std::string bytes;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = code_point(text, at);
    const bool itself = c.valid && c.value < kOthers && is_itself(c.value);
    const bool other = c.valid && c.value >= kOthers && c.value - kOthers < kAlphabet.others.size();
    check<ValueError>(itself || other, "{}: '{}' is no character of GPT-2's byte alphabet", where,
                      visible(text.substr(at, c.length)));
    bytes += itself ? static_cast<char>(c.value) : kAlphabet.others[c.value - kOthers];
    at += c.length;
  }
  return bytes;
}

}  // namespace glassgrad

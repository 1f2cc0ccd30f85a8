#include "apps/script/letters.h"

#include <iterator>

#include "apps/text/unicode.h"
#include "engine/core/utf8.h"

namespace glassgrad::script {
namespace {

// Every `step`-th capital letter from `first` to `last`; the small letter is `apart` code points later.
struct CapitalRange {
  uint32_t first, last, step, apart;
};
constexpr CapitalRange kCapitals[] = {
    {'A', 'Z', 1, 32},     {0xC0, 0xD6, 1, 32},   {0xD8, 0xDE, 1, 32},   {0x100, 0x12E, 2, 1},
    {0x132, 0x136, 2, 1},  {0x139, 0x147, 2, 1},  {0x14A, 0x176, 2, 1},  {0x179, 0x17D, 2, 1},
    {0x386, 0x386, 1, 38}, {0x388, 0x38A, 1, 37}, {0x38C, 0x38C, 1, 64}, {0x38E, 0x38F, 1, 63},
    {0x391, 0x3A1, 1, 32}, {0x3A3, 0x3AB, 1, 32}, {0x400, 0x40F, 1, 80}, {0x410, 0x42F, 1, 32},
    {0x460, 0x480, 2, 1},  {0x48A, 0x4BE, 2, 1},  {0x4D0, 0x52E, 2, 1},  {0x1E00, 0x1E94, 2, 1}};

constexpr struct {
  uint32_t first, last;
} kHidden[] = {{0x7F, 0xA0},     {0xAD, 0xAD},     {0x600, 0x605},   {0x61C, 0x61C},   {0x6DD, 0x6DD},
               {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F},
               {0x3000, 0x3000}, {0xD800, 0xF8FF}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}};

}  // namespace

uint32_t lower(uint32_t c) {
  if (c == 0x178) return 0xFF;
  for (const CapitalRange& r : kCapitals)
    if (c >= r.first && c <= r.last && (c - r.first) % r.step == 0) return c + r.apart;
  return c;
}

uint32_t upper(uint32_t c) {
  if (c == 0xFF) return 0x178;
  if (c == 0x3C2) return 0x3A3;  // a sigma at the end of a word
  if (c == 0xB5) return 0x39C;   // micro
  for (const CapitalRange& r : kCapitals)
    if (c >= r.first + r.apart && c <= r.last + r.apart && (c - r.apart - r.first) % r.step == 0)
      return c - r.apart;
  return c;
}

bool is_letter(uint32_t c) { return char_class(c) == CharClass::Letter; }
bool is_number(uint32_t c) { return char_class(c) == CharClass::Number; }
bool is_space(uint32_t c) { return char_class(c) == CharClass::Space || (c >= 0x1C && c <= 0x1F); }

bool is_visible(uint32_t c) {
  if (c < 0x20 || char_class(c) == CharClass::Unassigned) return false;
  for (const auto& r : kHidden)
    if (c >= r.first && c <= r.last) return false;
  return true;
}

std::u32string decode(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = code_point(text, at);
    out += char32_t(c.value);
    at += c.length;
  }
  return out;
}

std::string utf8(uint32_t c) {
  std::string text;
  append_utf8(text, c);
  return text;
}

}  // namespace glassgrad::script

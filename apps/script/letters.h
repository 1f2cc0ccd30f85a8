// Upper and lower case of letters: Latin, Greek and Cyrillic. Other letters have no case here.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace glassgrad::script {

uint32_t upper(uint32_t c);
uint32_t lower(uint32_t c);
inline bool is_upper(uint32_t c) { return lower(c) != c; }
inline bool is_lower(uint32_t c) { return upper(c) != c || c == 0xDF; }
bool is_letter(uint32_t c);
bool is_number(uint32_t c);
bool is_space(uint32_t c);
inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F); }
bool is_visible(uint32_t c);  // repr() shows it unescaped

std::u32string decode(std::string_view text);
std::string utf8(uint32_t c);

}  // namespace glassgrad::script

// Marked words for a page: WORDS is a list of texts and of {"code": text}, {"term": text}, {"bold": text}. A
// link has "link" beside these, and {"plain": text} if its text has no other mark.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "apps/cli/json_number.h"

namespace glassgrad::explorer {

Json words_json(std::string_view markdown);
Json words_json(std::span<const std::string> sentences);  // [WORDS, …]

}  // namespace glassgrad::explorer

// Marked words for a page: WORDS is a list of texts and of {"code": text}, {"term": text}, {"bold": text}.
#pragma once
#include <string_view>

#include "apps/cli/json_number.h"

namespace glassgrad::explorer {

Json words_json(std::string_view markdown);

}  // namespace glassgrad::explorer

// Python's format specifications: format(x, "…"), "…".format(…) and "…" % ….
#pragma once
#include "apps/script/types.h"

namespace glassgrad::script {

// Of a str, int, bool or float.
std::string format_value(const Value& x, std::string_view specification);

// The first code point of a text, and how many bytes it has.
uint32_t code_point(std::string_view text, size_t& length);
std::string utf8(uint32_t code_point);

}  // namespace glassgrad::script

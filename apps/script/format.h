// Python's format specifications: format(x, "…"), "…".format(…) and "…" % ….
#pragma once
#include "apps/script/types.h"

namespace glassgrad::script {

// Formats a str, int, bool or float.
std::string format_value(const Value& x, std::string_view specification);

}  // namespace glassgrad::script

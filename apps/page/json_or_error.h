// The answers of a page's engine.
#pragma once
#include <functional>
#include <string>

#include "apps/cli/json_number.h"

namespace glassgrad::explorer {

// Returns the JSON of `what` as text; {"error": text} if it throws.
std::string json_or_error(const std::function<Json()>& what);

}  // namespace glassgrad::explorer

// How the engine of a page answers.
#pragma once
#include <functional>
#include <string>

#include "apps/cli/json_number.h"

namespace glassgrad::explorer {

// What `what` gives, as text. What goes wrong is told as {"error": text}.
std::string told(const std::function<Json()>& what);

}  // namespace glassgrad::explorer

#include "apps/cli/json_number.h"

#include <cmath>

namespace glassgrad {

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json json_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  return x;
}
Json json_number(int64_t x) { return x; }
Json json_number(bool x) { return x; }

}  // namespace glassgrad

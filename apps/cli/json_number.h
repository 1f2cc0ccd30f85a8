// Numbers as the program's JSON has them: as many digits as read back the same, and "NaN", "Infinity" and
// "-Infinity" as strings.
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>

namespace glassgrad {

using Json = nlohmann::ordered_json;

inline Json json_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  return x;
}
inline Json json_number(int64_t x) { return x; }
inline Json json_number(bool x) { return x; }

}  // namespace glassgrad

// The program's JSON. Numbers have as many digits as read back the same, and "NaN", "Infinity" and
// "-Infinity" as strings.
#pragma once
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace glassgrad {

using Json = nlohmann::ordered_json;

// As text; bytes that are no UTF-8, such as those of a file's name, are U+FFFD in it.
inline std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

inline Json json_number(double x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  return x;
}
inline Json json_number(int64_t x) { return x; }
inline Json json_number(bool x) { return x; }

}  // namespace glassgrad

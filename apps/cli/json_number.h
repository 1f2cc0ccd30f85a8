// The program's JSON. Numbers have as many digits as read back the same, and "NaN", "Infinity" and
// "-Infinity" as strings.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace glassgrad {

using Json = nlohmann::ordered_json;

// As text; bytes that are no UTF-8, such as those of a file's name, are U+FFFD in it.
std::string json_text(const Json& json, int indent = -1);

Json json_number(double x);
Json json_number(int64_t x);
Json json_number(bool x);

}  // namespace glassgrad

// The program's JSON. Numbers have enough digits to read back the same; NaN, Infinity and -Infinity are the
// strings "NaN", "Infinity" and "-Infinity".
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace glassgrad {

using Json = nlohmann::ordered_json;

// Returns the JSON as text. Bytes that are not UTF-8, which a file's name may have, become U+FFFD.
std::string json_text(const Json& json, int indent = -1);

Json json_number(double x);
Json json_number(int64_t x);
Json json_number(bool x);

}  // namespace glassgrad

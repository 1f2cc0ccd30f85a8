// Reads our own JSON from files that anyone may have changed.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "apps/cli/parse_json.h"
#include "engine/io/file.h"

namespace glassgrad::train {

// Throws Error if parse_json does or if the text is not an object.
inline nlohmann::json parse_object(std::string_view text, std::string_view where) {
  nlohmann::json object = parse_json(text, where);
  check(object.is_object(), "{}: is not a JSON object", where);
  return object;
}

// value = object[key]. Throws Error if the key is missing, or its value has a different type or is out of T's
// range.
template <class T>
void read_field(const nlohmann::json& object, const char* key, std::string_view where, T& value) {
  const auto found = object.find(key);
  check(found != object.end(), "{}: has no {}", where, key);
  bool fits = false;
  if constexpr (std::is_same_v<T, bool>)
    fits = found->is_boolean();
  else if constexpr (std::is_same_v<T, std::string>)
    fits = found->is_string();
  else if constexpr (std::is_floating_point_v<T>)
    fits = found->is_number();
  else if constexpr (std::is_unsigned_v<T>)
    fits = found->is_number_unsigned();
  else  // an unsigned number may be too large
    fits = found->is_number_integer() &&
           (!found->is_number_unsigned() || found->template get<uint64_t>() >> 63 == 0);
  check(fits, "{}: {} cannot be {}", where, key, excerpt(found->dump(-1, ' ', true)));
  value = found->template get<T>();
}

}  // namespace glassgrad::train

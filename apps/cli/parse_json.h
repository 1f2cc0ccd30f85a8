// JSON from files that anybody may have written.
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace glassgrad {

// No file of ours nests as deeply. Deeper ones would overflow the stack where a value is copied or written.
inline constexpr int kDeepestJson = 16;

// Discarded (is_discarded(), and of no other kind) if the text is no JSON or nests deeper.
// Json is nlohmann::json or nlohmann::ordered_json.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text);

}  // namespace glassgrad

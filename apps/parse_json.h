// JSON from files that anybody may have written.
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace glassgrad {

// No file of ours nests as deeply. Deeper ones would overflow the stack where a value is copied or written.
inline constexpr int kDeepestJson = 16;

// Discarded (is_discarded(), and of no other kind) if the text is no JSON or nests deeper.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  bool too_deep = false;
  const auto watch_depth = [&](int depth, typename Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepestJson;
    return !too_deep;
  };
  Json value = Json::parse(text, watch_depth, false);
  return too_deep ? Json(Json::value_t::discarded) : value;
}

}  // namespace glassgrad

#include "apps/cli/parse_json.h"

namespace glassgrad {

template <class Json>
Json parse_json(std::string_view text) {
  bool too_deep = false;
  const auto watch_depth = [&](int depth, typename Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepestJson;
    return !too_deep;
  };
  Json value = Json::parse(text, watch_depth, false);
  return too_deep ? Json(Json::value_t::discarded) : value;
}

template nlohmann::json parse_json(std::string_view);
template nlohmann::ordered_json parse_json(std::string_view);

}  // namespace glassgrad

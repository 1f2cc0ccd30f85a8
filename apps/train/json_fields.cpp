#include "apps/train/json_fields.h"

namespace glassgrad::train {

nlohmann::json parse_object(std::string_view text, std::string_view where) {
  nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
  check(object.is_object(), "{}: is not a JSON object", where);
  return object;
}

}  // namespace glassgrad::train

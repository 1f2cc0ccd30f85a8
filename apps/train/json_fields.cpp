#include "apps/train/json_fields.h"

namespace glassgrad::train {

nlohmann::json parse_object(std::string_view text, std::string_view where) {
  nlohmann::json object = parse_json(text);
  check(object.is_object(), "{}: is not a JSON object of at most {} levels", where, kDeepestJson);
  return object;
}

}  // namespace glassgrad::train

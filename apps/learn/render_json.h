// Tensors as JSON.
#pragma once
#include <nlohmann/json.hpp>

#include "apps/learn/recording.h"

namespace glassgrad::learn {

using Json = nlohmann::ordered_json;

// {"name", "shape", "dtype", "data"} as in render_json's lessons (render.h).
Json tensor_json(const Entry& entry);

}  // namespace glassgrad::learn

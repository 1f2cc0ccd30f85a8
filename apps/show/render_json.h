// Tensors as JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// "float32".
std::string_view type_name(DType dtype);
// Returns "crc32:" of the elements' little-endian bytes in logical order.
std::string checksum(const Tensor& x);
// Returns {"set", "steps_alike", "gone", "first_step", "largest": {"cell", "before", "now"}}; the last two
// are null if there is none.
nlohmann::ordered_json differences_json(const Differences& d);

const char* whose_word(Whose whose);  // "source", "our print", "ours", "wrong", "view"

// Returns {"name", "shape", "dtype", "data"} as in render_json's lessons (render.h).
nlohmann::ordered_json tensor_json(const Entry& entry);

}  // namespace glassgrad::learn

// What a tensor means, whatever a source calls it.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad::diff {

// "queries" of "Q" and "query"; of a name that is in no list, the name itself. `step`, where
// there is one, tells apart what a source gives one name: its "attention_weights" may still be scores.
std::string meaning_of(std::string_view name, std::string_view step = {});

}  // namespace glassgrad::diff

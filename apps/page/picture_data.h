// The picture of a lesson's run that the explorer's page shows as its map: PICTURE in docs/explorer.md.
#pragma once
#include "apps/cli/json_number.h"
#include "apps/lesson/recording.h"

namespace glassgrad::explorer {

// Returns {"width", "height", "boxes": [{"lines", "addresses", "given", "x", "y", "width", "height",
// "from"}], "wires": [{"from", "to", "path"}]}; null if the steps show no tensor.
Json picture_json(const learn::Recording& forward);

}  // namespace glassgrad::explorer

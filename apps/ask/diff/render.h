// The forms in which `diff` shows what it has found.
#pragma once
#include "apps/ask/diff/compare.h"
#include "apps/cli/output.h"

namespace glassgrad::diff {

// A pair of tensors of one meaning, and how they differ.
struct Compared {
  Pair pair;
  Difference difference;
  bool differs() const { return difference.kind > Difference::Kind::Rounding; }
};
// The first pair that differs by more than rounding; null: none does.
const Compared* first_difference(const std::vector<Compared>& compared);

// How many pairs differ and which first; then those that do, a sentence and both matrices beside each other,
// and how many are equal. After the first few that differ only the sentences; `all`: all matrices, and the
// names of all that are equal. At most 80 columns wide.
void render_text(const Sides& sides, const std::vector<Compared>& compared, bool all, Output& out);
// {"left", "right": titles, "notes": […], "pairs": [{"left", "right": addresses, "found": "equal",
// "rounding", "different" or "shapes", …}], "first_difference": its place among the pairs or null, "alone":
// {"left", "right": […]}}. A pair has "largest"; one that is different also "cells" and "values" of the first
// cell, one of other shapes "shapes", the left one's first.
void render_json(const Sides& sides, const std::vector<Compared>& compared, Output& out);

}  // namespace glassgrad::diff

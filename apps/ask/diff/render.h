// The output formats of `diff`.
#pragma once
#include "apps/ask/diff/compare.h"
#include "apps/cli/output.h"

namespace glassgrad::diff {

// A pair of tensors with the same meaning, and how they differ.
struct ComparedPair {
  Pair pair;
  Difference difference;
  bool differs() const { return difference.kind > Difference::Kind::Rounding; }
};
// Returns the first pair that differs by more than rounding; null if none does.
const ComparedPair* first_difference(const std::vector<ComparedPair>& compared);

// Writes how many pairs differ and which is first; then each differing pair with a sentence and both matrices
// side by side, for later pairs only the sentence; then how many pairs are equal. `all`: writes all matrices,
// and the names of all equal pairs. At most 80 columns wide.
void render_text(const Sides& sides, const std::vector<ComparedPair>& compared, bool all, Output& out);
// Writes {"left", "right": titles, "notes": […], "pairs": [{"left", "right": addresses, "found": "equal",
// "rounding", "different" or "shapes", …}], "first_difference": its index among the pairs or null, "alone":
// {"left", "right": […]}}. A pair has "largest"; a "different" pair also has "cells" and "values" of the
// first cell that differs; a "shapes" pair has "shapes", the left one's first.
void render_json(const Sides& sides, const std::vector<ComparedPair>& compared, Output& out);

}  // namespace glassgrad::diff

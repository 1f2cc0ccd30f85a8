// What differs between two tensors, in words.
#pragma once
#include <string>

#include "apps/ask/diff/compare.h"

namespace glassgrad::diff {

// "Only cells right of the diagonal differ, where the column is larger than the row: on the right each is
// -inf.", "Every number on the right is 0.7071 times the one on the left.", "The rows on the right are those
// on the left in a different order: 2, 0, 1." The tensors differ; cells: cells_of them.
// Rows and columns that are the same tokens on both sides have their names. `brief`: without the numbers of
// the cell that differs most.
std::string sentence(const Value& left, const Value& right, const std::optional<Cells>& cells,
                     bool brief = false);

}  // namespace glassgrad::diff

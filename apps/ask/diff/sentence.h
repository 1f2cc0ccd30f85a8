// Says in words how two tensors differ.
#pragma once
#include <string>

#include "apps/ask/diff/compare.h"

namespace glassgrad::diff {

// Returns "Only cells of the future differ, where the column is larger than the row: on the right each is
// -inf there.", "Every number on the right is 0.7071 times the one on the left.", "The rows on the right are
// those on the left in a different order: 2, 0, 1." The tensors must differ; cells: the result of
// cells_of(left.x, right.x). Rows and columns that are the same tokens on both sides are called by their
// names. `brief`: without the numbers of the cell that differs most.
std::string sentence(const Value& left, const Value& right, const std::optional<ComparedCells>& cells,
                     bool brief = false);

}  // namespace glassgrad::diff

// Two tensors as matrices side by side.
#pragma once
#include "apps/ask/diff/compare.h"
#include "apps/terminal/line.h"

namespace glassgrad::diff {

// Shows one matrix of each tensor, the one with the first cell that differs, with a ~ before every cell that
// differs. Shows a part of long rows and columns; leaves digits out before columns. Rows that are tokens get
// their names if that does not cost digits. cells: the result of cells_of(left.x, right.x).
std::vector<Line> side_by_side(const Value& left, const Value& right,
                               const std::optional<ComparedCells>& cells, size_t columns);

}  // namespace glassgrad::diff

// Two tensors as matrices beside each other.
#pragma once
#include "apps/ask/diff/compare.h"
#include "apps/terminal/line.h"

namespace glassgrad::diff {

// One matrix of each, that of the first cell that differs, with a ~ before every cell that does. Of long rows
// and columns a part is shown; digits are left out before columns are. Rows that are tokens have their names
// where that costs no digit. cells: cells_of them.
std::vector<Line> beside(const Value& left, const Value& right, const std::optional<Cells>& cells,
                         size_t columns);

}  // namespace glassgrad::diff

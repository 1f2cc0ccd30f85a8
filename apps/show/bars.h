// Where one query looks: a bar for each key.
#pragma once
#include "apps/show/grid.h"

namespace glassgrad::learn {

// The row of the cell, of a tensor whose last two dimensions are queries and keys. The longest bar is the
// tensor's largest number, so that rows can be compared.
std::vector<Line> bars(const Recording& recording, const Entry& entry, const Dims& cell, size_t columns);

}  // namespace glassgrad::learn

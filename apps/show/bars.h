// Shows where one query looks: a bar for each key.
#pragma once
#include "apps/show/grid.h"

namespace glassgrad::learn {

// Returns the bars of the cell's row, in a tensor whose last two dimensions are queries and keys. A full bar
// is the tensor's largest number, so that rows can be compared.
std::vector<Line> bars(const Recording& recording, const Entry& entry, const Dims& cell, size_t columns);

}  // namespace glassgrad::learn

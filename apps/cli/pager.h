// The reader's pager.
#pragma once
#include <functional>

#include "apps/cli/output.h"

namespace glassgrad {

// Runs `write` with an output that the pager shows: $PAGER, or less where there is one; an empty $PAGER is
// none. It may run twice: where out is no terminal that a pager can use, and where the pager fails, it writes
// to `out`. Whoever quits the pager has seen enough.
void through_pager(const std::function<void(Output&)>& write, Output& out);

}  // namespace glassgrad

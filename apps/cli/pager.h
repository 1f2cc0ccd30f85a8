// Shows output in the reader's pager.
#pragma once
#include <functional>

#include "apps/cli/output.h"

namespace glassgrad {

// Runs `write` with an output that the pager shows: $PAGER, or less if it is installed; an empty $PAGER means
// no pager. Runs `write` with `out` if `out` is no terminal that a pager can use, and again if the pager
// fails. Quitting the pager early is no failure.
void through_pager(const std::function<void(Output&)>& write, Output& out);

}  // namespace glassgrad

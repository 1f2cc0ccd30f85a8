// Follows a number back through a recording to its cause: the first nan or infinity, or the first difference.
#pragma once
#include <functional>

#include "../glass/recorder.h"

namespace glassgrad::why {

// The cells of the call's inputs that the expression was computed from, each once.
std::vector<const ExprNode*> cells_read(const Expr& tree);

// "nan", "inf" or "-inf"; null for all other numbers.
const char* non_finite(const Scalar& x);

// Follows a nan back through nans, or an infinity through infinities, to the call that made it. Each number
// comes before the number computed from it. The first number of the trail has no such operands, or was given.
std::vector<SnapshotElement> non_finite_trail(const Recorder& trace, const SnapshotElement& number);

// Compares two recordings of one program with different inputs. Returns the numbers of the first recording
// that lead from the first difference to `number`, which differs; each comes before the number computed from
// it. If several operands differ, follows one that `prefer` accepts. Empty if the programs called different
// ops.
std::vector<SnapshotElement> changed_trail(const Recorder& before, const Recorder& after,
                                           const SnapshotElement& number,
                                           const std::function<bool(const SnapshotElement&)>& prefer);

}  // namespace glassgrad::why

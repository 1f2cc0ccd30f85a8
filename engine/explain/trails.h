// Ways back through a recording, from a number to where something about it began.
#pragma once
#include <functional>

#include "../glass/recorder.h"

namespace glassgrad::why {

// The cells of the call's inputs that the expression was computed from, each once.
std::vector<const Term*> cells_read(const Expr& tree);

// "nan", "inf" or "-inf"; null for all other numbers.
const char* non_finite(const Scalar& x);

// From the number back to the call that made it so, each number before the one that was computed from it: of
// a nan through nans, of an infinity through infinities. The first has no such operands, or was given.
std::vector<Element> non_finite_trail(const Recorder& trace, const Element& number);

// Two recordings of one program with different inputs: the numbers from the first difference on that lead to
// this one, which differs, in the first recording; each before the one that was computed from it. Where
// several operands differ, one that `prefer` likes is followed. Empty: the programs called different ops.
std::vector<Element> changed_trail(const Recorder& before, const Recorder& after, const Element& number,
                                   const std::function<bool(const Element&)>& prefer);

}  // namespace glassgrad::why

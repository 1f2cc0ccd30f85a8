// Recognises classic slips by trying them: recomputes the calls that led to a number with one change.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/predict/quantity.h"

namespace glassgrad::learn {

// Returns whether the answer probably came from this slip: it has at least three digits after the point, and
// all of them agree. With fewer digits, some slip would agree with nearly any answer.
bool is_meant(const TypedNumber& answer, double slip);

// Returns "One way to get that is to compute it without dividing by 1.4142 (the root of 2)."; empty if the
// wrong answer equals no slip. The recording must have kept its calls.
std::string recognised(const Recording& recording, const Quantity& asked, const TypedNumber& answer);

// A number that results from a slip in one of the nearest calls, with its sentence. For equal numbers, the
// first applies.
struct KnownSlip {
  double value;
  std::string sentence;
};
std::vector<KnownSlip> known_slips(const Recording& recording, const Quantity& asked);

}  // namespace glassgrad::learn

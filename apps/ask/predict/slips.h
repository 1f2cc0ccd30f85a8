// Recognises classic slips by making them: the calls that led to a number are computed again with one change.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/predict/quantity.h"

namespace glassgrad::learn {

// Returns whether the answer probably came from this slip: it has at least three digits after the point, and
// all of them agree. With fewer digits, some slip would agree with nearly any answer.
bool is_meant(const TypedNumber& answer, double slip);

// Returns "One way to get that is to compute it without dividing by 1.4142 (the root of 2)."; empty if the
// wrong answer equals no slip. The recording has kept its calls.
std::string recognised(const Recording& recording, const Quantity& asked, const TypedNumber& answer);

// A number that a slip in one of the nearest calls leads to, with that sentence; of equal numbers the first
// is meant.
struct KnownSlip {
  double value;
  std::string sentence;
};
std::vector<KnownSlip> known_slips(const Recording& recording, const Quantity& asked);

}  // namespace glassgrad::learn

// Classic slips, found by making them: the calls that led to a number are computed again with one change.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/predict/quantity.h"

namespace glassgrad::learn {

// Is it likely that this answer came from there? It has three digits behind the point and all of them agree:
// of fewer, some slip or other would agree with nearly any.
bool is_meant(const Answer& answer, double slip);

// "One way to get that is to compute it without dividing by 1.4142 (the root of 2)."; empty where the wrong
// answer equals no slip. The recording has kept its calls.
std::string recognised(const Recording& recording, const Quantity& asked, const Answer& answer);

// The numbers that slips in the nearest calls lead to, with that sentence; of equal ones the first is meant.
struct KnownSlip {
  double value;
  std::string sentence;
};
std::vector<KnownSlip> known_slips(const Recording& recording, const Quantity& asked);

}  // namespace glassgrad::learn

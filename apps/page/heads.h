// Attention weights and likely tokens, as the pages of `inspect` and `train` have them.
#pragma once
#include <span>
#include <string>

#include "apps/cli/json_number.h"

namespace glassgrad::explorer {

// Weights and all that goes with them have so much room in a page, which is to stay below 2 MB.
constexpr size_t kMostHeadBytes = 1'400'000;

// A weight with its decimals, as these pages show it; `inspect --format json` gives all digits.
std::string weight_text(double weight);

// The weights of a head, (T, T), a text for each query: its weights with blanks between them. The zeros that
// end a row, those of the future, are left out.
Json rows_of_weights(std::span<const double> weights);

// {"token", "text", "share"}: share is how long its bar is, "31.24%".
Json likely_token(const std::string& token, double probability);

}  // namespace glassgrad::explorer

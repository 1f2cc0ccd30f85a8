// Attention weights and likely tokens, as the pages of `inspect` and `train` have them.
#pragma once
#include <span>
#include <string>

#include "apps/cli/json_number.h"

namespace glassgrad::explorer {

// The space for the weights and their data in a page, so that the page stays below 2 MB.
constexpr size_t kMostHeadBytes = 1'400'000;

// Returns a weight with the decimals that these pages show; `inspect --format json` gives all digits.
std::string weight_text(double weight);

// Returns the weights of a head, (T, T), as one text per query: its weights separated by blanks. Leaves out
// the zeros at the end of a row, which are those of the future.
Json rows_of_weights(std::span<const double> weights);

// Returns {"token", "text", "share"}; share: the length of its bar, "31.24%".
Json likely_token(const std::string& token, double probability);

}  // namespace glassgrad::explorer

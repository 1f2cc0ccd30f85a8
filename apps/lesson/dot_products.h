// Why scores are scaled: dot products of random vectors spread the more, the wider the vectors are.
#pragma once
#include <span>

#include "engine/tensor.h"

namespace glassgrad::learn {

// For each width d, over 2000 pairs q, k of vectors with d numbers from N(0, 1), drawn from a generator of
// its own with this seed: var(q·k), and var(q·k/√d).  (n,) each for n widths.
struct DotProductVariances {
  Tensor raw, scaled;
};
DotProductVariances dot_product_variances(std::span<const int64_t> widths, uint64_t seed = 1);

}  // namespace glassgrad::learn

// What a product of matrices costs.
#pragma once
#include <string_view>

#include "engine/core/types.h"

namespace glassgrad::learn {

// Is the op of this name one?
inline bool is_product(std::string_view op) { return op == "mm" || op == "bmm" || op == "addmm"; }
// The multiplications in it; in another op none. shape_of: of input k.
template <class F>
int64_t multiplications(std::string_view op, const Dims& result, F&& shape_of) {
  if (!is_product(op)) return 0;
  const Dims& left = shape_of(size_t{op == "addmm"});
  return result.numel() * left[left.n - 1];
}

}  // namespace glassgrad::learn

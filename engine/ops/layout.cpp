#include "layout.h"

#include <algorithm>

namespace glassgrad {

Dims memory_order(const Dims& shape, std::span<const Dims> strides) {
  return sorted_dims(shape.n, [&](int64_t a, int64_t b) {
    return outside_in_memory(shape, strides.data(), strides.size(), a, b);
  });
}

Dims memory_order(const Dims& shape, const Dims& strides) { return memory_order(shape, {&strides, 1}); }

bool is_dense(const Dims& shape, const Dims& strides) {
  if (is_contiguous(shape, strides)) return true;
  int64_t step = 1;
  for (int64_t d : memory_order(shape, strides)) {
    if (shape[d] == 1) continue;
    if (strides[d] != step) return false;
    step *= shape[d];
  }
  return true;
}

Dims dense_strides(const Dims& shape, const Dims& strides) {
  if (is_dense(shape, strides)) return strides;
  Dims dense = shape;
  int64_t step = 1;
  for (int64_t d : memory_order(shape, strides)) {
    dense[d] = step;
    step *= std::max<int64_t>(shape[d], 1);
  }
  return dense;
}

void check_no_overlap(const Tensor& x) {
  if (x.numel() == 0) return;
  for (int d = 0; d < x.dim(); ++d)
    check(x.strides()[d] != 0 || x.shape()[d] <= 1,
          "unsupported operation: more than one element of the written-to tensor refers to a single memory "
          "location. Please clone() the tensor before performing the operation.");
}

}  // namespace glassgrad

#include "layout.h"

#include <algorithm>
#include <utility>

namespace glassgrad {

// PyTorch's insertion sort, which leaves dimensions that cannot be compared in their order: a stride of 0
// (expanded) says nothing about the order.
Dims memory_order(const Dims& shape, std::span<const Dims> strides) {
  Dims order;
  for (int d = shape.n - 1; d >= 0; --d) order.push(d);
  auto comes_after = [&](int64_t a, int64_t b) {
    for (const Dims& s : strides) {
      if (s[a] == 0 || s[b] == 0) continue;
      if (s[a] != s[b]) return s[a] > s[b] ? 1 : -1;
      if (shape[a] > shape[b]) return 1;
    }
    return 0;
  };
  for (int i = 1; i < order.n; ++i) {
    int moving = i;
    for (int j = i - 1; j >= 0; --j) {
      const int after = comes_after(order[j], order[moving]);
      if (after < 0) break;
      if (after > 0) std::swap(order[j], order[std::exchange(moving, j)]);
    }
  }
  return order;
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

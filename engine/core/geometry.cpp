#include "geometry.h"

#include <algorithm>

#include "error.h"

namespace glassgrad {

Dims contiguous_strides(const Dims& shape) {
  Dims strides;
  strides.n = shape.n;
  int64_t step = 1;
  for (int i = shape.n - 1; i >= 0; --i) {
    strides[i] = step;
    step = unused_stride(step, std::max<int64_t>(shape[i], 1));  // unchecked sizes may be negative
  }
  return strides;
}

bool is_contiguous(const Dims& shape, const Dims& strides) {
  int64_t step = 1;
  for (int i = shape.n - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (strides[i] != step) return shape.numel() == 0;
    step *= shape[i];
  }
  return true;
}

int64_t extent(const Dims& shape, const Dims& strides) {
  if (shape.numel() == 0) return 0;
  int64_t last = 0;
  for (int i = 0; i < shape.n; ++i) last += (shape[i] - 1) * strides[i];
  return last + 1;
}

std::optional<Dims> index_of_offset(const Dims& shape, const Dims& strides, int64_t place) {
  if (shape.numel() == 0) return {};
  // Divide by the strides, the largest first. If the strides overlap, that may fail: then try every index.
  Dims index = shape, order;
  for (int d = 0; d < shape.n; ++d) order.push(d);
  std::sort(order.v, order.v + order.n, [&](int64_t a, int64_t b) { return strides[a] > strides[b]; });
  int64_t rest = place;
  for (const int64_t d : order) {
    index[d] = strides[d] ? std::clamp<int64_t>(rest / strides[d], 0, shape[d] - 1) : 0;
    rest -= index[d] * strides[d];
  }
  if (rest == 0) return index;
  if (place < 0 || place >= extent(shape, strides)) return {};
  for (int64_t i = 0, n = shape.numel(); i < n; ++i) {
    index = index_of(shape, i);
    if (offset_of_index(index, strides) == place) return index;
  }
  return {};
}

Dims index_of(const Dims& shape, int64_t i) {
  Dims index = shape;
  for (int d = shape.n - 1; d >= 0; --d) {
    index[d] = i % shape[d];
    i /= shape[d];
  }
  return index;
}

int wrap_dim(int64_t dim, int64_t n) {
  const int64_t range = n > 0 ? n : 1;
  check<IndexError>(dim >= -range && dim < range,
                    "Dimension out of range (expected to be in range of [{}, {}], but got {})", -range,
                    range - 1, dim);
  return int(dim < 0 ? dim + range : dim);
}

bool expands_to(const Dims& shape, const Dims& to) {
  const int lead = to.n - shape.n;
  bool fits = lead >= 0;
  for (int d = 0; fits && d < shape.n; ++d) fits = shape[d] == 1 || shape[d] == to[d + lead];
  return fits;
}

int64_t checked_numel(const Dims& shape, DType dtype) {
  for (int64_t size : shape)
    check(size >= 0, "Trying to create tensor with negative dimension {}: {}", size, shape);
  const int64_t n = shape.numel();
  int64_t bytes = 0;
  check(is_countable(shape) && !__builtin_mul_overflow(n, item_size(dtype), &bytes),
        "Storage size calculation overflowed with sizes={}", shape);
  return n;
}

bool is_countable(const Dims& shape) {
  int64_t n = 1;
  bool fits = true;
  for (int64_t size : shape) fits = fits && (size == 0 || !__builtin_mul_overflow(n, size, &n));
  return fits;
}

void check_countable(const Dims& shape) {
  check(is_countable(shape), "numel: integer multiplication overflow");
}

int64_t size_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  check(!__builtin_add_overflow(a, b, &sum), "numel: integer addition overflow");
  return sum;
}

int64_t size_product(int64_t a, int64_t b) {
  int64_t product = 0;
  check(!__builtin_mul_overflow(a, b, &product), "numel: integer multiplication overflow");
  return product;
}

}  // namespace glassgrad

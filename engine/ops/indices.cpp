#include "indices.h"

#include "dims.h"

namespace glassgrad {
namespace {

IndexCheckResult check_indices_on_cpu(const View& indices, int64_t low, int64_t high,
                                      const int64_t* ignored) {
  const auto* const at = indices.as<const int64_t>();
  IndexCheckResult found;
  int64_t i = 0;
  Nest(indices.shape, {indices.strides}).each([&](int64_t place) {
    const int64_t index = at[place];
    if (ignored && index == *ignored)
      ++found.ignored;
    else if (found.first_outside < 0 && (index < low || index >= high))
      found.first_outside = i;
    ++i;
  });
  return found;
}

int64_t count_nonzero_on_cpu(const View& x, const View& sums) {
  int64_t count = 0, *next = sums.as<int64_t>();
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const from = x.as<const T>();
    Nest(x.shape, {x.strides}).each([&](int64_t i) { *next++ = count += from[i] != T{}; });
  });
  return count;
}

void nonzero_on_cpu(const View& sums, const Dims& shape, const View& positions) {
  const auto* const sum = sums.as<const int64_t>();
  int64_t* to = positions.as<int64_t>();
  int64_t before = 0;
  for (int64_t i = 0, n = shape.numel(); i < n; before = sum[i++])
    if (sum[i] != before)
      for (const int64_t index : index_of(shape, i)) *to++ = index;
}

}  // namespace

// Checks int64 indices. Returns the position, in logical order, of the first that is not in [low, high), −1
// if there is none, and how many equal *ignored, if given, which are not checked. A GPU's waits; while a
// graph is captured, it does not check.
GG_KERNEL(check_indices, check_indices_on_cpu);
// sums[i] = how many of x's first i + 1 elements, in logical order, are not 0; returns the total. A GPU's
// waits. Then nonzero sets row k of positions (count, dims) to the index of the k-th such element.
GG_KERNEL(count_nonzero, count_nonzero_on_cpu);
GG_KERNEL(nonzero, nonzero_on_cpu);

IndexCheckResult checked_indices(const Tensor& indices, int64_t low, int64_t high,
                                 std::optional<int64_t> ignored) {
  if (indices.numel() == 0) return {};
  return check_indices_on(indices.device())(indices.raw(), low, high, ignored ? &*ignored : nullptr);
}

int64_t index_at(const Tensor& indices, int64_t i) {
  return part(indices, Nest(indices.shape(), {indices.strides()}).at(i)[0], {}, {}).item<int64_t>();
}

Tensor positions_of_nonzero(const Tensor& x) {
  const Tensor sums = empty_strided(x.numel(), 1, int64, x.device());
  const int64_t count = count_nonzero_on(x.device())(WidenedInput(x), sums.raw());
  const Dims shape{count, x.dim()};
  const Tensor y = empty_contiguous(shape, int64, x.device());
  nonzero_on(x.device())(sums.raw(), x.shape(), y.raw());
  return y;
}

}  // namespace glassgrad

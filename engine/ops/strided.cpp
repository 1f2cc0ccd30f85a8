// Regions of a storage by strides: as_strided, and moving gradients into and out of such regions.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "dims.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {
namespace {

// Returns false only if it can prove that every element has its own address.
bool may_overlap(const Dims& shape, const Dims& strides) {
  int64_t reach = 0;  // the extent of the dimensions so far, from the innermost
  for (int64_t d : memory_order(shape, strides)) {
    if (shape[d] < 2) continue;
    if (strides[d] <= reach) return true;
    reach += (shape[d] - 1) * strides[d];
  }
  return false;
}

void add_strided_on_cpu(const View& v, const Dims& strides, const View& y) {
  every_type(v.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* const to = y.as<T>();
    const T* const from = v.as<const T>();
    Nest(v.shape, {strides, v.strides}).each([=](int64_t i, int64_t j) { to[i] = T(to[i] + from[j]); });
  });
}

// Returns the extent of a region whose shape and strides come from the caller. Throws if it overflows.
int64_t checked_extent(const Dims& shape, const Dims& strides) {
  int64_t reach = 0, span = 0;
  bool fits = true;
  for (int i = 0; i < shape.n; ++i)
    fits = fits && !__builtin_mul_overflow(std::max<int64_t>(shape[i] - 1, 0), strides[i], &span) &&
           !__builtin_add_overflow(reach, span, &reach);
  check(fits && reach < INT64_MAX, "Storage size calculation overflowed with sizes={} and strides={}", shape,
        strides);
  return shape.numel() == 0 ? 0 : reach + 1;
}

struct Scattered {
  Dims shape, strides;
  int64_t offset;
  Dims from;
  static constexpr AttrNames kNames{"shape", "stride", "storage_offset"};
};

Expr why_scattered(const Cell& c) {
  const auto& a = c.attr<Scattered>();
  const int64_t place = c.flat() - a.offset;
  if (!may_overlap(a.from, a.strides)) {
    const std::optional<Dims> at = index_of_offset(a.from, a.strides, place);
    return at ? c.in(0, *at) : Expr(0.0);
  }
  std::vector<Expr> terms;
  for (int64_t i = 0; i < c.input(0).numel(); ++i) {
    const Dims at = index_of(a.from, i);
    if (offset_of_index(at, a.strides) == place) terms.push_back(c.in(0, at));
  }
  return sum(std::move(terms));
}
Expr why_zeroed(const Cell& c) {
  const auto& a = c.attr<Scattered>();
  return index_of_offset(a.shape, a.strides, c.flat() - a.offset) ? Expr(0.0) : c.in(0);
}

constexpr Op as_strided_op{"as_strided", "AsStridedBackward0", "x's storage at offset + Σ index·stride",
                           why_same_memory};
constexpr Op scatter_op{"as_strided_scatter", "AsStridedScatterBackward0",
                        "Σ of v's elements that lie here, else 0", why_scattered};
constexpr Op zero_op{"as_strided_zero", "AsStridedScatterBackward0", "0 inside the region, x outside",
                     why_zeroed};

}  // namespace

// y[Σ index·stride] += v[index] for all indices, in order; y's data begins where the region does.
GG_KERNEL(add_strided, add_strided_on_cpu);

// Adds g into a buffer that covers both base and region (the region may reach beyond the base), then reads
// the base's part of it.
Tensor region_grad(const Tensor& g, const StridedRegion& r) {
  const int64_t before = std::max<int64_t>(-r.offset, 0);
  const int64_t size =
      before + std::max(extent(r.base_shape, r.base_strides), r.offset + extent(r.shape, r.strides));
  if (size == r.base_shape.numel() && is_contiguous(r.base_shape, r.base_strides))
    return as_strided_scatter(g, r.base_shape, r.strides, r.offset);
  Tensor storage = as_strided_scatter(g, size, r.strides, before + r.offset);
  if (may_overlap(r.base_shape, r.base_strides)) {  // shares a gradient equally
    const Tensor count =
        as_strided_scatter(ones(r.base_shape, g.dtype(), g.device()), size, r.base_strides, before);
    storage = div(storage, clamp(count, 1.0));
  }
  return storage.as_strided(r.base_shape, r.base_strides, before);
}

Tensor Tensor::as_strided(const Dims& shape, const Dims& strides, int64_t offset) const {
  check(shape.n == strides.n, "mismatch in length of strides and shape");
  for (int64_t size : shape)
    check(size >= 0, "Trying to create tensor with negative dimension {}: {}", size, shape);
  check_countable(shape);
  for (int64_t stride : strides)
    check(stride >= 0, "as_strided: Negative strides are not supported at the moment, got strides: {}",
          strides);
  const auto first = int64_t(uint64_t(p_->offset) + uint64_t(offset)), item = item_size(dtype());
  check(first >= 0, "Tensor: invalid storage offset {}", first);
  const int64_t elements = checked_extent(shape, strides);
  const auto held = int64_t(p_->storage->bytes);
  check(elements == 0 || elements <= held / item - first,
        "setStorage: sizes {}, strides {}, storage offset {}, and itemsize {} requiring a storage size of "
        "{} are out of bounds for storage of size {}",
        shape, strides, first, item, (uint64_t(first) + uint64_t(elements)) * uint64_t(item), held);
  const StridedRegion region{p_->shape, p_->strides, shape, strides, offset};
  return record(as_strided_op, as_view(*this, shape, strides, first), {this}, {}, region,
                [](BackwardContext& d, const StridedRegion& r) { d[0] = region_grad(d.g, r); });
}

Tensor as_strided_scatter(const Tensor& v, const Dims& shape, const Dims& strides, int64_t offset) {
  const Tensor y = empty(shape, v.dtype(), v.device());
  check(offset >= 0 && (v.numel() == 0 || offset + extent(v.shape(), strides) <= y.numel()),
        "as_strided_scatter: {} at strides {} does not fit into {}", v.shape(), strides, shape);
  assign(y, 0);
  const Tensor region = part(y, offset, v.shape(), strides);
  if (may_overlap(v.shape(), strides))
    add_strided_on(v.device())(v.raw(), strides, region.raw());
  else  // unlike an addition, keeps −0
    assign(region, v);
  return record(scatter_op, y, {&v}, {}, Scattered{shape, strides, offset, v.shape()},
                [](BackwardContext& d, const Scattered& a) {
                  d[0] = d.g.contiguous().as_strided(a.from, a.strides, a.offset);
                });
}

Tensor as_strided_zero(const Tensor& x, const Dims& shape, const Dims& strides, int64_t offset) {
  Tensor y = empty(x.shape(), x.dtype(), x.device());
  check(offset >= 0 && (shape.numel() == 0 || offset + extent(shape, strides) <= y.numel()),
        "as_strided_zero: {} at strides {} does not fit into {}", shape, strides, x.shape());
  assign(y, x);
  assign(part(y, offset, shape, strides), 0);
  return record(zero_op, y, {&x}, {}, Scattered{shape, strides, offset, {}},
                [](BackwardContext& d, const Scattered& a) {
                  d[0] = as_strided_zero(d.g, a.shape, a.strides, a.offset);
                });
}

}  // namespace glassgrad

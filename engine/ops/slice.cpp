// Views of a region: select, slice, narrow, diagonal.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "dims.h"

namespace glassgrad {
namespace {

constexpr Op select_op{"select", "SelectBackward0", "x[…, index, …]", why_same_memory};
constexpr Op slice_op{"slice", "SliceBackward0", "x[…, start + i·step, …]", why_same_memory};
constexpr Op diagonal_op{"diagonal", "DiagonalBackward0", "x[…, i, …, i + offset, …]", why_same_memory};

// The region of a tensor that an op selects. of(strides) computes it for any strides, so that the backward
// can place a contiguous gradient in a contiguous tensor.
struct Region {
  Dims shape, strides;
  int64_t offset = 0;
};

struct Selected {
  int64_t dim, index;
  Dims from;
  static constexpr AttrNames kNames{"dim", "index"};
  Region of(const Dims& strides) const {
    return {without(from, int(dim)), without(strides, int(dim)), index * strides[dim]};
  }
};

struct Sliced {
  int64_t dim, start, end, step;
  Dims from;
  static constexpr AttrNames kNames{"dim", "start", "end", "step"};
  Region of(const Dims& strides) const {
    const int64_t length = start < end ? (end - start - 1) / step + 1 : 0;
    return {with(from, int(dim), length), with(strides, int(dim), unused_stride(strides[dim], step)),
            start * strides[dim]};
  }
};

struct Diagonal {
  int64_t offset, dim1, dim2;
  Dims from;
  static constexpr AttrNames kNames{"offset", "dim1", "dim2"};
  Region of(const Dims& strides) const {
    const int64_t down = std::max<int64_t>(-std::max(offset, -INT64_MAX), 0);
    const int64_t right = std::max<int64_t>(offset, 0);
    const int64_t length = std::max<int64_t>(std::min(from[dim1] - down, from[dim2] - right), 0);
    const int first = int(std::min(dim1, dim2)), second = int(std::max(dim1, dim2));
    Region r{without(without(from, second), first), without(without(strides, second), first)};
    r.shape.push(length);
    r.strides.push(strides[dim1] + strides[dim2]);
    if (length) r.offset = down * strides[dim1] + right * strides[dim2];
    return r;
  }
};

// If the gradient g of a slice lies in memory that already has the layout of the whole tensor and that
// nothing else holds, zeros the rest of that memory and returns it as the whole's gradient, so that nothing
// is moved. This happens when the loss writes the gradient over the logits. Otherwise returns undefined.
template <class A>
Tensor grown_in_place(const Tensor&, const A&) {
  return {};
}
template <>
Tensor grown_in_place(const Tensor& g, const Sliced& a) {
  const Dims strides = contiguous_strides(a.from);
  const Region r = a.of(strides);
  const int64_t first = g->offset - r.offset, bytes = (first + a.from.numel()) * item_size(g.dtype());
  if (grad_mode || watching || a.step != 1 || !(g.strides() == r.strides) || first < 0 ||
      !g.ref()->unique() || !g->storage->unique() || g->storage->owner || size_t(bytes) > g->storage->bytes)
    return {};
  const Tensor whole = part(g, -r.offset, a.from, strides);
  const NoRecording no_recording;
  if (a.start > 0) zero_(whole.slice(a.dim, 0, a.start));
  if (a.end < a.from[a.dim]) zero_(whole.slice(a.dim, a.end, {}));
  return whole;
}

template <class A>
Tensor region(const Op& op, const Tensor& x, const A& a) {
  const Region r = a.of(x.strides());
  return record(op, as_view(x, r.shape, r.strides, x->offset + r.offset), {&x}, {}, a,
                [](BackwardContext& d, const A& at) {
                  if ((d[0] = grown_in_place(d.g, at))) return;
                  const Region to = at.of(contiguous_strides(at.from));
                  d[0] = as_strided_scatter(d.g, at.from, to.strides, to.offset);
                });
}

}  // namespace

Tensor Tensor::select(int64_t dim, int64_t index) const {
  check<IndexError>(
      this->dim() > 0,
      "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
      "convert a 0-dim tensor to a number");
  const int at = wrap_dim(dim, this->dim());
  const int64_t size = p_->shape[at];
  check<IndexError>(index >= -size && index < size, "index {} is out of bounds for dimension {} with size {}",
                    index, at, size);
  return region(select_op, *this, Selected{at, index < 0 ? index + size : index, shape()});
}

Tensor Tensor::slice(int64_t dim, std::optional<int64_t> start, std::optional<int64_t> stop,
                     int64_t step) const {
  check<IndexError>(this->dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  const int at = wrap_dim(dim, this->dim());
  check<ValueError>(step > 0, "step must be greater than zero");
  const int64_t size = p_->shape[at];
  auto within = [size](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  const int64_t first = within(start.value_or(0)), end = std::max(within(stop.value_or(size)), first);
  return region(slice_op, *this, Sliced{at, first, end, step, shape()});
}

Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
  check(this->dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  check(length >= 0, "narrow(): length must be non-negative.");
  const int64_t whole = size(dim);
  check<IndexError>(start >= -whole && start <= whole,
                    "start out of range (expected to be in range of [{}, {}], but got {})", -whole, whole,
                    start);
  const int64_t first = start < 0 ? start + whole : start;
  check(first <= whole - length, "start ({}) + length ({}) exceeds dimension size ({}).", first, length,
        whole);
  return slice(dim, first, first + length);
}

Tensor Tensor::diagonal(int64_t offset, int64_t dim1, int64_t dim2) const {
  const int a = wrap_dim(dim1, dim()), b = wrap_dim(dim2, dim());
  check(a != b, "diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  return region(diagonal_op, *this, Diagonal{offset, a, b, shape()});
}

}  // namespace glassgrad

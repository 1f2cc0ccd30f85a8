// Views: other shapes and strides on the same storage. Ops that return several views: multi_view.cpp.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "dims.h"

namespace glassgrad {
namespace {

constexpr Op t_op{"t", "TBackward0", "x[j,i]", why_same_memory};
constexpr Op transpose_op{"transpose", "TransposeBackward0", "x[…] with dim0 and dim1 exchanged",
                          why_same_memory};
constexpr Op permute_op{"permute", "PermuteBackward0", "x[…] with its dimensions reordered", why_same_memory};
constexpr Op view_op{"view", "ViewBackward0", "x at the same position in logical order", why_same_memory};
constexpr Op unsafe_view_op{"_unsafe_view", "UnsafeViewBackward0", "x at the same position in logical order",
                            why_same_memory};
constexpr Op alias_op{"alias", "AliasBackward0", "x[…]", why_same_memory};
constexpr Op unsqueeze_op{"unsqueeze", "UnsqueezeBackward0", "x[…]", why_same_memory};
constexpr Op squeeze_op{"squeeze", "SqueezeBackward0", "x[…]", why_same_memory};
constexpr Op squeeze_dim_op{"squeeze", "SqueezeBackward1", "x[…]", why_same_memory};
constexpr Op expand_op{"expand", "ExpandBackward0", "x[…], index 0 along the stretched dimensions",
                       why_same_memory};

// ---- dimensions reordered
struct Transposed {
  int64_t dim0, dim1;
  static constexpr AttrNames kNames{"dim0", "dim1"};
};

struct Permuted {
  Dims dims;
  static constexpr AttrNames kNames{"dims"};
};

Tensor exchanged(const Tensor& x, int64_t dim0, int64_t dim1) {
  Dims shape = x.shape(), strides = x.strides();
  std::swap(shape[dim0], shape[dim1]);
  std::swap(strides[dim0], strides[dim1]);
  return as_view(x, shape, strides, x->offset);
}

// ---- the same elements in the same order under another shape
struct Reshaped {
  Dims size, from;
  static constexpr AttrNames kNames{"size"};
};

constexpr auto reshape_back = [](BackwardContext& d, const auto& a) { d[0] = d.g.reshape(a.from); };

// The shape with its -1, if any, computed.
Dims inferred(const Dims& shape, const Tensor& x) {
  Dims known = shape;
  int open = -1;
  for (int i = 0; i < shape.n; ++i) {
    if (shape[i] >= 0) continue;
    check(shape[i] == -1, "invalid shape dimension {}", shape[i]);
    check(open < 0, "only one dimension can be inferred");
    known[open = i] = 1;
  }
  // If the product of the sizes overflows, no tensor fits; -1 beside a 0 is ambiguous.
  const bool countable = is_countable(known);
  const int64_t numel = x.numel(), rest = known.numel();
  if (open >= 0) {
    check(rest != 0 || numel != 0,
          "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 can "
          "be any value and is ambiguous",
          shape);
    known[open] = rest ? numel / rest : 0;
  }
  check(countable && is_countable(known) && known.numel() == numel,
        "shape '{}' is invalid for input of size {}", shape, numel);
  return known;
}

// Returns strides under which x's elements have this shape without a copy, if there are any. Dimensions of x
// that follow each other in memory without a gap form a block; each block must be covered by whole dimensions
// of the new shape.
std::optional<Dims> strides_as(const Tensor& x, const Dims& shape) {
  const Dims &from = x.shape(), &steps = x.strides();
  if (x.numel() == 0) return from == shape ? steps : contiguous_strides(shape);
  Dims strides;
  strides.n = shape.n;
  int to = shape.n - 1;
  int64_t base = 1, block = 1;  // base: stride of the block's last dimension; block: its number of elements
  for (int d = from.n - 1; d >= 0; --d) {
    if (block == 1) base = steps[d];
    block *= from[d];
    const bool goes_on = d > 0 && (from[d - 1] == 1 || steps[d - 1] == block * base);
    if (goes_on) continue;
    int64_t covered = 1;
    for (; to >= 0 && (covered < block || shape[to] == 1); --to) {
      strides[to] = covered * base;
      covered *= shape[to];
    }
    if (covered != block) return {};
    block = 1;
  }
  for (; to >= 0; --to) strides[to] = 1;
  return strides;
}

Tensor viewed(const Tensor& x, const Dims& shape, const Dims& strides) {
  return record(view_op, as_view(x, shape, strides, x->offset), {&x}, {}, Reshaped{shape, x.shape()},
                reshape_back);
}

}  // namespace

Tensor Tensor::t() const {
  check(dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is {}D", dim());
  const Tensor y = dim() < 2 ? as_view(*this, shape(), strides(), p_->offset) : exchanged(*this, 0, 1);
  return record(t_op, y, {this}, {}, NoAttr{}, [](BackwardContext& d, NoAttr) { d[0] = d.g.t(); });
}

Tensor Tensor::T() const {
  Dims order;
  for (int64_t i = dim() - 1; i >= 0; --i) order.push(i);
  return permute(order);
}

Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  const Transposed a{wrap_dim(dim0, dim()), wrap_dim(dim1, dim())};
  return record(transpose_op, exchanged(*this, a.dim0, a.dim1), {this}, {}, a,
                [](BackwardContext& d, const Transposed& at) { d[0] = d.g.transpose(at.dim0, at.dim1); });
}

Tensor Tensor::permute(const Dims& order) const {
  check(order.n == dim(),
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
        "desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
        dim(), order.n);
  Dims shape, strides;
  Permuted a;
  for (int64_t i : order) {
    const int d = wrap_dim(i, dim());
    check(std::find(a.dims.begin(), a.dims.end(), d) == a.dims.end(),
          "permute(): duplicate dims are not allowed.");
    a.dims.push(d);
    shape.push(p_->shape[d]);
    strides.push(p_->strides[d]);
  }
  return record(permute_op, as_view(*this, shape, strides, p_->offset), {this}, {}, a,
                [](BackwardContext& d, const Permuted& at) {
                  Dims inverse = at.dims;
                  for (int i = 0; i < at.dims.n; ++i) inverse[at.dims[i]] = i;
                  d[0] = d.g.permute(inverse);
                });
}

Tensor Tensor::view(const Dims& shape) const {
  const Dims to = inferred(shape, *this);
  const std::optional<Dims> strides = strides_as(*this, to);
  check(strides.has_value(),
        "view size is not compatible with input tensor's size and stride (at least one dimension spans "
        "across two contiguous subspaces). Use .reshape(...) instead.");
  return viewed(*this, to, *strides);
}

Tensor Tensor::reshape(const Dims& shape) const {
  const Dims to = inferred(shape, *this);
  if (const std::optional<Dims> strides = strides_as(*this, to)) return viewed(*this, to, *strides);
  const Scope scope("reshape");
  return unsafe_view(contiguous(), to);
}

Tensor unsafe_view(const Tensor& x, const Dims& shape) {
  Tensor y = shallow_copy(x);
  y->shape = inferred(shape, x);
  y->strides = contiguous_strides(y.shape());
  return record(unsafe_view_op, y, {&x}, {}, Reshaped{y.shape(), x.shape()}, reshape_back);
}

Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const {
  const int start = wrap_dim(start_dim, dim()), end = wrap_dim(end_dim, dim());
  check(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (dim() > 0 && start == end) return *this;
  Dims shape;
  for (int d = 0; d < start; ++d) shape.push(p_->shape[d]);
  shape.push(1);
  for (int d = start; d <= end && d < dim(); ++d) shape[start] *= p_->shape[d];
  for (int d = end + 1; d < dim(); ++d) shape.push(p_->shape[d]);
  return reshape(shape);
}

Tensor Tensor::unflatten(int64_t dim, const Dims& sizes) const {
  const int at = wrap_dim(dim, this->dim());
  const int64_t whole = size(at);
  check(sizes.n > 0, "unflatten: sizes must be non-empty");
  Dims parts = sizes;
  int64_t* const open = std::find(parts.v, parts.v + parts.n, -1);
  if (open != parts.end()) {
    *open = 1;
    *open = parts.numel() ? whole / parts.numel() : 0;
  }
  check(is_countable(parts) && parts.numel() == whole,
        "unflatten: Provided sizes {} don't multiply up to the size of dim {} ({}) in the input tensor",
        sizes, at, whole);
  Dims shape;
  for (int d = 0; d < at; ++d) shape.push(p_->shape[d]);
  for (int64_t part : parts) shape.push(part);
  for (int d = at + 1; d < this->dim(); ++d) shape.push(p_->shape[d]);
  return view(shape);
}

Tensor Tensor::alias() const {
  return record(alias_op, as_view(*this, shape(), strides(), p_->offset), {this}, {}, NoAttr{},
                [](BackwardContext& d, NoAttr) { d[0] = d.g; });
}

Tensor Tensor::unsqueeze(int64_t dim) const {
  const int at = wrap_dim(dim, this->dim() + 1);
  const int64_t stride = at < this->dim() ? unused_stride(p_->shape[at], p_->strides[at]) : 1;
  const Tensor y = as_view(*this, inserted(shape(), at, 1), inserted(strides(), at, stride), p_->offset);
  return record(unsqueeze_op, y, {this}, {}, DimAttr{at, shape()}, reshape_back);
}

Tensor Tensor::squeeze() const {
  Dims shape, strides;
  for (int d = 0; d < dim(); ++d) {
    if (p_->shape[d] == 1) continue;
    shape.push(p_->shape[d]);
    strides.push(p_->strides[d]);
  }
  return record(squeeze_op, as_view(*this, shape, strides, p_->offset), {this}, {},
                Reshaped{shape, p_->shape}, reshape_back);
}

Tensor Tensor::squeeze(int64_t dim) const {
  const int at = wrap_dim(dim, this->dim());
  const bool goes = this->dim() > 0 && p_->shape[at] == 1;
  const Tensor y = as_view(*this, goes ? without(shape(), at) : shape(),
                           goes ? without(strides(), at) : strides(), p_->offset);
  return record(squeeze_dim_op, y, {this}, {}, DimAttr{at, shape()}, reshape_back);
}

Tensor Tensor::expand(const Dims& shape) const {
  const int64_t lead = shape.n - dim();
  check(lead >= 0,
        "expand(torch.{}Tensor{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal "
        "to the number of dimensions in the tensor ({})",
        scalar_type_name(dtype()), this->shape(), shape, shape.n, dim());
  Dims to = shape, strides = shape;
  for (int64_t d = shape.n - 1; d >= 0; --d) {
    const int64_t size = d < lead ? 1 : p_->shape[d - lead];
    check(d >= lead || shape[d] != -1,
          "The expanded size of the tensor ({}) isn't allowed in a leading, non-existing dimension {}",
          shape[d], d);
    if (shape[d] == -1) to[d] = size;
    check(to[d] == size || (size == 1 && to[d] >= 0),
          "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton "
          "dimension {}.  Target sizes: {}.  Tensor sizes: {}",
          shape[d], size, d, shape, this->shape());
    const int64_t kept = d >= lead         ? p_->strides[d - lead]
                         : d + 1 < shape.n ? unused_stride(to[d + 1], strides[d + 1])
                                           : 1;
    strides[d] = to[d] == size ? kept : 0;
  }
  check_countable(to);
  // The engine sums the gradient over expanded dimensions.
  return record(expand_op, as_view(*this, to, strides, p_->offset), {this}, {}, Reshaped{to, p_->shape},
                [](BackwardContext& d, const Reshaped&) { d[0] = d.g; });
}

}  // namespace glassgrad

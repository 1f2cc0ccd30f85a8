// Joins tensors, and rearranges the elements of one into a new tensor.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "dims.h"
#include "promote.h"

namespace glassgrad {
namespace {

struct OnDiagonal {
  int64_t diagonal;
  static constexpr AttrNames kNames{"diagonal"};
};
struct Flipped {
  Dims dims;
  static constexpr AttrNames kNames{"dims"};
};
struct Rolled {
  Dims shifts, dims;
  static constexpr AttrNames kNames{"shifts", "dims"};
};
struct Repeated {
  Dims repeats, from;
  static constexpr AttrNames kNames{"repeats"};
};

// PyTorch accepts a tensor of shape (0) among tensors of any rank, for old programs. cat skips it.
bool is_nothing(const Tensor& x) { return x.shape() == Dims{0}; }

// ---- where a cell comes from
Expr why_cat(const Cell& c) {
  const auto dim = c.attr<DimAttr>().dim;
  Dims place = c.index;
  for (size_t k = 0;; ++k) {
    if (is_nothing(c.input(k))) continue;
    const int64_t size = c.input(k).shape()[dim];
    if (place[dim] < size) return c.in(k, place);
    place[dim] -= size;
  }
}
Expr why_stack(const Cell& c) {
  const auto dim = c.attr<DimAttr>().dim;
  return c.in(size_t(c.index[dim]), without(c.index, int(dim)));
}
template <bool lower>
Expr why_triangle(const Cell& c) {
  const Expr row = number(c.index[c.index.n - 2]), column = number(c.index[c.index.n - 1]);
  const Expr edge = row + number(c.attr<OnDiagonal>().diagonal);
  return where(lower ? column <= edge : column >= edge, c.in(0), Expr(0.0));
}
Expr why_flip(const Cell& c) {
  Dims place = c.index;
  for (const int64_t dim : c.attr<Flipped>().dims) {
    if (place.n == 0) break;
    const int d = wrap_dim(dim, place.n);
    place[d] = c.result().shape()[d] - 1 - place[d];
  }
  return c.in(0, place);
}
Expr why_roll(const Cell& c) {
  const auto& a = c.attr<Rolled>();
  const Dims& shape = c.result().shape();
  const auto before = [](int64_t i, int64_t shift, int64_t size) {
    return ((i - shift % size) % size + size) % size;
  };
  if (a.dims.n == 0) return c.in(0, index_of(shape, before(c.flat(), a.shifts[0], shape.numel())));
  Dims place = c.index;
  for (int k = 0; k < a.dims.n; ++k) {
    const int d = wrap_dim(a.dims[k], shape.n);
    place[d] = before(place[d], a.shifts[k], shape[d]);
  }
  return c.in(0, place);
}
Expr why_repeat(const Cell& c) {
  Dims place = c.attr<Repeated>().from;
  const int lead = c.index.n - place.n;
  for (int d = 0; d < place.n; ++d) place[d] = c.index[d + lead] % place[d];
  return c.in(0, place);
}

constexpr Op cat_op{"cat", "CatBackward0", "tensors[k][…, i − sizes before k, …]", why_cat};
constexpr Op stack_op{"stack", "StackBackward0", "tensors[k][…]", why_stack};
constexpr Op tril_op{"tril", "TrilBackward0", "j ≤ i + diagonal ? x[…,i,j] : 0", why_triangle<true>};
constexpr Op triu_op{"triu", "TriuBackward0", "j ≥ i + diagonal ? x[…,i,j] : 0", why_triangle<false>};
constexpr Op flip_op{"flip", "FlipBackward0", "x[…, size − 1 − i, …]", why_flip};
constexpr Op roll_op{"roll", "RollBackward0", "x[…, (i − shift) mod size, …]", why_roll};
constexpr Op repeat_op{"repeat", "RepeatBackward0", "x[…, i mod size, …]", why_repeat};

std::vector<const Tensor*> pointers(const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> all;
  all.reserve(tensors.size());
  for (const Tensor& t : tensors) all.push_back(&t);
  return all;
}

DType widest(const std::vector<Tensor>& tensors) {
  DType dtype = boolean;
  for (const Tensor& t : tensors) dtype = promoted(dtype, t.dtype());
  return dtype;
}

// ---- cat
// The shape of the result. A negative dim becomes the same dimension counted from 0.
Dims joined_shape(const std::vector<Tensor>& tensors, int64_t& dim) {
  check(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  for (size_t k = 0; k < tensors.size(); ++k)
    check(tensors[k].dim() > 0, "zero-dimensional tensor (at position {}) cannot be concatenated", k);
  const auto first = std::find_if_not(tensors.begin(), tensors.end(), is_nothing);
  if (first == tensors.end()) {
    dim = 0;
    return {0};
  }
  dim = wrap_dim(dim, first->dim());
  Dims shape = with(first->shape(), int(dim), 0);
  for (size_t k = 0; k < tensors.size(); ++k) {
    const Tensor& x = tensors[k];
    if (is_nothing(x)) continue;
    check(x.dim() == shape.n, "Tensors must have same number of dimensions: got {} and {}", shape.n, x.dim());
    for (int d = 0; d < shape.n; ++d)
      check(d == dim || x.shape()[d] == shape[d],
            "Sizes of tensors must match except in dimension {}. Expected size {} but got size {} for "
            "tensor number {} in the list.",
            dim, shape[d], x.shape()[d], k);
    shape[dim] = size_sum(shape[dim], x.shape()[dim]);
  }
  return shape;
}

// The backward needs dim and every input's size along it (−1 for an input that cat skips). The number of
// inputs varies, so the node's attributes are a list of numbers instead of a struct.
Ref<Node> cat_node(const Tensor& y, Inputs in, int64_t dim) {
  Ref<Node> n = new_node(cat_op, {&y, 1}, in, {}, (1 + in.size()) * sizeof(int64_t));
  auto* numbers = static_cast<int64_t*>(n->attr);
  *numbers++ = dim;
  for (const Tensor* x : in) *numbers++ = is_nothing(*x) ? -1 : x->shape()[dim];
  n->run = [](Node& self, BackwardContext& d) {
    const auto* sizes = static_cast<const int64_t*>(self.attr) + 1;
    const int64_t along = sizes[-1];
    int64_t start = 0;
    for (int i = 0; i < self.n_edges; ++i) {
      const bool nothing = sizes[i] < 0;
      if (d.needs(i))
        d[i] = nothing ? zeros({0}, d.g.dtype(), d.g.device()) : d.g.narrow(along, start, sizes[i]);
      if (!nothing) start += sizes[i];
    }
  };
  return n;
}

// ---- roll
// to[…, (i + shift) mod size, …] = from[…, i, …]
void roll_into(const Tensor& to, const Tensor& from, int dim, int64_t shift) {
  const int64_t size = to.shape()[dim];
  if (size == 0) return;
  const int64_t places = (shift % size + size) % size;
  const Dims front = with(to.shape(), dim, size - places), back = with(to.shape(), dim, places);
  const Dims &step = to.strides(), &from_step = from.strides();
  assign(part(to, places * step[dim], front, step), part(from, 0, front, from_step));
  assign(part(to, 0, back, step), part(from, (size - places) * from_step[dim], back, from_step));
}

Tensor contiguous_copy(const Tensor& x) {
  Tensor y = empty(x.shape(), x.dtype(), x.device());
  assign(y, x);
  return y;
}

void triangle_on_cpu(const View& x, const View& y, int64_t diagonal, bool lower) {
  Dims column_minus_row = x.shape;
  for (int64_t& step : column_minus_row.v) step = 0;
  column_minus_row[x.shape.n - 2] = -1;
  column_minus_row[x.shape.n - 1] = 1;
  by_size(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* const to = y.as<T>();
    const T* const from = x.as<const T>();
    Nest(x.shape, {y.strides, x.strides, column_minus_row}).each([=](int64_t i, int64_t j, int64_t distance) {
      to[i] = (lower ? distance <= diagonal : distance >= diagonal) ? from[j] : T{};
    });
  });
}

}  // namespace
// y[…, i, j] = x[…, i, j] where j − i is at most (lower) or at least `diagonal`, else 0; y contiguous.
GG_KERNEL(triangle, triangle_on_cpu);
namespace {

Tensor triangle(const Op& op, const Tensor& x, int64_t diagonal) {
  check(x.dim() >= 2, "{}: input tensor must have at least 2 dimensions", op.name);
  const Tensor y = empty(x.shape(), x.dtype(), x.device());
  triangle_on(x.device())(x.raw(), y.raw(), diagonal, &op == &tril_op);
  return y;
}

// ---- repeat
// Fills y with copies of x: `repeats` along each dimension. block: x's shape with ones in front.
void copy_blocks(const Tensor& y, const Tensor& x, const Dims& block, const Dims& repeats) {
  const int lead = block.n - int(x.dim());
  Dims inner, steps = y.strides();  // inner: strides within a block of the result; steps: from block to block
  for (int d = lead; d < block.n; ++d) inner.push(y.strides()[d]);
  for (int d = 0; d < block.n; ++d) steps[d] *= block[d];
  int dims = 0;
  for (int d = 0; d < block.n; ++d) dims += (repeats[d] != 1) + (block[d] != 1);
  if (dims > kMaxDims)
    return Nest(repeats, {steps}).each([&](int64_t start) { assign(part(y, start, x.shape(), inner), x); });
  Dims shape, to, from;  // one loop over all copies
  const auto add = [&](int64_t size, int64_t to_step, int64_t from_step) {
    if (size != 1) shape.push(size), to.push(to_step), from.push(from_step);
  };
  for (int d = 0; d < block.n; ++d) {
    add(repeats[d], steps[d], 0);
    add(block[d], y.strides()[d], d < lead ? 0 : x.strides()[d - lead]);
  }
  assign(part(y, 0, shape, to), part(x, 0, shape, from));
}

}  // namespace

Tensor cat(const std::vector<Tensor>& tensors, int64_t dim) {
  int64_t along = dim;
  const Dims shape = joined_shape(tensors, along);
  for (const Tensor& x : tensors) check_same_device(tensors[0].device(), x);
  Tensor y = empty(shape, widest(tensors), tensors[0].device());
  int64_t start = 0;
  for (const Tensor& x : tensors) {
    if (is_nothing(x)) continue;
    assign(part(y, start * y.strides()[along], x.shape(), y.strides()), x);
    start += x.shape()[along];
  }
  const std::vector<const Tensor*> in = pointers(tensors);
  if (any_needs_grad(in)) attach(y, cat_node(y, in, along));
  return record(cat_op, y, in, DimAttr{along});
}

Tensor stack(const std::vector<Tensor>& tensors, int64_t dim) {
  check(!tensors.empty(), "stack expects a non-empty TensorList");
  const Dims& each = tensors[0].shape();
  const int along = wrap_dim(dim, each.n + 1);
  for (size_t k = 0; k < tensors.size(); ++k)
    check(tensors[k].shape() == each,
          "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}", each,
          tensors[k].shape(), k);
  for (const Tensor& x : tensors) check_same_device(tensors[0].device(), x);
  Tensor y = empty(inserted(each, along, int64_t(tensors.size())), widest(tensors), tensors[0].device());
  const Dims strides = without(y.strides(), along);
  for (size_t k = 0; k < tensors.size(); ++k)
    assign(part(y, int64_t(k) * y.strides()[along], each, strides), tensors[k]);
  return record(stack_op, y, pointers(tensors), {}, DimAttr{along}, [](BackwardContext& d, const DimAttr& a) {
    for (int i = 0; i < d.node.n_edges; ++i)
      if (d.needs(i)) d[i] = d.g.select(a.dim, i);
  });
}

Tensor tril(const Tensor& x, int64_t diagonal) {
  return record(tril_op, triangle(tril_op, x, diagonal), {&x}, {}, OnDiagonal{diagonal},
                [](BackwardContext& d, const OnDiagonal& a) { d[0] = tril(d.g, a.diagonal); });
}

Tensor triu(const Tensor& x, int64_t diagonal) {
  return record(triu_op, triangle(triu_op, x, diagonal), {&x}, {}, OnDiagonal{diagonal},
                [](BackwardContext& d, const OnDiagonal& a) { d[0] = triu(d.g, a.diagonal); });
}

Tensor flip(const Tensor& x, const Dims& dims) {
  Tensor y = empty_like(x);
  Dims reversed = x.strides();
  int64_t last = 0;
  bool seen[kMaxDims] = {};
  for (int64_t entry : dims) {
    const int d = wrap_dim(entry, x.dim());
    check(!std::exchange(seen[d], true), "dim {} appears multiple times in the list of dims", d);
    if (x.dim() == 0) continue;
    last += (x.shape()[d] - 1) * x.strides()[d];
    reversed[d] = -x.strides()[d];
  }
  if (x.numel() > 0) assign(y, part(x, last, x.shape(), reversed));
  return record(flip_op, y, {&x}, {}, Flipped{dims},
                [](BackwardContext& d, const Flipped& a) { d[0] = flip(d.g, a.dims); });
}

Tensor roll(const Tensor& x, const Dims& shifts, const Dims& dims) {
  check(shifts.n > 0, "`shifts` required");
  for (const int64_t shift : shifts) check(shift != INT64_MIN, "roll: a shift of {} has no opposite", shift);
  const bool flattened = dims.n == 0 && shifts.n == 1;
  check(flattened || shifts.n == dims.n, "shifts and dimensions must align. shifts: {}, dims:{}", shifts.n,
        dims.n);
  check<IndexError>(flattened || x.dim() > 0, "Dimension specified as {} but tensor has no dimensions",
                    dims[0]);
  Tensor y = flattened ? contiguous_copy(x) : x;
  for (int k = 0; k < shifts.n; ++k) {
    const int d = flattened ? 0 : wrap_dim(dims[k], x.dim());
    const Tensor rolled = empty(x.shape(), x.dtype(), x.device());
    if (flattened)
      roll_into(part(rolled, 0, x.numel(), 1), part(y, 0, x.numel(), 1), 0, shifts[k]);
    else
      roll_into(rolled, y, d, shifts[k]);
    y = rolled;
  }
  return record(roll_op, y, {&x}, {}, Rolled{shifts, dims}, [](BackwardContext& d, const Rolled& a) {
    Dims back = a.shifts;
    for (int k = 0; k < back.n; ++k) back[k] = -back[k];
    d[0] = roll(d.g, back, a.dims);
  });
}

Tensor roll(const Tensor& x, int64_t shift) { return roll(x, Dims(shift), Dims{}); }

Tensor repeat(const Tensor& x, const Dims& repeats) {
  const int lead = repeats.n - int(x.dim());
  check(lead >= 0,
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
  Dims block = repeats;  // x's shape with ones in front
  for (int d = 0; d < block.n; ++d) block[d] = d < lead ? 1 : x.shape()[d - lead];
  Dims shape = block;
  for (int d = 0; d < shape.n; ++d) shape[d] = size_product(shape[d], repeats[d]);
  Tensor y = empty(shape, x.dtype(), x.device());
  copy_blocks(y, x, block, repeats);
  return record(repeat_op, y, {&x}, {}, Repeated{repeats, x.shape()},
                [](BackwardContext& d, const Repeated& a) {
                  d[0] = d.g;
                  for (int front = a.repeats.n - a.from.n; front > 0; --front) d[0] = sum(d[0], {0});
                  for (int i = 0; i < a.from.n; ++i) {
                    const int64_t times = a.repeats[a.repeats.n - a.from.n + i];
                    if (times == 1) continue;
                    const Dims folded = with(d[0].shape(), i, a.from[i]);
                    int64_t before = 1, after = 1;
                    for (int k = 0; k < folded.n; ++k) (k < i ? before : after) *= folded[k];
                    d[0] = sum(d[0].reshape({before, times, after}), {1}).reshape(folded);
                  }
                });
}

}  // namespace glassgrad

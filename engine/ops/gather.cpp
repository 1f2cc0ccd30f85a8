// gather, scatter_add and embedding: look up elements along one dimension, and add gradients back to them.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "dims.h"
#include "indices.h"
#include "layout.h"

namespace glassgrad {
namespace {

// ---- gather and scatter_add: index i at […] selects x's element […, i, …]
struct Line {
  View lines;  // x under the shape of the indices, with stride 0 along dim
  int64_t stride = 1;
};

Line line_of(const Tensor& x, const Dims& shape, int dim) {
  Line l{x.raw()};
  l.lines.shape = l.lines.strides = shape;
  for (int d = 0; d < shape.n; ++d) l.lines.strides[d] = d == dim || d >= x.dim() ? 0 : x.strides()[d];
  if (x.dim() > 0) l.stride = x.strides()[dim];
  return l;
}

void check_on_line(const Tensor& indices, const Tensor& x, int dim) {
  const int64_t size = x.dim() ? x.shape()[dim] : 1;
  check_indices<Error>(indices, size, [&](int64_t index) {
    return fmt::format("index {} is out of bounds for dimension {} with size {}", index, dim, size);
  });
}

void gather_on_cpu(const View& lines, int64_t stride, const View& indices, const View& y) {
  const auto* const at = indices.as<const int64_t>();
  by_size(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* const to = y.as<T>();
    const T* const from = lines.as<const T>();
    Nest(y.shape, {y.strides, indices.strides, lines.strides}).each([&](int64_t i, int64_t j, int64_t k) {
      to[i] = from[k + at[j] * stride];
    });
  });
}

void scatter_add_on_cpu(const View& lines, int64_t stride, int /*dim*/, const View& indices,
                        const View& source) {
  const auto* const at = indices.as<const int64_t>();
  all_types(lines.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* const to = lines.as<T>();
    const T* const from = source.as<const T>();
    Nest(indices.shape, {source.strides, indices.strides, lines.strides})
        .each([&](int64_t i, int64_t j, int64_t k) {
          T& place = to[k + at[j] * stride];
          place = T(place + from[i]);
        });
  });
}

bool no_larger(const Dims& a, const Dims& b, int apart_from) {
  for (int d = 0; d < std::min(a.n, b.n); ++d)
    if (d != apart_from && a[d] > b[d]) return false;
  return true;
}

int64_t rank(const Tensor& x) { return std::max<int64_t>(x.dim(), 1); }

struct ScatterAdded {
  int64_t dim;
  Dims source;
  static constexpr AttrNames kNames{"dim"};
};

// ---- embedding
struct Embedded {
  int64_t padding_idx, rows;  // padding_idx −1: none
  static constexpr AttrNames kNames{"padding_idx"};
};

// ---- where a cell comes from
// Inputs x, indices.
Expr why_gather(const Cell& c) {
  const auto dim = c.attr<DimAttr>().dim;
  const Expr at = c.in(1, c.index);
  Dims place = c.index;
  if (place.n) place[dim] = at.value().whole;
  return pick(c.in(0, place), {at});
}
// Inputs x, indices, source.
Expr why_scatter_add(const Cell& c) {
  const auto dim = c.attr<ScatterAdded>().dim;
  std::vector<Expr> terms = {c.in(0, c.index)};
  for (int64_t i = 0; i < c.input(1).numel(); ++i) {
    const Dims from = index_of(c.input(1).shape(), i);
    Dims to = from;
    if (to.n) to[dim] = element(c.input(1), from).whole;
    if (to == c.index) terms.push_back(pick(c.in(2, from), {c.in(1, from)}));
  }
  return sum(std::move(terms));
}
// Inputs weight, indices.
Expr why_embedding(const Cell& c) {
  const Expr row = c.in(1, without(c.index, c.index.n - 1));
  return pick(c.in(0, {row.value().whole, c.index[c.index.n - 1]}), {row});
}
// Inputs g, indices.
Expr why_embedding_grad(const Cell& c) {
  std::vector<Expr> terms;
  for (int64_t i = 0; i < c.input(1).numel() && c.index[0] != c.attr<Embedded>().padding_idx; ++i) {
    const Dims at = index_of(c.input(1).shape(), i);
    if (element(c.input(1), at).whole == c.index[0])
      terms.push_back(pick(c.in(0, inserted(at, at.n, c.index[1])), {c.in(1, at)}));
  }
  return sum(std::move(terms), c.result().dtype());
}

constexpr Op gather_op{"gather", "GatherBackward0", "x[…, indices[…], …]", why_gather};
constexpr Op scatter_add_op{"scatter_add", "ScatterAddBackward0", "x + Σ source where indices point here",
                            why_scatter_add};
constexpr Op embedding_op{"embedding", "EmbeddingBackward0", "weight[indices[…], j]", why_embedding};
constexpr Op embedding_grad_op{"embedding_backward", "EmbeddingDenseBackward0",
                               "Σ g[…, j] where indices are i", why_embedding_grad};

void embedding_on_cpu(const View& weight, const View& indices, const View& y) {
  const int64_t width = weight.shape[1], step = weight.strides[1];
  by_size(weight.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* to = y.as<T>();
    for (int64_t i = 0; i < indices.shape.numel(); ++i) {
      const T* const from = weight.as<const T>() + indices.as<const int64_t>()[i] * weight.strides[0];
      for (int64_t j = 0; j < width; ++j) *to++ = from[j * step];
    }
  });
}

void embedding_grad_on_cpu(const View& g, const View& indices, int64_t padding, const View& y) {
  const int64_t width = y.shape[1];
  every_float(g.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* from = g.as<const T>();
    for (int64_t i = 0; i < indices.shape.numel(); ++i, from += width) {
      const int64_t row = indices.as<const int64_t>()[i];
      T* const to = y.as<T>() + row * width;
      for (int64_t j = 0; j < width && row != padding; ++j) to[j] += from[j];
    }
  });
}

}  // namespace
// y[…] = x[…, indices[…], …], and y[…, indices[…], …] += source[…], adding to one place in the order of the
// source. lines: x or y with the shape of the indices and stride 0 along dim; `stride`: its stride along dim.
// y is contiguous in gather.
GG_KERNEL(gather, gather_on_cpu);
GG_KERNEL(scatter_add, scatter_add_on_cpu);
// y (n, width) = the rows of weight at n indices. All are contiguous except the weight. embedding_grad: row i
// of y, which holds zeros, becomes the sum of g's rows whose index is i, except for i = padding.
GG_KERNEL(embedding, embedding_on_cpu);
GG_KERNEL(embedding_grad, embedding_grad_on_cpu);
namespace {

// Returns the gradient of the weight: row i is the sum, in order, of the rows of g with index i; the padding
// row stays 0.
Tensor embedding_grad(const Tensor& g, const Tensor& indices, const Embedded& a) {
  check_same_device({&g, &indices});
  Tensor y = zeros({a.rows, g.shape()[g.dim() - 1]}, g.dtype(), g.device());
  embedding_grad_on(g.device())(dense(g).raw(), dense(in_int64(indices)).raw(), a.padding_idx, y.raw());
  return record(embedding_grad_op, y, {&g, &indices}, {{&indices}}, a,
                [](BackwardContext& d, const Embedded& e) {
                  const Tensor at = d.saved(0);
                  d[0] = embedding(d.g, at);
                  if (e.padding_idx >= 0) d[0] = masked_fill(d[0], eq(at, e.padding_idx).unsqueeze(-1), 0.0);
                });
}

}  // namespace

// ---- gather and scatter_add with indices that are known to be in range
namespace {

Tensor scatter_added(const Tensor& x, int64_t dim, const Tensor& indices, const Tensor& source);

// y: the result, already allocated.
Tensor gathered_into(const Tensor& y, const Tensor& x, int64_t dim, const Tensor& indices) {
  const int along = int(dim);
  const Line line = line_of(x, indices.shape(), along);
  gather_on(x.device())(line.lines, line.stride, indices.raw(), y.raw());
  return record(gather_op, y, {&x, &indices}, {{&indices}}, DimAttr{along, x.shape()},
                [](BackwardContext& d, const DimAttr& a) {
                  d[0] = scatter_added(zeros(a.from, d.g.dtype(), d.g.device()), a.dim, d.saved(0), d.g);
                });
}

Tensor gathered(const Tensor& x, int64_t dim, const Tensor& indices) {
  return gathered_into(empty(indices.shape(), x.dtype(), x.device()), x, dim, indices);
}

Tensor scatter_added(const Tensor& x, int64_t dim, const Tensor& indices, const Tensor& source) {
  const int along = int(dim);
  const Tensor sums = empty(x.shape(), computed_in(x.dtype()), x.device());
  assign(sums, x);
  const Line line = line_of(sums, indices.shape(), along);
  scatter_add_on(x.device())(line.lines, line.stride, along, indices.raw(), WidenedInput(source));
  Tensor y = is_narrow(x.dtype()) ? converted(sums, x.dtype()) : sums;
  return record(scatter_add_op, y, {&x, &indices, &source}, {{&indices}}, ScatterAdded{along, source.shape()},
                [](BackwardContext& d, const ScatterAdded& a) {
                  if (d.needs(0)) d[0] = d.g;
                  if (!d.needs(2)) return;
                  // If the source is larger than the indices, the elements that were not read have gradient
                  // 0.
                  const Tensor used = gathered(d.g, a.dim, d.saved(0));
                  d[2] = as_strided_scatter(used, a.source, contiguous_strides(a.source), 0);
                });
}

}  // namespace

Tensor gather(const Tensor& x, int64_t dim, const Tensor& indices) {
  const int along = wrap_dim(dim, x.dim());
  check(indices.dtype() == int64, "gather(): Expected dtype int64 for index");
  if (indices.numel() > 0) {
    check(rank(indices) == rank(x), "Index tensor must have the same number of dimensions as input tensor");
    for (int d = 0; d < x.dim() && d < indices.dim(); ++d)
      check(d == along || indices.shape()[d] <= x.shape()[d],
            "Size does not match at dimension {} expected index {} to be no larger than self {} apart from "
            "dimension {}",
            d, indices.shape(), x.shape(), along);
  }
  check_same_device({&x, &indices});
  // Allocate before the loop, so that a lack of memory is an error before it.
  const Tensor y = empty(indices.shape(), x.dtype(), x.device());
  check_on_line(indices, x, along);
  return gathered_into(y, x, along, indices);
}

Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& indices, const Tensor& source) {
  const int along = wrap_dim(dim, x.dim());
  check(indices.dtype() == int64, "scatter(): Expected dtype int64 for index");
  check(source.dtype() == x.dtype(), "scatter(): Expected self.dtype to be equal to src.dtype");
  if (indices.numel() > 0) {
    check(rank(indices) == rank(x), "Index tensor must have the same number of dimensions as self tensor");
    check(rank(indices) == rank(source),
          "Index tensor must have the same number of dimensions as src tensor");
    check(no_larger(indices.shape(), x.shape(), along) && no_larger(indices.shape(), source.shape(), -1),
          "Expected index {} to be no larger than self {} apart from dimension {} and to be no larger size "
          "than src {}",
          indices.shape(), x.shape(), along, source.shape());
  }
  check_same_device({&x, &indices, &source});
  check_on_line(indices, x, along);
  return scatter_added(x, along, indices, source);
}

Tensor embedding(const Tensor& weight, const Tensor& indices, std::optional<int64_t> padding_idx) {
  check(weight.dim() == 2, "'weight' must be 2-D");
  const int64_t rows = weight.shape()[0], width = weight.shape()[1], padding = padding_idx.value_or(rows);
  check<AssertionError>(!padding_idx || (padding >= -rows && padding < rows),
                        "Padding_idx must be within num_embeddings");
  const Embedded a{padding_idx ? (padding + rows) % rows : -1, rows};
  check(indices.dtype() == int64 || indices.dtype() == int32,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
        "but got {} instead (while checking arguments for embedding)",
        indices.dtype() == boolean ? std::string("CPUBoolType")
                                   : fmt::format("torch.{}Tensor", scalar_type_name(indices.dtype())));
  check_same_device({&weight, &indices});
  Tensor y = empty(inserted(indices.shape(), int(indices.dim()), width), weight.dtype(), weight.device());
  const Tensor at = dense(in_int64(indices));  // allocate both before the loop
  check_indices<IndexError>(at, rows, [](int64_t) { return "index out of range in self"; });
  embedding_on(weight.device())(weight.raw(), at.raw(), y.raw());
  return record(embedding_op, y, {&weight, &indices}, {{&indices}}, a,
                [](BackwardContext& d, const Embedded& e) { d[0] = embedding_grad(d.g, d.saved(0), e); });
}

}  // namespace glassgrad

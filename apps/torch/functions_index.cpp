// Elements chosen by their places, and written there.
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

using Tensors = std::vector<Tensor>;

// The index of each element of `places`, a tensor a dimension, with `places` itself along dim.
Tensors grid_with(const Tensor& places, int64_t dim, const Tensor& x) {
  check(places.dtype() == int64, "scatter(): Expected dtype int64 for index");
  check(places.dim() == x.dim(), "Index tensor must have the same number of dimensions as self tensor");
  Tensors grid;
  for (int64_t d = 0; d < x.dim(); ++d) {
    Dims line;
    for (int64_t k = 0; k < x.dim(); ++k) line.push(k == d ? places.size(d) : 1);
    grid.push_back(d == dim ? places : arange(places.size(d)).view(line));
  }
  return grid;
}

void check_places(const Tensor& places, int d, int64_t size) {
  for (const int64_t place : places.to_vector<int64_t>())
    check(place >= 0 && place < size, "index {} is out of bounds for dimension {} with size {}", place, d,
          size);
}

// x[…, places[…], …] = source, or += it.
Tensor scatter_into(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& source, bool add) {
  if (places.numel() == 0) return x;
  const int d = wrap_dim(dim, x.dim());
  if (x.dim() == 0) return add ? add_(x, source.reshape({})) : copy_(x, source.reshape({}));
  Tensor values = source;
  if (!source->is_number && source.dim() > 0) {
    check(source.dim() == places.dim(), "Index tensor must have the same number of dimensions as src tensor");
    for (int64_t k = 0; k < places.dim(); ++k) {
      check(places.size(k) <= source.size(k),
            "Expected index {} to be no larger than self {} apart from dimension {} "
            "and to be no larger size than src {}",
            places.shape(), x.shape(), d, source.shape());
      values = values.narrow(k, 0, places.size(k));
    }
    check(source.dtype() == x.dtype(), "scatter(): Expected self.dtype to be equal to src.dtype");
  } else {
    values = to(values, x.dtype());
  }
  check_places(places, d, x.size(d));
  const Tensor y = index_put_(x, grid_with(places, d, x), values, add);
  return as_one(add ? "ScatterAddBackward0" : source->is_number ? "ScatterBackward1" : "ScatterBackward0", y);
}
Tensor reduce_into(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& source, Text how) {
  if (how == "add") return scatter_into(x, dim, places, source, true);
  check(how == "multiply", "reduce argument must be either add or multiply.");
  const Tensor factor = ones_like(x);
  scatter_into(factor, dim, places, source, false);
  return mul_(x, factor);
}

// The leading dimensions up to dim as `:`, then the places.
Tensors along(const Tensor& places, int d) {
  Tensors indices(size_t(d) + 1);
  indices.back() = places.dim() == 0 ? places.reshape({1}) : places;
  return indices;
}
Tensor add_into(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& source, double alpha) {
  const int d = wrap_dim(dim, x.dim());
  check(source.dim() == 0 || places.numel() == source.size(d),
        "index_add_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}",
        places.numel(), source.dim() ? source.size(d) : 1, d);
  return as_one("IndexAddBackward0",
                index_put_(x, along(places, d), alpha == 1 ? source : source * alpha, true));
}
Tensor put_into(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& source) {
  return as_one(source.dim() == 0 ? "IndexFillBackward0" : "IndexCopyBackward0",
                index_put_(x, along(places, wrap_dim(dim, x.dim())), to(source, x.dtype()), false));
}

Tensor taken(const Tensor& x, const Tensor& places) {
  check(places.dtype() == int64, "take(): Expected a long tensor for index, but got {}",
        scalar_type_name(places.dtype()));
  for (const int64_t place : places.to_vector<int64_t>())
    check<IndexError>(place >= -x.numel() && place < x.numel(),
                      "out of range: tried to access index {} on a tensor of {} elements.", place, x.numel());
  return as_one("TakeBackward0", index(x.flatten(), {places}));
}

Tensor along_dim(const Tensor& x, const Tensor& places, std::optional<int64_t> dim) {
  if (!dim) return gather(x.flatten(), 0, places.flatten());
  Dims shape_x = x.shape(), shape = places.shape();
  const int d = wrap_dim(*dim, x.dim());
  for (int k = 0; k < shape.n; ++k) {
    if (k == d) continue;
    const int64_t size = shape[k] == 1 ? shape_x[k] : shape[k];
    shape[k] = shape_x[k] = size;
  }
  return gather(x.expand(shape_x), d, places.expand(shape));
}

}  // namespace

std::vector<Tensor> places_of_nonzero(const Tensor& x) {
  return nonzero(x.dim() == 0 ? x.reshape({1}) : x).unbind(1);
}

Rows indexing_rows() {
  return {
      row(kBoth, "gather(Tensor input, int dim, Tensor index, *, bool sparse_grad=False, Tensor? out=None)",
          [](const Tensor& x, int64_t d, const Tensor& i, bool) { return gather(x, d, i); }),
      named_row(
          kBoth,
          "gather(Tensor input, Dimname dim, Tensor index, *, bool sparse_grad=False, Tensor? out=None)"),
#define GG_SCATTER(name, places, target)                                                     \
  row(places, name "(Tensor input, int dim, Tensor index, Tensor src)",                      \
      [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s) {                     \
        return scatter_into(target, d, i, s, false);                                         \
      }),                                                                                    \
      row(places, name "(Tensor input, int dim, Tensor index, Tensor src, *, str reduce)",   \
          [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s, Text how) {       \
            return reduce_into(target, d, i, s, how);                                        \
          }),                                                                                \
      row(places, name "(Tensor input, int dim, Tensor index, Scalar value)",                \
          [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s) {                 \
            return scatter_into(target, d, i, s, false);                                     \
          }),                                                                                \
      row(places, name "(Tensor input, int dim, Tensor index, Scalar value, *, str reduce)", \
          [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s, Text how) {       \
            return reduce_into(target, d, i, s, how);                                        \
          })
      GG_SCATTER("scatter", kBoth, clone(x)),
      GG_SCATTER("scatter_", kMethod, x),
      row(kBoth, "scatter_add(Tensor input, int dim, Tensor index, Tensor src)", call<scatter_add>),
      row(kMethod, "scatter_add_(Tensor input, int dim, Tensor index, Tensor src)",
          [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s) {
            return scatter_into(x, d, i, s, true);
          }),
      row(kBoth, "index_select(Tensor input, int dim, Tensor index" GG_OUT ")", call<index_select>),
      named_row(kBoth, "index_select(Tensor input, Dimname dim, Tensor index" GG_OUT ")"),
#define GG_INDEX_ADD(name, places, target)                                                    \
  row(places, name "(Tensor input, int dim, Tensor index, Tensor source, *, Scalar alpha=1)", \
      [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s, double alpha) {        \
        return add_into(target, d, i, s, alpha);                                              \
      })
      GG_INDEX_ADD("index_add", kBoth, clone(x)),
      GG_INDEX_ADD("index_add_", kMethod, x),
#define GG_INDEX_PUT(name, places, target)                                                          \
  row(places, name "copy" target "(Tensor input, int dim, Tensor index, Tensor source)",            \
      [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s) {                            \
        return put_into(GG_TARGET(x), d, i, s);                                                     \
      }),                                                                                           \
      row(places, name "fill" target "(Tensor input, int dim, Tensor index, TensorOrNumber value)", \
          [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s) {                        \
            return put_into(GG_TARGET(x), d, i, s);                                                 \
          })
#define GG_TARGET(x) clone(x)
      GG_INDEX_PUT("index_", kBoth, ""),
#undef GG_TARGET
#define GG_TARGET(x) x
      GG_INDEX_PUT("index_", kMethod, "_"),
#undef GG_TARGET
      row(kMethod, "index_put_(Tensor input, Tensor[] indices, Tensor values, bool accumulate=False)",
          call<index_put_>),
      row(kBoth, "index_put(Tensor input, Tensor[] indices, Tensor values, bool accumulate=False)",
          [](const Tensor& x, const Tensors& i, const Tensor& v, bool add) {
            return index_put_(clone(x), i, v, add);
          }),
      row(kBoth, "masked_select(Tensor input, Tensor mask" GG_OUT ")", call<masked_select>),
      row(kBoth, "take(Tensor input, Tensor index" GG_OUT ")", call<taken>),
      row(kBoth, "take_along_dim(Tensor input, Tensor indices, int? dim=None" GG_OUT ")", call<along_dim>),
      row(kBoth, "nonzero(Tensor input" GG_OUT ")", call<nonzero>),
      row(kBoth, "nonzero(Tensor input, *, bool as_tuple)",
          [](const Tensor& x, bool as_tuple) -> Result {
            return as_tuple ? wrap(places_of_nonzero(x)) : wrap(nonzero(x));
          }),
      row(kTorch, "argwhere(Tensor input)", call<nonzero>),
  };
}

}  // namespace glassgrad::GG_HOST

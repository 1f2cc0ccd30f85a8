// Reads and writes elements at given places.
#include "engine/ops/promote.h"
#include "table.h"

namespace glassgrad::GG_HOST {

using Tensors = std::vector<Tensor>;

Tensor line_along(const Tensor& vector, int64_t d, int64_t dims) {
  Dims line;
  for (int64_t k = 0; k < dims; ++k) line.push(k == d ? -1 : 1);
  return vector.view(line);
}

Tensors grid_with(const Tensor& places, int64_t dim, const Tensor& x) {
  check(places.dtype() == int64, "scatter(): Expected dtype int64 for index");
  check(places.dim() == x.dim(), "Index tensor must have the same number of dimensions as self tensor");
  Tensors grid;
  for (int64_t d = 0; d < x.dim(); ++d)
    grid.push_back(d == dim ? places : line_along(arange(places.size(d)), d, x.dim()));
  return grid;
}

void check_places(const Tensor& places, int d, int64_t size) {
  for (const int64_t place : places.to_vector<int64_t>())
    check(place >= 0 && place < size, "index {} is out of bounds for dimension {} with size {}", place, d,
          size);
}

namespace {

Dims without(const Dims& shape, int d) {
  Dims rest;
  for (int k = 0; k < shape.n; ++k)
    if (k != d) rest.push(shape[k]);
  return rest;
}
}  // namespace

void check_slices(std::string_view function, const Tensor& x, int d, const Tensor& places,
                  const Tensor& source) {
  check<IndexError>(places.dim() <= 1,
                    "{}(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}",
                    function, places.dim(), scalar_type_name(places.dtype()), places.shape());
  check(places.dtype() == int64 || places.dtype() == int32,
        "{}(): Expected dtype int32/int64 for index but got: {}", function, scalar_type_name(places.dtype()));
  check(x.dtype() == source.dtype(), "{}(): self ({}) and source ({}) must have the same scalar type",
        function, scalar_type_name(x.dtype()), scalar_type_name(source.dtype()));
  check(d == 0 || d < source.dim(), "{}(): Indexing dim {} is out of bounds of the source tensor with dim {}",
        function, d, source.dim());
  if (const int64_t n = places.numel(); source.dim() > 0 || n != 1)
    check(n == source.size(d),
          "{}(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}", function, n,
          source.size(d), d);
  check(
      x.dim() == source.dim() && without(x.shape(), d) == without(source.shape(), d),
      "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {} "
      "source.shape = {}",
      x.shape(), source.shape());
}

namespace {

// x[…, places[…], …] = source, or += source.
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
  return rename_node(add                 ? "ScatterAddBackward0"
                     : source->is_number ? "ScatterBackward1"
                                         : "ScatterBackward0",
                     y);
}
Tensor reduce_into(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& source, Text how) {
  if (how == "add") return scatter_into(x, dim, places, source, true);
  check(how == "multiply", "reduce argument must be either add or multiply.");
  const Tensor factor = ones_like(x);
  scatter_into(factor, dim, places, source, false);
  return mul_(x, factor);
}

// Indices: `:` for the dimensions before d, then the places.
Tensors along(const Tensor& places, int d) {
  Tensors indices(size_t(d) + 1);
  indices.back() = places.dim() == 0 ? places.reshape({1}) : places;
  return indices;
}
// Writes `values` at places along dim; a 0-d tensor counts as a tensor with one element.
Tensor write_along(const Tensor& x, int d, const Tensor& places, const Tensor& values, bool add) {
  if (x.dim() > 0) return index_put_(x, along(places, d), values, add);
  if (places.numel() == 0) return x;
  const Tensor one = values.dim() > 0 ? values.reshape({}) : values;
  return add ? add_(x, one) : copy_(x, one);
}
std::string listed(const Dims& sizes) {
  const std::string text = fmt::format("{}", sizes);
  return text.substr(1, text.size() - 2);
}

Tensor add_into(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& source, double alpha) {
  const int d = wrap_dim(dim, x.dim());
  check_slices("index_add_", x, d, places, source);
  for (const int64_t place : to(places, int64).to_vector<int64_t>()) {
    const bool is_inside = place >= 0 && place < (x.dim() ? x.size(d) : 1);
    check<IndexError>(is_inside || (alpha == 1 && x.dim() > 1), "index out of range in self");
    check(is_inside, "index {} is out of bounds for dimension {} with size {}", place, d,
          x.dim() ? x.size(d) : 1);
  }
  const bool is_real = is_floating(source.dtype());
  const Tensor factor = is_real ? rounded_factor(alpha, source.dtype()) : Tensor(int64_t(alpha));
  const Tensor values = alpha == 1 ? source : mul(source, factor);
  return rename_node("IndexAddBackward0", write_along(x, d, places, values, true));
}

Tensor copy_into(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& source) {
  const int d = wrap_dim(dim, x.dim());
  const int64_t n = places.numel();
  check<IndexError>(places.dim() < 2, "index_copy_(): Index should have dimension 1 or 0 (got {})",
                    places.dim());
  check<IndexError>(source.dim() > 0 || n == 1,
                    "index_copy_(): When source is scalar, index should have one element (got {})", n);
  check<IndexError>(
      source.dim() == x.dim() || source.dim() == 0 || x.dim() == 0,
      "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
      "dimensionality ({}), destination dimensionality ({})",
      source.dim(), x.dim());
  check(places.dtype() == int64, "index_copy_(): Expected a long tensor for index, but got {}",
        scalar_type_name(places.dtype()));
  check(x.dtype() == source.dtype(),
        "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
        scalar_type_name(x.dtype()), scalar_type_name(source.dtype()));
  const Dims slice = without(x.shape(), d), given = without(source.shape(), d);
  check(
      slice == given,
      "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {} at "
      "dimension {} and source slice shape: {} at dimension 0.",
      listed(slice), d, listed(given));
  check<IndexError>(source.dim() == 0 || n == source.size(d),
                    "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})", n,
                    source.dim() ? source.size(d) : 1);
  const int64_t size = x.dim() ? x.size(d) : 1;
  for (const int64_t place : places.to_vector<int64_t>())
    check<IndexError>(place >= 0 && place < size,
                      "index_copy_(): index {} is out of bounds for dimension {} with size {}", place, d,
                      size);
  return rename_node("IndexCopyBackward0", write_along(x, d, places, source, false));
}

// Writes a repeated place only once, so that the value's gradient counts once.
Tensor fill_at(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& value) {
  const int d = wrap_dim(dim, x.dim());
  check<IndexError>(places.dtype() == int64, "index_fill_(): Expected dtype int64 for index.");
  check(places.dim() <= 1, "Index has to be a vector/scalar");
  check(value.dim() == 0,
        "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
        value.dim());
  const int64_t size = x.dim() ? x.size(d) : 1;
  for (const int64_t place : places.to_vector<int64_t>())
    check<IndexError>(place >= -size && place < size,
                      "index {} is out of bounds for dimension {} with size {}", place, d, size);
  const Tensor each = needs_grad(value) && size > 0 ? unique(remainder(places, size)).values : places;
  Tensor filler = to(value, x.dtype());
  if (!value->is_number) filler = clone(filler);  // it may be an element of x
  const char* const node = value->is_number ? "IndexFillBackward0" : "IndexFillBackward1";
  return rename_node(node, write_along(x, d, each, filler, false));
}

Tensor taken(const Tensor& x, const Tensor& places) {
  check(places.dtype() == int64, "take(): Expected a long tensor for index, but got {}",
        scalar_type_name(places.dtype()));
  for (const int64_t place : places.to_vector<int64_t>())
    check<IndexError>(place >= -x.numel() && place < x.numel(),
                      "out of range: tried to access index {} on a tensor of {} elements.", place, x.numel());
  return rename_node("TakeBackward0", index(x.flatten(), {places}));
}

// x.view(-1)[places] = source, or += source, for any strides of x.
Tensor put_flat(const Tensor& x, const Tensor& places, const Tensor& source, bool add) {
  check(places.dtype() == int64, "put_(): Expected a long tensor for index, but got {}",
        scalar_type_name(places.dtype()));
  check(
      source.dtype() == x.dtype(),
      "put_(): self and source expected to have the same dtype, but got self.dtype = {} and source.dtype = {}",
      scalar_type_name(x.dtype()), scalar_type_name(source.dtype()));
  check<IndexError>(source.numel() == places.numel(),
                    "put_(): Expected source and index to have the same number of elements, but got "
                    "source.numel() = {}, index.numel() = {}",
                    source.numel(), places.numel());
  check_writable(x, x.shape());
  if (places.numel() == 0) return x;
  check<IndexError>(x.numel() > 0, "put_(): Tried to put elements into an empty tensor");
  std::vector<std::vector<int64_t>> at(size_t(x.dim()));
  for (const int64_t place : places.to_vector<int64_t>()) {
    check<IndexError>(place >= -x.numel() && place < x.numel(),
                      "out of range: tried to access index {} on a tensor of {} elements.", place, x.numel());
    const Dims index = index_of(x.shape(), place < 0 ? place + x.numel() : place);
    for (size_t d = 0; d < at.size(); ++d) at[d].push_back(index[int64_t(d)]);
  }
  if (x.dim() == 0) return put_flat(x.unsqueeze(0), places, source, add), x;
  Tensors indices;
  for (const std::vector<int64_t>& one : at) indices.push_back(from_values(one, places.numel()));
  return rename_node("PutBackward0", index_put_(x, indices, source.reshape({-1}), add));
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

// The elements of source, in order, where mask is true.
Tensor masked_scattered(const Tensor& input, const Tensor& given, const Tensor& source) {
  check(input.dtype() == source.dtype(),
        "masked_scatter: expected self and source to have same dtypes but got{} and {}",
        scalar_type_name(input.dtype()), scalar_type_name(source.dtype()));
  check(given.dtype() == boolean, "masked_scatter_ only supports boolean masks, but got mask with dtype {}",
        scalar_type_name(given.dtype()));
  const Dims shape = broadcast(given.shape(), input.shape());
  const Tensor mask = given.expand(shape), x = input.expand(shape);
  const int64_t n = source.numel();
  check(sum(mask).item<int64_t>() <= n, "Number of elements of source < number of ones in mask");
  if (n == 0) return rename_node("MaskedScatterBackward0", where(mask, x, x));
  const Tensor places = clamp(cumsum(mask.flatten(), 0) - 1, 0, double(n - 1));
  const Tensor elements = index_select(source.flatten(), 0, places).view(shape);
  return rename_node("MaskedScatterBackward0", where(mask, elements, x));
}

}  // namespace

std::vector<Tensor> places_of_nonzero(const Tensor& x) {
  return nonzero(x.dim() == 0 ? x.reshape({1}) : x).unbind(1);
}

Rows indexing_rows() {
  return {
      row(kBoth, "gather(Tensor input, int dim, Tensor index, *, bool sparse_grad=False, Tensor? out=None)",
          [](const Tensor& x, int64_t d, const Tensor& i, bool) { return gather(x, d, i); })
          .help("input[…, index[…], …], with index's elements as the places along dim; index's shape.")
          .out(kSame),
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
      GG_SCATTER("scatter", kBoth, clone(x))
          .help("input with src's elements at the places that index names along dim."),
      GG_SCATTER("scatter_", kMethod, x).help("src's elements to the places that index names along dim."),
      row(kBoth, "scatter_add(Tensor input, int dim, Tensor index, Tensor src)", call<scatter_add>)
          .help("input with src's elements added at the places that index names along dim.")
          .autocast_on_gpu(kWidest),
      row(kMethod, "scatter_add_(Tensor input, int dim, Tensor index, Tensor src)",
          [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s) {
            return scatter_into(x, d, i, s, true);
          })
          .help("Adds src's elements at the places that index names along dim."),
      row(kBoth, "index_select(Tensor input, int dim, Tensor index" GG_OUT ")", call<index_select>)
          .help("What stands at these places along dim.")
          .out(same("index_select(): self and result must have the same scalar type")),
      named_row(kBoth, "index_select(Tensor input, Dimname dim, Tensor index" GG_OUT ")"),
#define GG_INDEX_ADD(name, places, target)                                                    \
  row(places, name "(Tensor input, int dim, Tensor index, Tensor source, *, Scalar alpha=1)", \
      [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s, double alpha) {        \
        return add_into(target, d, i, s, alpha);                                              \
      })
      GG_INDEX_ADD("index_add", kBoth, clone(x)).help("alpha · source added at these places along dim."),
      GG_INDEX_ADD("index_add_", kMethod, x).help("alpha · source added at these places along dim."),
#define GG_INDEX_WRITE(in_place, places, target)                                                       \
  row(places, "index_copy" in_place "(Tensor input, int dim, Tensor index, Tensor source)",            \
      [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s) {                               \
        return copy_into(target, d, i, s);                                                             \
      })                                                                                               \
      .help("source at these places along dim."),                                                      \
      row(places, "index_fill" in_place "(Tensor input, int dim, Tensor index, TensorOrNumber value)", \
          [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& v) {                           \
            return fill_at(target, d, i, v);                                                           \
          })                                                                                           \
          .help("value at these places along dim.")
      GG_INDEX_WRITE("", kBoth, clone(x)),
      GG_INDEX_WRITE("_", kMethod, x),
      row(kMethod, "index_put_(Tensor input, Tensor[] indices, Tensor values, bool accumulate=False)",
          call<index_put_>)
          .help("input[indices] = values, or += them."),
      row(kBoth, "index_put(Tensor input, Tensor[] indices, Tensor values, bool accumulate=False)",
          [](const Tensor& x, const Tensors& i, const Tensor& v, bool add) {
            return index_put_(clone(x), i, v, add);
          })
          .help("A copy of input with values at indices.")
          .autocast_on_gpu(kWidest),
      row(kMethod, "put_(Tensor input, Tensor index, Tensor source, bool accumulate=False)", call<put_flat>)
          .help("source's elements to these places of the flattened tensor; accumulate adds them."),
      row(kBoth, "put(Tensor input, Tensor index, Tensor source, bool accumulate=False)",
          [](const Tensor& x, const Tensor& i, const Tensor& s, bool add) {
            return put_flat(clone(x), i, s, add);
          })
          .help("input with source's elements, or their sum, at these places of the flattened input."),
      row(kBoth, "masked_select(Tensor input, Tensor mask" GG_OUT ")", call<masked_select>)
          .help("The elements where mask (bool) is true, in a row.")
          .out(same("masked_select(): self and result must have the same scalar type")),
      row(kBoth, "masked_scatter(Tensor input, Tensor mask, Tensor source)", call<masked_scattered>)
          .help("The elements of source, in order, where mask (bool) is true, else input.")
          .in_place(kMethod),
      row(kBoth, "take(Tensor input, Tensor index" GG_OUT ")", call<taken>)
          .help("The elements at these places of the flattened input; index's shape.")
          .out(same("take(): self and out expected to have the same dtype, but got self.dtype = {E} and "
                    "out.dtype = {G}")),
      row(kBoth, "take_along_dim(Tensor input, Tensor indices, int? dim=None" GG_OUT ")", call<along_dim>)
          .help("gather, with the other dimensions broadcast.")
          .out(kSame, "gather"),
      row(kBoth, "nonzero(Tensor input" GG_OUT ")", call<nonzero>)
          .help("The indices of what is not 0, (count, dimensions) int64; as_tuple=True: one tensor a "
                "dimension.")
          .out(same("nonzero: Expected out tensor to have scalar type {E} but got scalar type{G}")),
      row(kBoth, "nonzero(Tensor input, *, bool as_tuple)",
          [](const Tensor& x, bool as_tuple) -> Result {
            return as_tuple ? wrap(places_of_nonzero(x)) : wrap(nonzero(x));
          }),
      row(kTorch, "argwhere(Tensor input)", call<nonzero>).help("nonzero."),
  };
}

}  // namespace glassgrad::GG_HOST

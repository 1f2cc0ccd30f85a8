// Joins tensors, and repeats or reorders their elements.
#include <algorithm>

#include "engine/print.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

using Tensors = std::vector<Tensor>;
using T = const Tensor&;
using D = const Dims&;

Dims common_shape(const std::vector<Dims>& all) {
  Dims shape;
  for (const Dims& one : all) {
    Dims more;
    for (int d = 0; d < std::max(shape.n, one.n); ++d) more.push(1);
    for (const Dims* s : {static_cast<const Dims*>(&shape), &one})
      for (int d = 0; d < s->n; ++d) {
        int64_t& size = more[more.n - s->n + d];
        check(size == 1 || (*s)[d] == 1 || size == (*s)[d],
              "Shape mismatch: objects cannot be broadcast to a single shape");
        if ((*s)[d] != 1) size = (*s)[d];
      }
    shape = more;
  }
  return shape;
}
Tensors broadcast_all(const Tensors& all) {
  std::vector<Dims> shapes;
  for (const Tensor& x : all) shapes.push_back(x.shape());
  const Dims shape = common_shape(shapes);
  Tensors y;
  for (const Tensor& x : all) y.push_back(x.expand(shape));
  return y;
}

Result broadcast_shapes(const Rest& given) {
  std::vector<Dims> shapes;
  for (int64_t k = 0; k < given.n; ++k) {
    shapes.push_back(to_dims(item(given.items, k)));
    for (const int64_t size : shapes.back())
      check(size >= 0, "Trying to create tensor with negative dimension ({}): ({})", size, size);
  }
  return wrap_size(common_shape(shapes));
}

// Coordinates of a grid: result k has tensors[k] along its dimension k ("xy": the first two exchanged).
Tensors grid(Tensors all, Text indexing) {
  check(!all.empty(), "meshgrid expects a non-empty TensorList");
  for (const Tensor& x : all)
    check(x.dtype() == all[0].dtype(), "meshgrid expects all tensors to have the same dtype");
  check(indexing == "ij" || indexing == "xy",
        "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}", indexing);
  for (const Tensor& x : all)
    check(x.dim() <= 1, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}", repr(x));
  const bool exchange = indexing == "xy" && all.size() > 1;
  if (exchange) std::swap(all[0], all[1]);
  Dims shape;
  for (const Tensor& x : all) shape.push(x.numel());
  for (size_t k = 0; k < all.size(); ++k) {
    Dims line;
    for (int d = 0; d < shape.n; ++d) line.push(d == int(k) ? shape[d] : 1);
    all[k] = all[k].view(line).expand(shape);
  }
  if (exchange) std::swap(all[0], all[1]);
  return all;
}

Tensor joined(const char* name, const Tensors& all, int64_t dim, int64_t at_least) {
  check(!all.empty(), "{} expects a non-empty TensorList", name);
  Tensors y;
  for (const Tensor& x : all) {
    Tensor t = x.dim() == 0 ? x.reshape({1}) : x;
    if (at_least == 2 && t.dim() == 1) t = t.unsqueeze(dim == 0 ? 0 : -1);
    y.push_back(t);
  }
  return cat(y, at_least == 1 && y[0].dim() == 1 ? 0 : dim);
}

// Repeats each element `times` times in a row.
Tensor repeated(const Tensor& input, int64_t times, std::optional<int64_t> dim) {
  const Tensor x = dim ? input : input.flatten();
  const int d = wrap_dim(dim.value_or(0), x.dim());
  check(times >= 0, "Repeats must be non-negative");
  Dims shape = x.unsqueeze(d + 1).shape();
  shape[d + 1] = times;
  const Tensor stretched = clone(x.unsqueeze(d + 1).expand(shape).contiguous());
  return stretched.flatten(d, d + 1);
}
// Repeats the index of each number in `times` as often as the number says.
Tensor repeated_places(const Tensor& times, std::optional<int64_t> size) {
  check(times.dim() == 1, "repeat_interleave only accept 1D vector as repeat");
  check(times.dtype() == int64, "\"repeat_interleave_cpu\" not implemented for '{}'",
        scalar_type_name(times.dtype()));
  std::vector<int64_t> places;
  const std::vector<int64_t> counts = times.to_vector<int64_t>();
  for (size_t i = 0; i < counts.size(); ++i) {
    check(counts[i] >= 0, "repeats can not be negative");
    places.insert(places.end(), size_t(counts[i]), int64_t(i));
  }
  check(!size || *size == int64_t(places.size()), "allocated size does not match required size");
  return from_values(places, {int64_t(places.size())});
}

Tensor repeated_by(const Tensor& input, const Tensor& times, std::optional<int64_t> dim) {
  const Tensor x = dim ? input : input.flatten();
  const int d = wrap_dim(dim.value_or(0), x.dim());
  if (times.numel() == 1) return repeated(x, times.item<int64_t>(), d);
  check(times.dim() == 1, "repeats must be 0-dim or 1-dim tensor");
  check(times.numel() == x.size(d),
        "repeats must have the same size as input along dim, but got repeats.size(0) = {} "
        "and input.size({}) = {}",
        times.numel(), d, x.size(d));
  return index_select(x, d, repeated_places(times, {}));
}

// repeat, with 1 for the dimensions that `repeats` lacks.
Tensor tiled(const Tensor& x, const Dims& repeats) {
  Dims full;
  for (int64_t d = repeats.n; d < x.dim(); ++d) full.push(1);
  for (int64_t r : repeats) full.push(r);
  return repeat(x, full);
}

Tensor blocks(const Tensors& all) {
  int64_t rows = 0, columns = 0;
  for (const Tensor& x : all) {
    check(x.dim() <= 2, "torch.block_diag: Input tensors must have 2 or fewer dimensions.");
    rows = size_sum(rows, x.dim() < 2 ? 1 : x.size(0));
    columns = size_sum(columns, x.dim() == 0 ? 1 : x.size(-1));
  }
  const Tensor y = zeros({rows, columns}, all.empty() ? float32 : all[0].dtype());
  rows = columns = 0;
  for (const Tensor& x : all) {
    const int64_t m = x.dim() < 2 ? 1 : x.size(0), n = x.dim() == 0 ? 1 : x.size(-1);
    copy_(y.narrow(0, rows, m).narrow(1, columns, n), x);
    rows += m, columns += n;
  }
  return y;
}

Tensor differences(const Tensor& x, int64_t n, int64_t dim) {
  check(x.dim() > 0, "diff expects input to be at least one-dimensional");
  Tensor y = x;
  for (n = std::min(n, x.size(dim)); n > 0; --n) {
    const Tensor later = y.slice(dim, 1, {}), earlier = y.slice(dim, 0, y.size(dim) - 1);
    y = y.dtype() == boolean ? logical_xor(later, earlier) : later - earlier;
  }
  return y;
}

// The sums of neighbours along dim: twice the heights halfway between them.
Tensor doubled_heights(const Tensor& y, int64_t dim) {
  check<IndexError>(y.dim() > 0, "Dimension specified as {} but tensor has no dimensions", dim);
  return y.slice(dim, 1, {}) + y.slice(dim, 0, y.size(dim) - 1);
}
Tensor area(const Tensor& y, const Tensor& x, int64_t dim) {
  const Tensor heights = doubled_heights(y, dim);
  if (x.dim() != 1) return sum(differences(x, 1, dim) * heights, Dims{dim}) / 2.0;
  check(x.size(0) == y.size(dim), "trapezoid: There must be one `x` value for each sample point");
  return sum(heights.transpose(dim, -1) * differences(x, 1, -1), Dims{-1}) / 2.0;
}

}  // namespace

Rows joining_rows() {
  return {
#define GG_CAT(name)                                                                          \
  row(kTorch, name "(Tensor[] tensors, int dim=0" GG_OUT ")", call<cat>).out(kJoined, "cat"), \
      named_row(kTorch, name "(Tensor[] tensors, Dimname dim" GG_OUT ")")
      GG_CAT("cat").help("The tensors one behind the other along dim."),
      GG_CAT("concat").help("The tensors one behind the other along dim."),
      GG_CAT("concatenate").help("The tensors one behind the other along dim."),
      row(kTorch, "stack(Tensor[] tensors, int dim=0" GG_OUT ")", call<stack>)
          .help("The tensors along a new dimension dim.")
          .out(kJoined),
      row(kTorch, "hstack(Tensor[] tensors" GG_OUT ")",
          [](const Tensors& all) { return joined("hstack", all, 1, 1); })
          .help("cat along dimension 1, of vectors along 0.")
          .out(kJoined, "cat"),
      row(kTorch, "vstack(Tensor[] tensors" GG_OUT ")",
          [](const Tensors& all) { return joined("vstack", all, 0, 2); })
          .help("cat along dimension 0, vectors as rows.")
          .out(kJoined, "cat"),
      row(kTorch, "row_stack(Tensor[] tensors" GG_OUT ")",
          [](const Tensors& all) { return joined("vstack", all, 0, 2); })
          .help("vstack.")
          .out(kJoined, "cat"),
      row(kTorch, "column_stack(Tensor[] tensors" GG_OUT ")",
          [](const Tensors& all) { return joined("column_stack", all, 1, 2); })
          .help("cat along dimension 1, vectors as columns.")
          .out(kJoined, "cat"),
      row(kTorch, "dstack(Tensor[] tensors" GG_OUT ")",
          [](const Tensors& all) {
            Tensors y;
            for (const Tensor& x : all) y.push_back(at_least(x, 3));
            return cat(y, 2);
          })
          .help("The tensors one behind the other along the third dimension.")
          .out(kJoined),
      row(kTorch, "block_diag(*Tensor[] tensors)", call<blocks>)
          .help("The matrices along the diagonal of a matrix of zeros."),
      row(kTorch, "broadcast_tensors(*Tensor[] tensors)", call<broadcast_all>)
          .help("The tensors expanded to one shape."),
      row(kTorch, "broadcast_shapes(*object shapes=())", call<broadcast_shapes>)
          .help("The shape to which tensors of these shapes broadcast."),
      row(kTorch, "meshgrid(*Tensor[] tensors, *, str indexing='ij')", call<grid>)
          .help("Coordinates of a grid: result k has tensors[k] along its dimension k; with 'xy' the "
                "first two dimensions change places."),
      row(kTorch, "cartesian_prod(*Tensor[] tensors)",
          [](const Tensors& all) {
            for (const Tensor& x : all)
              check(x.dim() == 1, "Expect a 1D vector, but got shape {}", x.shape());
            if (all.size() == 1) return all[0];
            Tensors columns;
            for (const Tensor& x : grid(all, "ij")) columns.push_back(x.flatten());
            return stack(columns, 1);
          })
          .help("All rows that take one element of each vector."),
      row(kBoth, "tril(Tensor input, int diagonal=0" GG_OUT ")", call<tril>)
          .help("input where j ≤ i + diagonal, else 0, of the last two dimensions.")
          .in_place(kMethod)
          .out(kSame),
      row(kBoth, "triu(Tensor input, int diagonal=0" GG_OUT ")", call<triu>)
          .help("input where j ≥ i + diagonal, else 0, of the last two dimensions.")
          .in_place(kMethod)
          .out(kSame),
      row(kBoth, "flip(Tensor input, int[] dims)", call<flip>).help("Along dims from the last to the first."),
#define GG_FLIP(name, d)                                     \
  row(kBoth, name "(Tensor input)", [](const Tensor& x) {    \
    check(x.dim() > (d), "Input must be >= {}-d.", (d) + 1); \
    return flip(x, d);                                       \
  })
      GG_FLIP("fliplr", 1).help("flip along dimension 1."),
      GG_FLIP("flipud", 0).help("flip along dimension 0."),
      row(kBoth, "roll(Tensor input, int[1] shifts, int[1] dims=())", call<only<Tensor(T, D, D)>(roll)>)
          .help("Shifted along dims (or flattened); what falls out at the end comes in at the start."),
      row(kMethod, "repeat(Tensor input, int[] repeats)", call<repeat>)
          .help("The whole tensor so many times along each dimension."),
      row(kBoth, "tile(Tensor input, int[] dims)", call<tiled>)
          .help("repeat, with ones for missing dimensions."),
      row(kTorch, "repeat_interleave(Tensor repeats, *, int? output_size=None)", call<repeated_places>)
          .help("Each element so many times, one after the other, along dim or flattened."),
      row(kBoth, "repeat_interleave(Tensor input, Tensor repeats, int? dim=None, *, int? output_size=None)",
          call<repeated_by>),
      row(kBoth, "repeat_interleave(Tensor input, int repeats, int? dim=None, *, int? output_size=None)",
          call<repeated>),
      row(kBoth, "diff(Tensor input, int n=1, int dim=-1)", call<differences>)
          .help("input[i + 1] − input[i] along dim, n times."),
#define GG_TRAPEZOID(name)                                                                          \
  row(kTorch, name "(Tensor y, Tensor x, *, int dim=-1)", call<area>),                              \
      row(kTorch, name "(Tensor y, *, Scalar dx=1, int dim=-1)",                                    \
          [](const Tensor& y, double dx, int64_t dim) {                                             \
            return rename_node("MulBackward1", sum(doubled_heights(y, dim), Dims{dim}) * (dx / 2)); \
          })
      GG_TRAPEZOID("trapezoid").help("The area below y between the places x, or places dx apart, along dim."),
      GG_TRAPEZOID("trapz").help("trapezoid."),
  };
}

}  // namespace glassgrad::GG_HOST

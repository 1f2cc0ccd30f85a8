// Views of a tensor, and its elements in a different shape.
#include <algorithm>

#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

Tensor squeezed(const Tensor& x, const Dims& dims) {
  bool gone[kMaxDims] = {};
  for (int64_t dim : dims) {
    const int d = wrap_dim(dim, x.dim());
    check(!std::exchange(gone[d], true), "dim {} appears multiple times in the list of dims", d);
  }
  Tensor y = x;
  for (int64_t d = x.dim() - 1; d >= 0; --d)
    if (gone[d] && y.size(d) == 1) y = y.squeeze(d);
  return rename_node("SqueezeBackward2", y.ref() == x.ref() ? x.alias() : y);
}

// Replaces x by f(x), a view of x, in place; its node has the name of PyTorch's in-place op.
template <class F>
Tensor in_place(const Tensor& x, const char* node, F f) {
  return view_in_place(x, [&](const Tensor& t) { return rename_node(node, f(t)); });
}
Tensor exchange_(const Tensor& x, int64_t dim0, int64_t dim1) {
  return in_place(x, "TransposeBackward1", [=](const Tensor& t) { return t.transpose(dim0, dim1); });
}

Tensor selected(const Tensor& x, int64_t dim, int64_t index) {
  check<IndexError>(x.dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  const int d = wrap_dim(dim, x.dim());
  check<IndexError>(index >= -x.size(d) && index < x.size(d),
                    "select(): index {} out of range for tensor of size {} at dimension {}", index, x.shape(),
                    d);
  return x.select(d, index);
}

Tensor exchanged(const Tensor& x) {
  return matrices_transposed(
      x, "adjoint() is deprecated on 0-D tensors. Consider using x.conj().",
      "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.");
}

std::vector<Tensor> split_at(const Tensor& x, const Dims& sizes, int64_t dim) {
  return x.split_with_sizes({sizes.begin(), sizes.end()}, dim);
}
// tensor_split: splits before each of these places, which count like a slice's bounds.
template <class Places>
std::vector<Tensor> split_before(const Tensor& x, const Places& places, int64_t dim) {
  check(x.dim() > 0, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (const int64_t end : places) parts.push_back(x.slice(dim, std::exchange(start, end), end));
  parts.push_back(x.slice(dim, start, {}));
  return parts;
}
// Splits into sections of nearly equal size, the longer ones first.
std::vector<Tensor> split_evenly(const Tensor& x, int64_t sections, int64_t dim) {
  check(x.dim() > 0, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  const int64_t size = x.size(dim);
  check(sections > 0, "number of sections must be larger than 0, got {}", sections);
  std::vector<Tensor> parts;
  parts.reserve(size_t(sections));
  for (int64_t k = 0, start = 0; k < sections; ++k) {
    const int64_t end = start + size / sections + (k < size % sections);
    parts.push_back(x.slice(dim, std::exchange(start, end), end));
  }
  return parts;
}
std::vector<Tensor> split_by(const Tensor& x, const Tensor& how, int64_t dim) {
  check(x.dim() > 0, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  check(how.dtype() == int64,
        "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {}",
        scalar_type_name(how.dtype()));
  check(
      how.dim() <= 1,
      "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a "
      "tensor with {} dims",
      how.dim());
  if (how.dim() == 0) return split_evenly(x, how.item<int64_t>(), dim);
  return split_before(x, how.to_vector<int64_t>(), dim);
}

// The side of a matrix whose diagonal `offset` has n elements.
int64_t side(int64_t n, int64_t offset) {
  return size_sum(n, offset < 0 ? size_product(offset, -1) : offset);
}
Tensor diagonal_matrix(const Tensor& x, int64_t offset) {
  check(x.dim() == 1 || x.dim() == 2, "diag(): Supports 1D or 2D tensors. Got {}D", x.dim());
  if (x.dim() == 2) return rename_node("DiagonalBackward0_copy", clone(x.diagonal(offset)));
  const int64_t n = side(x.numel(), offset);
  const Tensor y = zeros({n, n}, x.dtype());
  copy_(y.diagonal(offset), x);
  return rename_node("DiagEmbedBackward0", y);
}
// The last dimension of x on the diagonals of matrices, which are the result's dimensions dim1 and dim2.
Tensor diagonal_matrices(const Tensor& x, int64_t offset, int64_t dim1, int64_t dim2) {
  const int rows = wrap_dim(dim1, x.dim() + 1), columns = wrap_dim(dim2, x.dim() + 1);
  check(rows != columns, "diagonal dimensions cannot be identical {}, {}", dim1, dim2);
  const int64_t n = side(x.size(-1), offset);
  Dims shape;
  for (int64_t d = 0, next = 0; d <= x.dim(); ++d) shape.push(d == rows || d == columns ? n : x.size(next++));
  const Tensor y = zeros(shape, x.dtype());
  copy_(y.diagonal(offset, rows, columns), x);
  return rename_node("DiagEmbedBackward0", y);
}

// Windows of `size` elements, `step` apart, along dim; the windows' elements become the last dimension.
Tensor windows(const Tensor& x, int64_t dim, int64_t size, int64_t step) {
  if (x.dim() == 0) {
    check(step > 0, "step is {} but must be > 0", step);
    check(size <= 1, "maximum size for tensor at dimension {} is 1 but size is {}", wrap_dim(dim, 0), size);
    return x.as_strided({size}, {1}, 0);
  }
  const int d = wrap_dim(dim, x.dim());
  check(step > 0, "step is {} but must be > 0", step);
  check(size >= 0, "size is {} but must be >= 0", size);
  check(size <= x.size(d), "maximum size for tensor at dimension {} is {} but size is {}", d, x.size(d),
        size);
  Dims shape = x.shape(), strides = x.strides();
  shape[d] = (x.size(d) - size) / step + 1;
  shape.push(size);
  strides.push(strides[d]);
  strides[d] = unused_stride(strides[d], step);
  return x.as_strided(shape, strides, 0);
}

// Throws unless x has at least `least` dimensions.
void check_parts(const char* name, const Tensor& x, int64_t least) {
  check(x.dim() >= least,
        "torch.{} requires a tensor with at least {} dimension, but got a tensor with {} dimensions!", name,
        least, x.dim());
}
std::vector<Tensor> split_equally(const char* name, const Tensor& x, int64_t sections, int64_t dim) {
  check(
      sections != 0 && x.size(dim) % sections == 0,
      "torch.{} attempted to split along dimension {}, but the size of the dimension {} is not divisible by "
      "the split_size {}!",
      name, dim, x.size(dim), sections);
  return split_evenly(x, sections, dim);
}

// Rotates by `times` right angles, from the first of dims to the second.
Tensor turned(const Tensor& x, int64_t times, const std::optional<Dims>& given) {
  const Dims dims = given.value_or(Dims{0, 1});
  check(dims.n == 2, "expected total rotation dims == 2, but got dims = {}", dims.n);
  check(x.dim() >= 2, "expected total dims >= 2, but got total dims = {}", x.dim());
  const int64_t first = dims[0], second = dims[1];
  check(first != second && std::abs(first - second) != x.dim(),
        "expected rotation dims to be different, but got dim0 = {} and dim1 = {}", first, second);
  for (const int k : {0, 1})
    check(dims[k] >= -x.dim() && dims[k] < x.dim(), "Rotation dim{} out of range, dim{} = {}", k, k, dims[k]);
  const int64_t quarter = ((times % 4) + 4) % 4;
  const Tensor y = quarter == 0   ? clone(x)
                   : quarter == 1 ? flip(x, {second}).transpose(first, second)
                   : quarter == 2 ? flip(x, dims)
                                  : flip(x, {first}).transpose(first, second);
  return rename_node("Rot90Backward0", y);
}

// Converts flat indices of a tensor of this shape to coordinates, one tensor per dimension.
std::vector<Tensor> unravelled(const Tensor& elements, const Dims& shape) {
  check<TypeError>(!is_floating(elements.dtype()) && elements.dtype() != boolean,
                   "expected 'indices' to be integer dtype, but got {}", dtype_name(elements.dtype()));
  std::vector<Tensor> indices(size_t(shape.n));
  Tensor left = elements;
  for (int d = shape.n; d-- > 0; left = floor_divide(left, shape[d]))
    indices[size_t(d)] = remainder(left, shape[d]);
  return indices;
}

// The same bytes as numbers of a different dtype, outside the graph. The last dimension grows or shrinks with
// the dtype's size.
Tensor bits_as(const Tensor& x, DType t) {
  if (t == x.dtype()) return x.view(x.shape());
  const int64_t from = item_size(x.dtype()), to = item_size(t), last = x.dim() - 1;
  Dims shape = x.shape(), strides = x.strides();
  int64_t offset = x->offset;
  const auto need = [&](bool holds, std::string_view what, int64_t found) {
    check(holds, "self.{} to view {} as {} (different element sizes), but got {}", what,
          scalar_type_name(x.dtype()), scalar_type_name(t), found);
  };
  if (from != to) {
    check(last >= 0, "self.dim() cannot be 0 to view {} as {} (different element sizes)",
          scalar_type_name(x.dtype()), scalar_type_name(t));
  }
  if (to > from) {
    const int64_t n = to / from;
    need(shape[last] % n == 0, fmt::format("size(-1) must be divisible by {}", n), shape[last]);
    need(offset % n == 0, fmt::format("storage_offset() must be divisible by {}", n), offset);
    need(strides[last] == 1, "stride(-1) must be 1", strides[last]);
    for (int64_t d = 0; d < last; ++d) {
      need(strides[d] % n == 0, fmt::format("stride({}) must be divisible by {}", d, n), strides[d]);
      strides[d] /= n;
    }
    shape[last] /= n, offset /= n;
  } else if (to < from) {
    const int64_t n = from / to;
    need(strides[last] == 1, "stride(-1) must be 1", strides[last]);
    for (int64_t d = 0; d < last; ++d) strides[d] *= n;
    shape[last] *= n, offset *= n;
  }
  const Tensor y = x.detach();
  y->dtype = t, y->shape = shape, y->strides = strides, y->offset = offset;
  return y;
}

}  // namespace

Tensor moved(const Tensor& x, const Dims& from, const Dims& to) {
  check(
      from.n == to.n,
      "movedim: Invalid source or destination dims: source ({} dims) should contain the same number of dims as "
      "destination ({} dims)",
      from, to);
  Dims order;
  bool taken[kMaxDims] = {}, used[kMaxDims] = {};
  for (int64_t d = 0; d < x.dim(); ++d) order.push(0);
  for (int i = 0; i < from.n; ++i) {
    const int source = wrap_dim(from[i], x.dim()), target = wrap_dim(to[i], x.dim());
    check(!std::exchange(used[source], true), "movedim: repeated dim in `source` ({})", from);
    check(!std::exchange(taken[target], true), "movedim: repeated dim in `destination` ({})", to);
    order[target] = source;
  }
  int next = 0;
  for (int d = 0; d < order.n; ++d) {
    if (taken[d]) continue;
    while (used[next]) ++next;
    order[d] = next++;
  }
  return x.permute(order);
}

Tensor at_least(const Tensor& x, int64_t n) {
  if (x.dim() >= n) return x;
  if (n == 1) return x.reshape({1});
  if (n == 2) return x.dim() == 0 ? x.reshape({1, 1}) : x.unsqueeze(0);
  return x.dim() == 0 ? x.reshape({1, 1, 1}) : x.dim() == 1 ? x.unsqueeze(0).unsqueeze(-1) : x.unsqueeze(-1);
}

Tensor matrices_transposed(const Tensor& x, const char* warning, const char* refusal) {
  if (x.dim() == 0) {
    warn(warning);
    return x;
  }
  check(x.dim() >= 2, "{}", refusal);
  return x.transpose(-2, -1);
}

Rows view_rows() {
  return {
      row(kMethod, "view(Tensor input, ScalarType dtype)", call<bits_as>)
          .help("The same elements in the same memory under another shape; -1: whatever remains."),
      row(kMethod, "view(Tensor input, int[] size)", call<&Tensor::view>),
      row(kMethod, "view_as(Tensor input, Tensor other)",
          [](const Tensor& x, const Tensor& o) { return x.view(o.shape()); })
          .help("view of other's shape."),
      row(kBoth, "reshape(Tensor input, int[] shape)", call<&Tensor::reshape>)
          .help("The same elements under another shape: a view where possible, else a copy; -1: whatever "
                "remains."),
      row(kMethod, "reshape_as(Tensor input, Tensor other)",
          [](const Tensor& x, const Tensor& o) { return x.reshape(o.shape()); })
          .help("reshape to other's shape."),
      row(kBoth, "flatten(Tensor input, int start_dim=0, int end_dim=-1)", call<&Tensor::flatten>)
          .help("Dimensions start_dim to end_dim as one."),
      row(kBoth, "ravel(Tensor input)", [](const Tensor& x) { return x.contiguous().view({-1}); })
          .help("flatten."),
      row(kBoth, "unflatten(Tensor input, int dim, int[] sizes)", call<&Tensor::unflatten>)
          .help("Dimension dim as several of these sizes."),
      row(kBoth, "t(Tensor input)", call<&Tensor::t>).help("Rows and columns exchanged, of a matrix."),
#define GG_TRANSPOSE(name)                                                         \
  row(kBoth, name "(Tensor input, int dim0, int dim1)", call<&Tensor::transpose>), \
      named_row(kBoth, name "(Tensor input, Dimname dim0, Dimname dim1)")
      GG_TRANSPOSE("transpose").help("Two dimensions exchanged; a view."),
      GG_TRANSPOSE("swapdims").help("Two dimensions exchanged; a view."),
      row(kBoth, "swapaxes(Tensor input, int axis0, int axis1)", call<&Tensor::transpose>).help("transpose."),
      row(kMethod, "t_(Tensor input)",
          [](const Tensor& x) {
            return in_place(x, "TBackward1", [](const Tensor& t) {
              check(t.dim() <= 2, "t_() expects a tensor with <= 2 dimensions, but self is {}D", t.dim());
              return t.t();
            });
          }),
      row(kMethod, "transpose_(Tensor input, int dim0, int dim1)", call<exchange_>)
          .help("transpose in place: the tensor itself has the other shape from now on."),
      row(kMethod, "swapdims_(Tensor input, int dim0, int dim1)", call<exchange_>),
      row(kMethod, "swapaxes_(Tensor input, int axis0, int axis1)", call<exchange_>),
      row(kBoth, "adjoint(Tensor input)", call<exchanged>).help("The last two dimensions exchanged."),
      row(kBoth, "permute(Tensor input, int[] dims)", call<&Tensor::permute>)
          .help("The dimensions in the order of dims; a view."),
#define GG_MOVE(name)                                                            \
  row(kBoth, name "(Tensor input, int source, int destination)",                 \
      [](const Tensor& x, int64_t a, int64_t b) { return moved(x, {a}, {b}); }), \
      row(kBoth, name "(Tensor input, int[] source, int[] destination)", call<moved>)
      GG_MOVE("movedim").help("Dimensions moved to other places, the others as they stand; a view."),
      GG_MOVE("moveaxis").help("Dimensions moved to other places, the others as they stand; a view."),
      row(kBoth, "squeeze(Tensor input)", call<only<Tensor() const>(&Tensor::squeeze)>)
          .help("Without the dimensions of size 1, or without dim if its size is 1; a view."),
      row(kBoth, "squeeze(Tensor input, int dim)", call<only<Tensor(int64_t) const>(&Tensor::squeeze)>),
      row(kBoth, "squeeze(Tensor input, int[] dim)", call<squeezed>),
      named_row(kBoth, "squeeze(Tensor input, Dimname dim)"),
      row(kMethod, "squeeze_(Tensor input)",
          [](const Tensor& x) {
            return in_place(x, "SqueezeBackward3", [](const Tensor& t) { return t.squeeze(); });
          }),
      row(kMethod, "squeeze_(Tensor input, int dim)",
          [](const Tensor& x, int64_t dim) {
            return in_place(x, "SqueezeBackward4", [=](const Tensor& t) { return t.squeeze(dim); });
          }),
      row(kMethod, "squeeze_(Tensor input, int[] dim)",
          [](const Tensor& x, const Dims& dims) {
            return in_place(x, "SqueezeBackward5", [&](const Tensor& t) { return squeezed(t, dims); });
          }),
      named_row(kMethod, "squeeze_(Tensor input, Dimname dim)"),
      row(kBoth, "unsqueeze(Tensor input, int dim)", call<&Tensor::unsqueeze>)
          .help("With a dimension of size 1 at dim; a view."),
      row(kMethod, "unsqueeze_(Tensor input, int dim)",
          [](const Tensor& x, int64_t dim) {
            return in_place(x, "UnsqueezeBackward1", [=](const Tensor& t) { return t.unsqueeze(dim); });
          }),
      row(kMethod, "expand(Tensor input, int[] size, *, bool implicit=False)",
          [](const Tensor& x, const Dims& s, bool) { return x.expand(s); })
          .help("Dimensions of size 1 stretched to size without copying; -1 keeps a size."),
      row(kMethod, "expand_as(Tensor input, Tensor other)",
          [](const Tensor& x, const Tensor& o) { return x.expand(o.shape()); })
          .help("expand to other's shape."),
      row(kBoth, "broadcast_to(Tensor input, int[] size)", call<&Tensor::expand>).help("expand."),
      row(kBoth, "narrow(Tensor input, int dim, int start, int length)", call<&Tensor::narrow>)
          .help("length elements along dim from start on; a view."),
      row(kBoth, "select(Tensor input, int dim, int index)", call<selected>)
          .help("What stands at index along dim; a view."),
      named_row(kBoth, "select(Tensor input, Dimname dim, int index)"),
      row(kBoth, "unbind(Tensor input, int dim=0)", call<&Tensor::unbind>)
          .help("Everything along dim as a tuple of views."),
      named_row(kBoth, "unbind(Tensor input, Dimname dim)"),
      row(kTorch, "split(Tensor tensor, int split_size_or_sections, int dim=0)", call<&Tensor::split>)
          .help("Parts of so many elements along dim, the last may be shorter; or parts of these sizes. "
                "Views."),
      row(kTorch, "split(Tensor tensor, int[] split_size_or_sections, int dim=0)", call<split_at>),
      row(kTorch, "split(Tensor tensor, object split_size_or_sections, int dim=0)|hidden",
          [](const Tensor&, Object sizes, int64_t) -> Result {
            fail<TypeError>(
                "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not {}",
                type_name(sizes));
          }),
      row(kMethod, "split(Tensor tensor, int split_size, int dim=0)", call<&Tensor::split>),
      row(kMethod, "split(Tensor tensor, int[] split_size, int dim=0)", call<split_at>),
      row(kBoth, "split_with_sizes(Tensor input, int[] split_sizes, int dim=0)", call<split_at>)
          .help("Parts of these sizes along dim."),
      row(kBoth, "tensor_split(Tensor input, int[] indices, int dim=0)", call<split_before<Dims>>)
          .help("So many parts along dim, as equal as can be. Views."),
      row(kBoth, "tensor_split(Tensor input, Tensor tensor_indices_or_sections, int dim=0)", call<split_by>),
      row(kBoth, "tensor_split(Tensor input, int sections, int dim=0)", call<split_evenly>),
      row(kBoth, "chunk(Tensor input, int chunks, int dim=0)", call<&Tensor::chunk>)
          .help("At most so many parts of one size along dim. Views."),
#define GG_SPLIT(name, least, dim)                                                               \
  row(kBoth, name "(Tensor input, int sections)",                                                \
      [](const Tensor& x, int64_t sections) {                                                    \
        check_parts(name, x, least);                                                             \
        return split_equally(name, x, sections, dim);                                            \
      }),                                                                                        \
      row(kBoth, name "(Tensor input, int[] indices)", [](const Tensor& x, const Dims& before) { \
        check_parts(name, x, least);                                                             \
        return split_before(x, before, dim);                                                     \
      })
      GG_SPLIT("hsplit", 1, x.dim() == 1 ? 0 : 1)
          .help("Parts side by side, along the second dimension, of a vector along its only one."),
      GG_SPLIT("vsplit", 2, 0).help("Parts one below the other, along the first dimension."),
      GG_SPLIT("dsplit", 3, 2).help("Parts along the third dimension."),
      row(kBoth, "diagonal(Tensor input, int offset=0, int dim1=0, int dim2=1)", call<&Tensor::diagonal>)
          .help("The diagonal of dimensions dim1 and dim2 as the last dimension; a view."),
      row(kLinalg, "diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1)", call<&Tensor::diagonal>),
      row(kBoth, "diag(Tensor input, int diagonal=0" GG_OUT ")", call<diagonal_matrix>)
          .help("The diagonal of a matrix, or the matrix that has the vector on its diagonal.")
          .out(kSame),
      row(kBoth, "diagflat(Tensor input, int offset=0)",
          [](const Tensor& x, int64_t offset) { return diagonal_matrix(x.flatten(), offset); })
          .help("A matrix with the elements on its diagonal."),
      row(kBoth, "rot90(Tensor input, int k=1, int[] dims=(0,1))", call<turned>)
          .help("Turned k times by a right angle, from the first of dims to the second."),
      row(kTorch, "unravel_index(Tensor indices, int[1] shape)", call<unravelled>)
          .help("The indices of elements of a tensor of that shape by their numbers in it, a tensor for "
                "each dimension."),
      row(kBoth, "diag_embed(Tensor input, int offset=0, int dim1=-2, int dim2=-1)", call<diagonal_matrices>)
          .help("Matrices that have the last dimension on their diagonals."),
      row(kBoth, "trace(Tensor input)",
          [](const Tensor& x) {
            check(x.dim() == 2, "trace: expected a matrix, but got tensor with dim {}", x.dim());
            return rename_node("TraceBackward0", sum(x.diagonal()));
          })
          .help("Σ input[i, i] of a matrix.")
          .autocast_on_cpu(kWide),
      row(kBoth, "as_strided(Tensor input, int[] size, int[] stride, int? storage_offset=None)",
          [](const Tensor& x, const Dims& s, const Dims& strides, std::optional<int64_t> at) {
            return x.as_strided(s, strides, at ? int64_t(uint64_t(*at) - uint64_t(x->offset)) : 0);
          })
          .help("A view with these strides of the memory."),
      row(kMethod, "unfold(Tensor input, int dimension, int size, int step)",
          [](const Tensor& x, int64_t d, int64_t n, int64_t step) {
            return rename_node("UnfoldBackward0", windows(x, d, n, step));
          })
          .help("Windows of size elements along dimension, step apart, as the last dimension; a view."),
      row(kMethod, "resize_(Tensor input, int[] size, *, MemoryFormat? memory_format=None)",
          [](const Tensor& x, const Dims& size, Object) { return resize_(x, size); })
          .help("This shape from now on, over the elements as they lie in memory; what is new is not "
                "initialised."),
      row(kMethod, "contiguous(Tensor input, *, MemoryFormat? memory_format=None)", call<&Tensor::contiguous>)
          .help("The tensor itself if its elements stand in order in memory, else a copy."),
#define GG_AT_LEAST(name, n)                                                          \
  row(kTorch, name "(Tensor input)", [](const Tensor& x) { return at_least(x, n); }), \
      row(kTorch, name "(Tensor[] tensors)", [](const std::vector<Tensor>& all) {     \
        std::vector<Tensor> y;                                                        \
        for (const Tensor& x : all) y.push_back(at_least(x, n));                      \
        return y;                                                                     \
      })
      GG_AT_LEAST("atleast_1d", 1).help("With dimensions of size 1 added."),
      GG_AT_LEAST("atleast_2d", 2).help("With dimensions of size 1 added."),
      GG_AT_LEAST("atleast_3d", 3).help("With dimensions of size 1 added."),
  };
}

}  // namespace glassgrad::GG_HOST

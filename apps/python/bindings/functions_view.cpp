// Views of a tensor, and its elements in another shape.
#include <algorithm>

#include "table.h"

namespace glassgrad::python {

namespace {

constexpr unsigned kBoth = kTorch | kMethod;

Tensor squeezed(const Tensor& x, const Dims& dims) {
  bool gone[kMaxDims] = {};
  for (int64_t d : dims) gone[wrap_dim(d, x.dim())] = true;
  Tensor y = x;
  for (int64_t d = x.dim() - 1; d >= 0; --d)
    if (gone[d] && y.size(d) == 1) y = y.squeeze(d);
  return y;
}

Tensor selected(const Tensor& x, int64_t dim, int64_t index) {
  check<IndexError>(x.dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  const int d = wrap_dim(dim, x.dim());
  check<IndexError>(index >= -x.size(d) && index < x.size(d),
                    "select(): index {} out of range for tensor of size {} at dimension {}", index, x.shape(),
                    d);
  return x.select(d, index);
}

// The order of dimensions that puts those of `from` at `to`, the others as they stand.
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

Tensor exchanged(const Tensor& x) {
  check(x.dim() >= 2, "tensor.mT is only supported on matrices or batches of matrices. Got {}-D tensor.",
        x.dim());
  return x.transpose(-2, -1);
}

std::vector<Tensor> split_at(const Tensor& x, const Dims& sizes, int64_t dim) {
  return x.split_with_sizes({sizes.begin(), sizes.end()}, dim);
}
// Sections of almost one size, the first ones longer: tensor_split.
std::vector<Tensor> split_evenly(const Tensor& x, int64_t sections, int64_t dim) {
  check(sections > 0, "number of sections must be larger than 0, got {}", sections);
  std::vector<int64_t> sizes;
  for (int64_t k = 0; k < sections; ++k)
    sizes.push_back(x.size(dim) / sections + (k < x.size(dim) % sections));
  return x.split_with_sizes(sizes, dim);
}

// Trailing dimensions of size 1 for what has fewer than n.
Tensor at_least(const Tensor& x, int64_t n) {
  if (x.dim() >= n) return x;
  if (n == 1) return x.reshape({1});
  if (n == 2) return x.dim() == 0 ? x.reshape({1, 1}) : x.unsqueeze(0);
  return x.dim() == 0 ? x.reshape({1, 1, 1}) : x.dim() == 1 ? x.unsqueeze(0).unsqueeze(-1) : x.unsqueeze(-1);
}

Tensor diagonal_matrix(const Tensor& x, int64_t offset) {
  check(x.dim() == 1 || x.dim() == 2, "diag(): Supports 1D or 2D tensors. Got {}D", x.dim());
  if (x.dim() == 2) return as_one("DiagonalBackward0_copy", clone(x.diagonal(offset)));
  const int64_t n = x.numel() + std::abs(offset);
  const Tensor y = zeros({n, n}, x.dtype());
  copy_(y.diagonal(offset), x);
  return as_one("DiagEmbedBackward0", y);
}
// The last dimension of x on the diagonals of matrices.
Tensor diagonal_matrices(const Tensor& x, int64_t offset) {
  check(x.dim() > 0, "diag_embed(): input must have at least one dimension");
  Dims shape = x.shape();
  const int64_t n = shape[shape.n - 1] + std::abs(offset);
  shape[shape.n - 1] = n;
  shape.push(n);
  const Tensor y = zeros(shape, x.dtype());
  copy_(y.diagonal(offset, -2, -1), x);
  return as_one("DiagEmbedBackward0", y);
}

// Windows of `size` elements, `step` apart, along dim; the windows' elements become the last dimension.
Tensor windows(const Tensor& x, int64_t dim, int64_t size, int64_t step) {
  const int d = wrap_dim(dim, x.dim());
  check(step > 0, "step is {} but must be > 0", step);
  check(size <= x.size(d), "maximum size for tensor at dimension {} is {} but size is {}", d, x.size(d),
        size);
  Dims shape = x.shape(), strides = x.strides();
  shape[d] = (x.size(d) - size) / step + 1;
  shape.push(size);
  strides.push(strides[d]);
  strides[d] *= step;
  return x.as_strided(shape, strides, 0);
}

}  // namespace

Rows view_rows() {
  return {
      row(
          kMethod, "view(Tensor input, ScalarType dtype)",
          [](const Tensor& x, DType t) {
            check<NotImplementedError>(t == x.dtype(),
                                       "glassgrad has no view of another dtype: take .to(dtype)");
            return x.view(x.shape());
          },
          "The same elements in the same memory under another shape; -1: whatever remains."),
      row(kMethod, "view(Tensor input, int[] size)",
          [](const Tensor& x, const Dims& s) { return x.view(s); }),
      row(
          kMethod, "view_as(Tensor input, Tensor other)",
          [](const Tensor& x, const Tensor& o) { return x.view(o.shape()); }, "view of other's shape."),
      row(
          kBoth, "reshape(Tensor input, int[] shape)",
          [](const Tensor& x, const Dims& s) { return x.reshape(s); },
          "The same elements under another shape: a view where possible, else a copy; -1: whatever remains."),
      row(
          kMethod, "reshape_as(Tensor input, Tensor other)",
          [](const Tensor& x, const Tensor& o) { return x.reshape(o.shape()); }, "reshape to other's shape."),
      row(
          kBoth, "flatten(Tensor input, int start_dim=0, int end_dim=-1)",
          [](const Tensor& x, int64_t from, int64_t to) { return x.flatten(from, to); },
          "Dimensions start_dim to end_dim as one."),
      row(
          kBoth, "ravel(Tensor input)", [](const Tensor& x) { return x.contiguous().view({-1}); },
          "flatten."),
      row(
          kBoth, "unflatten(Tensor input, int dim, int[] sizes)",
          [](const Tensor& x, int64_t dim, const Dims& sizes) { return x.unflatten(dim, sizes); },
          "Dimension dim as several of these sizes."),
      row(
          kBoth, "t(Tensor input)", [](const Tensor& x) { return x.t(); },
          "Rows and columns exchanged, of a matrix."),
#define GG_TRANSPOSE(name)                                                     \
  row(                                                                         \
      kBoth, name "(Tensor input, int dim0, int dim1)",                        \
      [](const Tensor& x, int64_t a, int64_t b) { return x.transpose(a, b); }, \
      "Two dimensions exchanged; a view."),                                    \
      named_row(kBoth, name "(Tensor input, Dimname dim0, Dimname dim1)")
      GG_TRANSPOSE("transpose"),
      GG_TRANSPOSE("swapdims"),
      row(
          kBoth, "swapaxes(Tensor input, int axis0, int axis1)",
          [](const Tensor& x, int64_t a, int64_t b) { return x.transpose(a, b); }, "transpose."),
      row(kMethod, "transpose_(Tensor input, int dim0, int dim1)",
          [](const Tensor&, int64_t, int64_t) -> Tensor {
            throw NotImplementedError("glassgrad has no transpose_(): take x = x.transpose(dim0, dim1)");
          }),
      row(
          kBoth, "adjoint(Tensor input)", [](const Tensor& x) { return exchanged(x); },
          "The last two dimensions exchanged."),
      row(
          kBoth, "permute(Tensor input, int[] dims)",
          [](const Tensor& x, const Dims& d) { return x.permute(d); },
          "The dimensions in the order of dims; a view."),
#define GG_MOVE(name)                                                           \
  row(                                                                          \
      kBoth, name "(Tensor input, int source, int destination)",                \
      [](const Tensor& x, int64_t a, int64_t b) { return moved(x, {a}, {b}); }, \
      "Dimensions moved to other places, the others as they stand; a view."),   \
      row(kBoth, name "(Tensor input, int[] source, int[] destination)",        \
          [](const Tensor& x, const Dims& a, const Dims& b) { return moved(x, a, b); })
      GG_MOVE("movedim"),
      GG_MOVE("moveaxis"),
      row(
          kBoth, "squeeze(Tensor input)", [](const Tensor& x) { return x.squeeze(); },
          "Without the dimensions of size 1, or without dim if its size is 1; a view."),
      row(kBoth, "squeeze(Tensor input, int dim)",
          [](const Tensor& x, int64_t dim) { return x.squeeze(dim); }),
      row(kBoth, "squeeze(Tensor input, int[] dim)",
          [](const Tensor& x, const Dims& dims) { return squeezed(x, dims); }),
      named_row(kBoth, "squeeze(Tensor input, Dimname dim)"),
      row(
          kBoth, "unsqueeze(Tensor input, int dim)",
          [](const Tensor& x, int64_t dim) { return x.unsqueeze(dim); },
          "With a dimension of size 1 at dim; a view."),
      row(
          kMethod, "expand(Tensor input, int[] size, *, bool implicit=False)",
          [](const Tensor& x, const Dims& s, bool) { return x.expand(s); },
          "Dimensions of size 1 stretched to size without copying; -1 keeps a size."),
      row(
          kMethod, "expand_as(Tensor input, Tensor other)",
          [](const Tensor& x, const Tensor& o) { return x.expand(o.shape()); }, "expand to other's shape."),
      row(
          kBoth, "broadcast_to(Tensor input, int[] size)",
          [](const Tensor& x, const Dims& s) { return x.expand(s); }, "expand."),
      row(
          kBoth, "narrow(Tensor input, int dim, int start, int length)",
          [](const Tensor& x, int64_t d, int64_t start, int64_t n) { return x.narrow(d, start, n); },
          "length elements along dim from start on; a view."),
      row(
          kBoth, "select(Tensor input, int dim, int index)",
          [](const Tensor& x, int64_t d, int64_t i) { return selected(x, d, i); },
          "What stands at index along dim; a view."),
      named_row(kBoth, "select(Tensor input, Dimname dim, int index)"),
      row(
          kBoth, "unbind(Tensor input, int dim=0)", [](const Tensor& x, int64_t d) { return x.unbind(d); },
          "Everything along dim as a tuple of views."),
      named_row(kBoth, "unbind(Tensor input, Dimname dim)"),
      row(
          kTorch, "split(Tensor tensor, int split_size_or_sections, int dim=0)",
          [](const Tensor& x, int64_t n, int64_t d) { return x.split(n, d); },
          "Parts of so many elements along dim, the last may be shorter; or parts of these sizes. Views."),
      row(kTorch, "split(Tensor tensor, int[] split_size_or_sections, int dim=0)",
          [](const Tensor& x, const Dims& sizes, int64_t d) { return split_at(x, sizes, d); }),
      row(kTorch, "split(Tensor tensor, object split_size_or_sections, int dim=0)|hidden",
          [](const Tensor&, PyObject* sizes, int64_t) -> PyObject* {
            fail<TypeError>(
                "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not {}",
                type_name(sizes));
          }),
      row(
          kMethod, "split(Tensor tensor, int split_size, int dim=0)",
          [](const Tensor& x, int64_t n, int64_t d) { return x.split(n, d); },
          "Parts of so many elements along dim, the last may be shorter; or parts of these sizes. Views."),
      row(kMethod, "split(Tensor tensor, int[] split_size, int dim=0)",
          [](const Tensor& x, const Dims& sizes, int64_t d) { return split_at(x, sizes, d); }),
      row(
          kBoth, "split_with_sizes(Tensor input, int[] split_sizes, int dim=0)",
          [](const Tensor& x, const Dims& sizes, int64_t d) { return split_at(x, sizes, d); },
          "Parts of these sizes along dim."),
      row(
          kBoth, "tensor_split(Tensor input, int sections, int dim=0)",
          [](const Tensor& x, int64_t n, int64_t d) { return split_evenly(x, n, d); },
          "So many parts along dim, as equal as can be. Views."),
      row(
          kBoth, "chunk(Tensor input, int chunks, int dim=0)",
          [](const Tensor& x, int64_t n, int64_t d) { return x.chunk(n, d); },
          "At most so many parts of one size along dim. Views."),
      row(
          kBoth, "diagonal(Tensor input, int offset=0, int dim1=0, int dim2=1)",
          [](const Tensor& x, int64_t k, int64_t a, int64_t b) { return x.diagonal(k, a, b); },
          "The diagonal of dimensions dim1 and dim2 as the last dimension; a view."),
      row(
          kLinalg, "diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1)",
          [](const Tensor& x, int64_t k, int64_t a, int64_t b) { return x.diagonal(k, a, b); },
          "The diagonal of dimensions dim1 and dim2 as the last dimension; a view."),
      row(
          kBoth, "diag(Tensor input, int diagonal=0, *, Tensor? out=None)",
          [](const Tensor& x, int64_t k) { return diagonal_matrix(x, k); },
          "The diagonal of a matrix, or the matrix that has the vector on its diagonal."),
      row(
          kBoth, "diag_embed(Tensor input, int offset=0)",
          [](const Tensor& x, int64_t k) { return diagonal_matrices(x, k); },
          "Matrices that have the last dimension on their diagonals."),
      row(
          kBoth, "trace(Tensor input)",
          [](const Tensor& x) {
            check(x.dim() == 2, "trace: expected a matrix, but got tensor with dim {}", x.dim());
            return as_one("TraceBackward0", sum(x.diagonal()));
          },
          "Σ input[i, i] of a matrix."),
      row(
          kBoth, "as_strided(Tensor input, int[] size, int[] stride, int? storage_offset=None)",
          [](const Tensor& x, const Dims& s, const Dims& strides, std::optional<int64_t> at) {
            return x.as_strided(s, strides, at ? *at - x->offset : 0);
          },
          "A view with these strides of the memory."),
      row(
          kMethod, "unfold(Tensor input, int dimension, int size, int step)",
          [](const Tensor& x, int64_t d, int64_t n, int64_t step) {
            return as_one("UnfoldBackward0", windows(x, d, n, step));
          },
          "Windows of size elements along dimension, step apart, as the last dimension; a view."),
      row(
          kMethod, "contiguous(Tensor input, *, MemoryFormat? memory_format=None)",
          [](const Tensor& x) { return x.contiguous(); },
          "The tensor itself if its elements stand in order in memory, else a copy."),
#define GG_AT_LEAST(name, n)                                                         \
  row(                                                                               \
      kTorch, name "(Tensor input)", [](const Tensor& x) { return at_least(x, n); }, \
      "With dimensions of size 1 added."),                                           \
      row(kTorch, name "(Tensor[] tensors)", [](const std::vector<Tensor>& all) {    \
        std::vector<Tensor> y;                                                       \
        for (const Tensor& x : all) y.push_back(at_least(x, n));                     \
        return y;                                                                    \
      })
      GG_AT_LEAST("atleast_1d", 1),
      GG_AT_LEAST("atleast_2d", 2),
      GG_AT_LEAST("atleast_3d", 3),
  };
}

}  // namespace glassgrad::python

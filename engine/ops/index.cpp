// Indexing with tensors of indices. The backward adds the gradient of each chosen element at the place that
// the element came from.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "indices.h"
#include "layout.h"

namespace glassgrad {
namespace {

// ---- from a list of indices to the offsets of the chosen elements
struct AdvancedIndex {
  Dims shape;           // of the result
  Dims x_strides;       // under that shape: 0 along the dimensions that came from the indices
  Dims offset_strides;  // under that shape: 0 along x's own dimensions
  Tensor offsets;       // offsets from x's first element, in the indices' common shape
  bool distinct;        // all offsets are different

  View of(const View& x) const { return {x.data, shape, x_strides, x.dtype}; }
  View of_offsets() const { return {offsets.raw().data, shape, offset_strides, int64}; }
};

// The indices for one dimension: an index tensor, or the true positions of a mask along that dimension.
struct Column {
  int dim;
  Tensor indices;
};

// The positions of a mask's true elements: one column per dimension of the mask.
std::vector<Tensor> true_positions(const Tensor& mask) {
  const Tensor positions = positions_of_nonzero(mask);
  std::vector<Tensor> result;
  for (int64_t d = 0; d < mask.dim(); ++d)
    result.push_back(part(positions, d, positions.shape()[0], mask.dim()));
  return result;
}

// Indices on the CPU work with a tensor on any device.
Tensor index_on(Device device, const Tensor& i) {
  check(i.device() == device || i.device() == kCpu,
        "indices should be either on {} or on the same device as the indexed tensor ({})", to_string(kCpu),
        to_string(device));
  return on_device(i, device);
}

bool is_mask(const Tensor& i) { return i.dtype() == boolean || i.dtype() == uint8; }

std::vector<Column> columns_of(const Dims& shape, Device device, const std::vector<Tensor>& indices) {
  int64_t taken = 0;
  for (const Tensor& i : indices) taken += i && is_mask(i) ? i.dim() : 1;
  check<IndexError>(taken <= shape.n, "too many indices for tensor of dimension {}", shape.n);
  std::vector<Column> columns;
  int dim = 0;
  for (const Tensor& i : indices) {
    if (!i) {
      ++dim;
      continue;
    }
    check<IndexError>(i.dtype() == int64 || i.dtype() == int32 || is_mask(i),
                      "tensors used as indices must be long, int, byte or bool tensors");
    if (!is_mask(i)) {
      columns.push_back({dim++, index_on(device, in_int64(i))});
      continue;
    }
    check<IndexError>(i.dim() > 0, "a mask without dimensions cannot be used as an index");
    for (int d = 0; d < i.dim(); ++d)
      check<IndexError>(i.shape()[d] == shape[dim + d],
                        "The shape of the mask {} at index {} does not match the shape of the indexed tensor "
                        "{} at index {}",
                        i.shape(), d, shape, dim + d);
    for (const Tensor& positions : true_positions(index_on(device, i))) columns.push_back({dim++, positions});
  }
  return columns;
}

// The common shape of the columns; throws an error that lists their shapes if there is none.
Dims broadcast_shape(const std::vector<Column>& columns) {
  Dims common;
  bool fits = true;
  for (const Column& c : columns) {
    const Dims& shape = c.indices.shape();
    while (common.n < shape.n) common = inserted(common, 0, 1);
    for (int d = 0; d < shape.n; ++d) {
      int64_t& size = common[d + common.n - shape.n];
      fits = fits && (size == shape[d] || size == 1 || shape[d] == 1);
      if (size == 1) size = shape[d];
    }
  }
  if (fits) return common;
  std::string shapes;
  for (const Column& c : columns) shapes += (shapes.empty() ? "" : ", ") + to_string(c.indices.shape());
  fail<IndexError>("shape mismatch: indexing tensors could not be broadcast together with shapes {}", shapes);
}

int64_t index_offsets_on_cpu(const IndexColumns& columns, const View& offsets, bool /*known*/) {
  auto* const to = offsets.as<int64_t>();
  int64_t first_outside = INT64_MAX;
  std::fill_n(to, offsets.shape.numel(), 0);
  for (int k = 0; k < columns.count; ++k) {
    const int64_t size = columns.size[k], stride = columns.stride[k], *const at = columns.indices[k];
    Nest(offsets.shape, {offsets.strides, columns.strides[k]}).each([&](int64_t i, int64_t j) {
      const int64_t index = at[j];
      if (index < -size || index >= size) first_outside = std::min(first_outside, i * kMaxDims + k);
      to[i] += (index < 0 ? index + size : index) * stride;
    });
  }
  return first_outside == INT64_MAX ? -1 : first_outside;
}

void take_on_cpu(const View& x, const View& offsets, const View& y) {
  by_size(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* const to = y.as<T>();
    const T* const from = x.as<const T>();
    const auto* const at = offsets.as<const int64_t>();
    Nest(y.shape, {y.strides, x.strides, offsets.strides}).each([=](int64_t i, int64_t j, int64_t k) {
      to[i] = from[j + at[k]];
    });
  });
}

void index_put_on_cpu(const View& x, const View& offsets, const View& values, bool accumulate,
                      bool /*distinct*/) {
  const auto each_place = [&](auto zero, auto put) {
    using T = decltype(zero);
    T* const to = x.as<T>();
    const T* const from = values.as<const T>();
    const auto* const at = offsets.as<const int64_t>();
    Nest(x.shape, {values.strides, x.strides, offsets.strides}).each([=](int64_t i, int64_t j, int64_t k) {
      put(to[j + at[k]], from[i]);
    });
  };
  if (accumulate)
    every_type(x.dtype, [&](auto zero) {
      each_place(zero, [](auto& place, auto value) { place = decltype(zero)(place + value); });
    });
  else
    by_size(x.dtype, [&](auto zero) { each_place(zero, [](auto& place, auto value) { place = value; }); });
}

}  // namespace
// offsets[…] = Σ index·stride over the columns of indices, each along its dimension of x; negative ones count
// from the end. Returns −1 if all indices are in range, else kMaxDims·(the first place, in logical order,
// with an index out of range) + the first such column there, which PyTorch reports. A GPU's waits for the
// result, unless the indices are `known` to be in range or a graph is captured.
GG_KERNEL(index_offsets, index_offsets_on_cpu);
// y[…] = x[… + offsets[…]], y contiguous; x and offsets have strides for y's shape.
GG_KERNEL(take, take_on_cpu);
// x[… + offsets[…]] = values[…], or += with accumulate. All have strides for one shape, each dimension of
// which belongs either to the offsets or to x. Values with equal offsets are written in order; `distinct`
// says that no two offsets are equal.
GG_KERNEL(index_put, index_put_on_cpu);
namespace {

// A single mask chooses no element twice.
bool is_one_mask(const std::vector<Tensor>& indices) {
  const Tensor* only = nullptr;
  for (const Tensor& i : indices) {
    if (!i) continue;
    if (only || !is_mask(i)) return false;
    only = &i;
  }
  return only;
}

// Indices that a node has saved were checked in the forward. Checking them again would wait for the GPU.
enum class Indices { Unchecked, Checked };

// Returns the offsets that the columns choose; throws if an index is out of range. If `nothing`, the result
// has no elements and the indices are not checked.
Tensor offsets_of(const View& x, Device device, const std::vector<Column>& columns, bool nothing,
                  Indices known) {
  const Dims common = broadcast_shape(columns);
  const Tensor offsets = empty_contiguous(common, int64, device);
  IndexColumns c;
  for (const Column& column : columns) {
    const int64_t size = x.shape[column.dim];
    check<IndexError>(size > 0 || offsets.numel() == 0, "index is out of bounds for dimension with size 0");
    c.indices[c.count] = column.indices.raw().as<const int64_t>();
    c.strides[c.count] = broadcast_strides(column.indices, common);
    c.size[c.count] = size;
    c.stride[c.count++] = x.strides[column.dim];
  }
  Dims none = common;
  for (int64_t& step : none.v) step = 0;
  for (int k = c.count; k < kMaxDims; ++k) c.strides[k] = none;
  if (nothing || offsets.numel() == 0 || device == kMeta) return offsets;
  const int64_t outside = index_offsets_on(device)(c, offsets.raw(), known == Indices::Checked);
  if (outside >= 0) {
    const int64_t number = outside % kMaxDims;
    const Tensor& bad = columns[size_t(number)].indices;
    fail<IndexError>("index {} is out of bounds for dimension {} with size {}",
                     index_at(part(bad, 0, common, c.strides[number]), outside / kMaxDims), number,
                     c.size[number]);
  }
  return offsets;
}

// The elements of x that the indices choose, and the shape that they take.
AdvancedIndex advanced_index(const View& x, Device device, const std::vector<Tensor>& indices,
                             Indices known = Indices::Unchecked) {
  const std::vector<Column> columns = columns_of(x.shape, device, indices);
  bool taken[kMaxDims] = {}, nothing = false;
  for (const Column& column : columns) taken[column.dim] = true;
  for (int d = 0; d < x.shape.n; ++d) nothing = nothing || (!taken[d] && x.shape[d] == 0);
  AdvancedIndex c;
  c.offsets = offsets_of(x, device, columns, nothing, known);
  const Dims& common = c.offsets.shape();
  c.distinct = c.offsets.numel() < 2 || is_one_mask(indices);
  // The indices' dimensions replace the indexed ones if those are adjacent, else they go to the front.
  const int first = columns.empty() ? 0 : columns.front().dim;
  const bool neighbours = columns.empty() || columns.back().dim - first + 1 == int(columns.size());
  const int where = neighbours ? first : 0;
  auto put_common = [&] {
    const Dims steps = contiguous_strides(common);
    for (int k = 0; k < common.n; ++k)
      c.shape.push(common[k]), c.x_strides.push(0), c.offset_strides.push(steps[k]);
  };
  for (int d = 0; d <= x.shape.n; ++d) {
    if (d == where) put_common();
    if (d < x.shape.n && !taken[d])
      c.shape.push(x.shape[d]), c.x_strides.push(x.strides[d]), c.offset_strides.push(0);
  }
  return c;
}

// The chosen elements, like torch.take, by their offsets; not recorded.
Tensor take(const View& x, Device device, const AdvancedIndex& c) {
  Tensor y = empty(c.shape, x.dtype, device);
  take_on(device)(c.of(x), c.of_offsets(), y.raw());
  return y;
}

// Writes the chosen elements, or adds to them; not recorded.
void index_put(const Tensor& x, const AdvancedIndex& c, const Tensor& values, bool accumulate) {
  const View from{values.raw().data, c.shape, broadcast_strides(values, c.shape), values.dtype()};
  // A broadcast scalar may be written in any order.
  const bool in_any_order = c.distinct || (values.numel() == 1 && !accumulate);
  index_put_on(x.device())(c.of(x.raw()), c.of_offsets(), from, accumulate, in_any_order);
}

// ---- saved by index and index_put_: the index tensors, and their positions in the list
struct Indexed {
  Dims from, positions;
  bool accumulate = false;
  static constexpr AttrNames kNames{"", "", "accumulate"};
};

// The positions in the list that hold an index (the others are undefined, for `:`).
Dims defined_positions(const std::vector<Tensor>& indices) {
  Dims positions;
  for (size_t k = 0; k < indices.size(); ++k)
    if (indices[k]) positions.push(int64_t(k));
  return positions;
}

std::vector<const Tensor*> with_indices(std::vector<const Tensor*> in, const std::vector<Tensor>& indices) {
  for (const Tensor& i : indices)
    if (i) in.push_back(&i);
  return in;
}

std::vector<Save> saves_of(const std::vector<Tensor>& indices) {
  std::vector<Save> saves;
  for (const Tensor& i : indices)
    if (i) saves.push_back({&i});
  return saves;
}

// Rebuilds the list of indices with its undefined entries: tensor(k) is the k-th that is defined.
template <class F>
std::vector<Tensor> listed(const Indexed& a, F tensor) {
  std::vector<Tensor> indices(a.positions.n ? size_t(a.positions[a.positions.n - 1] + 1) : 0);
  for (int k = 0; k < a.positions.n; ++k) indices[size_t(a.positions[k])] = tensor(k);
  return indices;
}
std::vector<Tensor> saved_indices(const BackwardContext& d, const Indexed& a) {
  return listed(a, [&](int k) { return d.saved(k); });
}

// index_put_, recorded as an op.
Tensor recorded_index_put(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& values,
                          bool accumulate, Indices known);

// Zeros of x's former shape, with g added where the indices point.
Tensor index_grad(const Tensor& g, const Dims& shape, const std::vector<Tensor>& indices) {
  return recorded_index_put(zeros(shape, g.dtype(), g.device()), indices, g, true, Indices::Checked);
}

// The list that indexes dimension `dim` alone.
std::vector<Tensor> along_dim(int64_t dim, const Tensor& indices) {
  std::vector<Tensor> list(size_t(dim) + 1);
  list.back() = indices;
  return list;
}

struct OfShape {
  Dims shape;
  static constexpr AttrNames kNames{};
};

// ---- where a cell comes from
// Rebuilds the list of indices from the call's inputs, starting at input `first`.
std::vector<Tensor> indices_of(const Cell& c, size_t first) {
  return listed(c.attr<Indexed>(), [&](int k) { return c.input(first + size_t(k)); });
}
// Returns the offset, from x's first element, of the chosen element at `index`.
int64_t offset_of(const AdvancedIndex& choice, const Dims& index) {
  return offset_of_index(index, choice.x_strides) +
         choice.offsets.raw().as<const int64_t>()[offset_of_index(index, choice.offset_strides)];
}

Expr why_index(const Cell& c) {
  return c.at(0, offset_of(advanced_index(c.input(0).raw(), kCpu, indices_of(c, 1)), c.index));
}
Expr why_index_put(const Cell& c) {
  const View x = c.input(0).raw();
  const AdvancedIndex choice = advanced_index(x, kCpu, indices_of(c, 2));
  const int64_t place = offset_of_index(c.index, x.strides);
  std::vector<Expr> terms = {c.in(0, c.index)};
  const Tensor& values = c.input(1);
  const int lead = choice.shape.n - int(values.dim());
  for (int64_t i = 0, n = choice.shape.numel(); i < n; ++i) {
    const Dims at = index_of(choice.shape, i);
    if (offset_of(choice, at) != place) continue;
    Dims from = values.shape();
    for (int d = 0; d < from.n; ++d) from[d] = from[d] == 1 ? 0 : at[d + lead];
    terms.push_back(cast(c.in(1, from), c.dtype()));
  }
  return c.attr<Indexed>().accumulate ? sum(std::move(terms), x.dtype) : terms.back();
}
Expr why_index_select(const Cell& c) {
  const auto dim = c.attr<DimAttr>().dim;
  if (c.input(0).dim() == 0) return c.in(0, Dims{});
  const Expr at = c.in(1, c.input(1).dim() ? Dims(c.index[dim]) : Dims{});
  return pick(c.in(0, with(c.index, int(dim), at.value().whole)), {at});
}
Expr why_masked_select(const Cell& c) {
  const Dims& shape = c.attr<OfShape>().shape;
  const Tensor& x = c.input(0);
  const View from{x.raw().data, shape, broadcast_strides(x, shape), x.dtype()};
  const Tensor mask = part(c.input(1), 0, shape, broadcast_strides(c.input(1), shape));
  return c.at(0, offset_of(advanced_index(from, kCpu, {mask}), c.index));
}

constexpr Op index_op{"index", "IndexBackward0", "x[indices[0][…], indices[1][…], …]", why_index};
constexpr Op index_put_op{"index_put_", "IndexPutBackward0", "values where an index points here, else x",
                          why_index_put};
constexpr Op index_select_op{"index_select", "IndexSelectBackward0", "x[…, indices[i], …]", why_index_select};
constexpr Op masked_select_op{"masked_select", "MaskedSelectBackward0",
                              "the i-th element of x where mask is true", why_masked_select};

// index, recorded as an op.
Tensor recorded_index(const Tensor& x, const std::vector<Tensor>& indices, Indices known) {
  Tensor y = take(x.raw(), x.device(), advanced_index(x.raw(), x.device(), indices, known));
  return record(index_op, y, with_indices({&x}, indices), saves_of(indices),
                Indexed{x.shape(), defined_positions(indices)}, [](BackwardContext& d, const Indexed& a) {
                  d[0] = index_grad(d.g, a.from, saved_indices(d, a));
                });
}

Tensor recorded_index_put(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& values,
                          bool accumulate, Indices known) {
  check_may_change(x, values);
  if (any_needs_grad({&x, &values})) check_no_overlap(x);  // without a graph, PyTorch allows it
  // To write one number under masks, PyTorch calls masked_fill_, which allows overlapping operands.
  const bool only_masks =
      std::none_of(indices.begin(), indices.end(), [](const Tensor& i) { return i && i.dtype() != boolean; });
  if (accumulate || !only_masks || values.numel() != 1) check_apart(x, values);
  for (const Tensor& i : indices)
    if (i && i.dtype() != boolean) check_apart(x, i);
  const AdvancedIndex c = advanced_index(x.raw(), x.device(), indices, known);
  check(values->is_number || values.dtype() == x.dtype(),
        "Index put requires the source and destination dtypes match, got {} for the destination and {} for "
        "the source.",
        scalar_type_name(x.dtype()), scalar_type_name(values.dtype()));
  check(expands_to(values.shape(), c.shape),
        "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
        values.shape(), c.shape);
  announce(x, values);
  if (values.dim() > 0) check_same_device({&x, &values});
  const bool copied = values.dtype() != x.dtype() || shares_memory(x, values);
  index_put(x, c, on_device(copied ? converted(values, x.dtype()) : values, x.device()), accumulate);
  const Indexed a{x.shape(), defined_positions(indices), accumulate};
  return record_in_place(
      index_put_op, x, with_indices({&x, &values}, indices), saves_of(indices), a,
      [](BackwardContext& d, const Indexed& at) {
        const std::vector<Tensor> chosen = saved_indices(d, at);
        constexpr Indices inside = Indices::Checked;
        if (d.needs(0))
          d[0] = at.accumulate ? d.g : recorded_index_put(clone(d.g), chosen, 0.0, false, inside);
        if (d.needs(1)) d[1] = recorded_index(d.g, chosen, inside);
      });
}

}  // namespace

Tensor index(const Tensor& x, const std::vector<Tensor>& indices) {
  return recorded_index(x, indices, Indices::Unchecked);
}

Tensor index_put_(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& values,
                  bool accumulate) {
  return recorded_index_put(x, indices, values, accumulate, Indices::Unchecked);
}

Tensor index_select(const Tensor& x, int64_t dim, const Tensor& indices) {
  const int along = wrap_dim(dim, x.dim());
  check<IndexError>(indices.dim() <= 1, "index_select(): Index is supposed to be a vector");
  check(indices.dtype() == int64 || indices.dtype() == int32,
        "index_select(): Expected dtype int32 or int64 for index");
  check(x.dim() > 0 || indices.numel() == 1,
        "index_select(): Index to scalar can have only 1 value, got {} value(s)", indices.numel());
  View from = x.raw();
  if (x.dim() == 0) from.shape = from.strides = 1;
  check_same_device({&x, &indices});
  // Make it dense before a loop of its length, so that a lack of memory is an error before the loop.
  const Tensor line = part(dense(in_int64(indices)), 0, indices.numel(), 1);
  check_indices<IndexError>(line, from.shape[along], [](int64_t) { return "index out of range in self"; });
  Tensor y = take(from, x.device(), advanced_index(from, x.device(), along_dim(along, line)));
  if (x.dim() == 0) y->shape = y->strides = Dims{};
  return record(index_select_op, y, {&x, &indices}, {{&indices}}, DimAttr{along, x.shape()},
                [](BackwardContext& d, const DimAttr& a) {
                  if (a.from.n == 0) return void(d[0] = d.g);
                  // Sum in the compute dtype, so that a narrow sum is rounded once.
                  const Tensor g = to(d.g, computed_in(d.g.dtype()));
                  d[0] = to(index_grad(g, a.from, along_dim(a.dim, d.saved(0).reshape({-1}))), d.g.dtype());
                });
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  check(mask.dtype() == boolean, "masked_select: expected BoolTensor for mask");
  check_same_device({&x, &mask});
  OfShape a{broadcast(mask.shape(), x.shape())};
  if (a.shape.n == 0) a.shape = 1;
  const View from{x.raw().data, a.shape, broadcast_strides(x, a.shape), x.dtype()};
  const Tensor chosen = part(mask, 0, a.shape, broadcast_strides(mask, a.shape));
  return record(masked_select_op, take(from, x.device(), advanced_index(from, x.device(), {chosen})),
                {&x, &mask}, {{&mask}}, a, [](BackwardContext& d, const OfShape& at) {
                  d[0] = index_grad(d.g, at.shape, {d.saved(0).expand(at.shape)});
                });
}

}  // namespace glassgrad

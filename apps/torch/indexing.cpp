// x[…] and x[…] = y. The entries in the brackets are applied one after the other, as in PyTorch: integers,
// slices, None and … make views; tensors, masks and lists are left for the end and choose elements together.
#include "indexing.h"

namespace glassgrad::GG_HOST {
namespace {

// A list that contains a list, slice, tensor, … or None counts as a tuple, as in PyTorch.
bool stands_for_tuple(Object o) {
  if (is_tuple(o)) return true;
  constexpr int64_t kLongest = 32;
  if (!is_list(o) || size(o) >= kLongest) return false;
  for (int64_t i = 0; i < size(o); ++i) {
    const Object part = item(o, i);
    if (is_tensor(part) || is_sequence(part) || is_slice(part) || is_ellipsis(part) || is_none(part))
      return true;
  }
  return false;
}

// The number of x's dimensions that an entry indexes.
int64_t dims_taken(Object entry) {
  if (is_none(entry) || is_ellipsis(entry) || is_truth(entry)) return 0;
  const Tensor* x = as_tensor(entry);
  return x && x->dtype() == boolean ? x->dim() : 1;
}

Tensor selected(const Tensor& x, int64_t dim, int64_t i, int64_t dim_in_brackets) {
  check<IndexError>(
      i != 0 || dim > 0 || x.dim() > 0,
      "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
      "convert a 0-dim tensor to a number");
  const int64_t size = dim < x.dim() ? x.shape()[dim] : 0;
  check<IndexError>(i >= -size && i < size, "index {} is out of bounds for dimension {} with size {}", i,
                    dim_in_brackets, size);
  return x.select(dim, i);
}

// A bound or the step of a slice.
int64_t slice_number(Object o, int64_t if_none) {
  if (is_none(o)) return if_none;
  if (const Tensor* x = as_tensor(o)) {
    check<TypeError>(x->numel() == 1 && !is_floating(x->dtype()),
                     "only integer tensors of a single element can be converted to an index");
    return x->item<int64_t>();
  }
  const std::optional<int64_t> value = bound_of(o);
  check<TypeError>(bool(value), "slice indices must be integers or None or have an __index__ method");
  return *value;
}

// Returns x itself for a slice from 0 to exactly the size, but not if the slice is alone in the brackets:
// x[0:3] is always a new view.
Tensor sliced(const Tensor& x, int64_t dim, Object slice, bool alone = false) {
  const SliceParts s = parts_of(slice);
  const int64_t step = slice_number(s.step, 1);
  check<ValueError>(step != 0, "slice step cannot be zero");
  check<ValueError>(step > 0, "step must be greater than zero");
  const int64_t start = slice_number(s.start, 0), stop = slice_number(s.stop, INT64_MAX);
  const int64_t size = dim < x.dim() ? x.shape()[dim] : 0;
  if (!alone && start == 0 && stop == size && step == 1) return x;
  check<IndexError>(x.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  return x.slice(dim, start, stop, step);
}

// The view that plain entries make, and the remaining index tensors, one per dimension of the view
// (undefined: the whole dimension).
class Chosen {
 public:
  Tensor view;
  std::vector<Tensor> indices;

  Chosen(const Tensor& x, Object brackets) : view(x), whole_dims_(x.dim()) {
    const bool several = stands_for_tuple(brackets);
    const int64_t n = several ? size(brackets) : 1;
    const auto entry = [&](int64_t i) { return several ? item(brackets, i) : brackets; };
    for (int64_t i = 0; i < n; ++i) taken_ += dims_taken(entry(i));
    check<IndexError>(taken_ <= x.dim(), "too many indices for tensor of dimension {}", x.dim());
    for (int64_t i = 0; i < n; ++i) take(entry(i), i);
  }

 private:
  int64_t whole_dims_, taken_ = 0, dim_ = 0;

  void take(Object entry, int64_t number) {
    if (is_plain_int(entry)) {
      view = selected(view, dim_, to_int(entry), number);
    } else if (is_slice(entry)) {
      view = sliced(view, dim_++, entry);
    } else if (is_ellipsis(entry)) {
      dim_ += whole_dims_ - taken_;
    } else if (is_none(entry)) {
      view = view.unsqueeze(dim_++);
    } else if (is_truth(entry)) {
      take_truth(to_bool(entry));
    } else if (const Tensor* x = as_tensor(entry)) {
      take_tensor(*x, number);
    } else if (is_sequence(entry)) {
      take_indices(from_values(entry, {.dtype = {}, .indices = true}));
    } else if (const std::optional<int64_t> i = index_of(entry)) {
      view = selected(view, dim_, *i, number);
    } else {
      fail<IndexError>(
          "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})",
          class_text(entry));
    }
  }

  void take_tensor(const Tensor& x, int64_t number) {
    if (x.dim() > 0 || is_floating(x.dtype())) return take_indices(x);
    if (x.dtype() == boolean) return take_truth(x.is_true());
    view = selected(view, dim_, x.item<int64_t>(), number);
  }

  // True adds a dimension of size 1, False one of size 0.
  void take_truth(bool truth) {
    view = view.unsqueeze(dim_);
    take_indices(zeros({int64_t(truth)}, int64, view.device()));
  }

  void take_indices(const Tensor& x) {
    indices.resize(size_t(dim_) + 1);
    indices[size_t(dim_++)] = x;
  }
};

// ---- assignment
Tensor assigned_value(const Tensor& x, Object o) {
  if (const Tensor* value = as_tensor(o)) return *value;
  check<TypeError>(is_number(o), "can't assign a {} to a torch.{}Tensor", class_text(o),
                   scalar_type_name(x.dtype()));
  const NoGrad plain;
  return full({}, to_number(o), x.dtype(), kCpu);
}

Tensor without_leading_ones(const Tensor& value) {
  int ones = 0;
  while (ones < value.dim() && value.shape()[ones] == 1) ++ones;
  if (ones == 0) return value;
  Dims shape;
  for (int64_t d = ones; d < value.dim(); ++d) shape.push(value.shape()[d]);
  return value.view(shape);
}

void write(const Tensor& to, const Tensor& value) {
  if (to.shape() == value.shape())
    copy_(to, value);
  else if (value.dim() == 0)
    fill_(to, value);
  else
    copy_(to, without_leading_ones(value).expand(to.shape()));
}

}  // namespace

Tensor get_item(const Tensor& x, Object brackets) {
  if (is_plain_int(brackets)) return selected(x, 0, to_int(brackets), 0);
  if (is_slice(brackets)) return sliced(x, 0, brackets, true);
  if (is_none(brackets)) return x.unsqueeze(0);
  const Chosen chosen(x, brackets);
  if (!chosen.indices.empty()) return index(chosen.view, chosen.indices);
  return chosen.view.ref() == x.ref() ? x.alias() : chosen.view;
}

void set_item(const Tensor& x, Object brackets, Object object) {
  const Tensor value = assigned_value(x, object);
  if (is_truth(brackets)) {
    if (to_bool(brackets)) write(x.unsqueeze(0), value);
    return;
  }
  if (is_ellipsis(brackets)) return write(x, value);
  if (is_none(brackets)) return write(x.unsqueeze(0), value);
  if (is_plain_int(brackets)) return write(selected(x, 0, to_int(brackets), 0), value);
  if (is_slice(brackets)) return write(sliced(x, 0, brackets), value);
  const Chosen chosen(x, brackets);
  if (chosen.indices.empty())
    write(chosen.view, value);
  else
    index_put_(chosen.view, chosen.indices, without_leading_ones(value));
}

}  // namespace glassgrad::GG_HOST

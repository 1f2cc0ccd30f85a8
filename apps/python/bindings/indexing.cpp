// x[…] and x[…] = y: what stands in the brackets, taken one after the other as PyTorch takes it. Integers,
// slices, None and … make views; tensors, masks and lists are left for the end, where they choose elements
// together.
#include "tensor_type.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

bool is_plain_int(PyObject* o) {
  return (PyLong_Check(o) && !PyBool_Check(o)) || (is_numpy_scalar(o) && is_int(o));
}

// A list whose parts are lists, slices, tensors, … or None counts as a tuple, as in PyTorch.
bool stands_for_tuple(PyObject* o) {
  if (PyTuple_Check(o)) return true;
  constexpr Py_ssize_t kLongest = 32;
  if (!PyList_Check(o) || PyList_GET_SIZE(o) >= kLongest) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) {
    PyObject* item = PyList_GET_ITEM(o, i);
    if (is_tensor(item) || PySequence_Check(item) || PySlice_Check(item) || item == Py_Ellipsis ||
        item == Py_None)
      return true;
  }
  return false;
}

// How many of x's dimensions an entry speaks of.
int64_t dims_taken(PyObject* entry) {
  if (entry == Py_None || entry == Py_Ellipsis || PyBool_Check(entry)) return 0;
  const Tensor* x = as_tensor(entry);
  return x && x->dtype() == boolean ? x->dim() : 1;
}

Tensor selected(const Tensor& x, int64_t dim, PyObject* index, int64_t dim_in_brackets) {
  const int64_t i = to_int(index);
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
int64_t slice_number(PyObject* o, int64_t if_none) {
  if (o == Py_None) return if_none;
  if (const Tensor* x = as_tensor(o)) {
    check<TypeError>(x->numel() == 1 && !is_floating(x->dtype()),
                     "only integer tensors of a single element can be converted to an index");
    return x->item<int64_t>();
  }
  const Py_ssize_t value = PyNumber_AsSsize_t(o, nullptr);  // as far as there are numbers
  check<TypeError>(!(value == -1 && PyErr_Occurred() && (PyErr_Clear(), true)),
                   "slice indices must be integers or None or have an __index__ method");
  return value;
}

// A slice from 0 to exactly the size leaves x as it is, except alone in the brackets: x[0:3] is always a new
// view.
Tensor sliced(const Tensor& x, int64_t dim, PyObject* slice, bool alone = false) {
  const auto* s = reinterpret_cast<PySliceObject*>(slice);
  const int64_t step = slice_number(s->step, 1);
  check<ValueError>(step != 0, "slice step cannot be zero");
  check<ValueError>(step > 0, "step must be greater than zero");
  const int64_t start = slice_number(s->start, 0), stop = slice_number(s->stop, PY_SSIZE_T_MAX);
  const int64_t size = dim < x.dim() ? x.shape()[dim] : 0;
  if (!alone && start == 0 && stop == size && step == 1) return x;
  check<IndexError>(x.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  return x.slice(dim, start, stop, step);
}

[[noreturn]] void refuse_entry(PyObject* entry) {
  fail<IndexError>(
      "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})",
      Py_TYPE(entry)->tp_name);
}

// The view that the plain entries give, and the tensors that are left, one per dimension of it (undefined:
// all).
class Chosen {
 public:
  Tensor view;
  std::vector<Tensor> indices;

  Chosen(const Tensor& x, std::span<PyObject* const> entries) : view(x), whole_dims_(x.dim()) {
    for (PyObject* entry : entries) taken_ += dims_taken(entry);
    check<IndexError>(taken_ <= x.dim(), "too many indices for tensor of dimension {}", x.dim());
    for (size_t i = 0; i < entries.size(); ++i) take(entries[i], int64_t(i));
  }

 private:
  int64_t whole_dims_, taken_ = 0, dim_ = 0;

  void take(PyObject* entry, int64_t number) {
    if (is_plain_int(entry)) {
      view = selected(view, dim_, entry, number);
    } else if (PySlice_Check(entry)) {
      view = sliced(view, dim_++, entry);
    } else if (entry == Py_Ellipsis) {
      dim_ += whole_dims_ - taken_;
    } else if (entry == Py_None) {
      view = view.unsqueeze(dim_++);
    } else if (PyBool_Check(entry)) {
      take_truth(entry == Py_True);
    } else if (const Tensor* x = as_tensor(entry)) {
      take_tensor(*x, number);
    } else if (PySequence_Check(entry)) {
      take_indices(from_python(entry, {.dtype = {}, .indices = true}));
    } else if (const py::object whole = py::reinterpret_steal<py::object>(PyNumber_Index(entry))) {
      view = selected(view, dim_, whole.ptr(), number);
    } else {
      PyErr_Clear();
      refuse_entry(entry);
    }
  }

  void take_tensor(const Tensor& x, int64_t number) {
    if (x.dim() > 0 || is_floating(x.dtype())) return take_indices(x);
    if (x.dtype() == boolean) return take_truth(x.is_true());
    view = selected(view, dim_, owned(wrap(x.item<int64_t>())).ptr(), number);
  }

  // True keeps everything under a new dimension, False nothing.
  void take_truth(bool truth) {
    view = view.unsqueeze(dim_);
    take_indices(zeros({int64_t(truth)}, int64, view.device()));
  }

  void take_indices(const Tensor& x) {
    indices.resize(size_t(dim_) + 1);
    indices[size_t(dim_++)] = x;
  }
};

// f(entries) of what stands in the brackets.
template <class F>
auto with_entries(PyObject* brackets, F f) {
  if (!stands_for_tuple(brackets)) return f(std::span<PyObject* const>(&brackets, 1));
  return f(std::span<PyObject* const>(PySequence_Fast_ITEMS(brackets),
                                      size_t(PySequence_Fast_GET_SIZE(brackets))));
}

Tensor get(const Tensor& x, PyObject* brackets) {
  if (is_plain_int(brackets)) return selected(x, 0, brackets, 0);
  if (PySlice_Check(brackets)) return sliced(x, 0, brackets, true);
  if (brackets == Py_None) return x.unsqueeze(0);
  return with_entries(brackets, [&](std::span<PyObject* const> entries) {
    const Chosen chosen(x, entries);
    if (!chosen.indices.empty()) return index(chosen.view, chosen.indices);
    return chosen.view.ref() == x.ref() ? x.alias() : chosen.view;
  });
}

// ---- assignment
Tensor assigned_value(const Tensor& x, PyObject* o) {
  if (const Tensor* value = as_tensor(o)) return *value;
  check<TypeError>(is_number(o), "can't assign a {} to a {}", Py_TYPE(o)->tp_name,
                   fmt::format("torch.{}Tensor", scalar_type_name(x.dtype())));
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

void set(const Tensor& x, PyObject* brackets, const Tensor& value) {
  if (brackets == Py_False) return;
  if (brackets == Py_Ellipsis) return write(x, value);
  if (brackets == Py_None || brackets == Py_True) return write(x.unsqueeze(0), value);
  if (is_plain_int(brackets)) return write(selected(x, 0, brackets, 0), value);
  if (PySlice_Check(brackets)) return write(sliced(x, 0, brackets), value);
  with_entries(brackets, [&](std::span<PyObject* const> entries) {
    const Chosen chosen(x, entries);
    if (chosen.indices.empty())
      write(chosen.view, value);
    else
      index_put_(chosen.view, chosen.indices, without_leading_ones(value));
  });
}

PyObject* get_slot(PyObject* self, PyObject* brackets) {
  return guarded([&] { return wrap(get(tensor_of(self), brackets)); });
}
int set_slot(PyObject* self, PyObject* brackets, PyObject* value) {
  return guarded([&] {
    check<TypeError>(value, "Tensor does not support deleting items");
    const Tensor& x = tensor_of(self);
    set(x, brackets, assigned_value(x, value));
    return 0;
  });
}

}  // namespace

void add_indexing(std::vector<PyType_Slot>& slots) {
  slots.push_back(slot(Py_mp_subscript, get_slot));
  slots.push_back(slot(Py_mp_ass_subscript, set_slot));
}

}  // namespace glassgrad::python

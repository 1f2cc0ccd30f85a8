// Compares the tensors that a frame's names refer to with those before. Looks only into lists, tuples, dicts
// and the attributes of objects, so that none of the program's code runs.
#include <fmt/core.h>

#include <algorithm>

#include "apps/python/host/host.h"
#include "engine/autograd.h"
#include "watch.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

constexpr size_t kMostObjects = 4096;  // visited after one line
constexpr int kShallow = 2, kDeepest = 12;

bool is_plain(PyObject* o) {
  return o == Py_None || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o) || PyType_Check(o) ||
         PyFunction_Check(o) || PyModule_Check(o) || PyCFunction_Check(o) || PyBytes_Check(o);
}

// Returns the object's attributes if its class was made by a program, else null.
py::object attributes_of(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || type->tp_dictoffset == 0) return {};
  py::object found = py::reinterpret_steal<py::object>(PyObject_GenericGetDict(o, nullptr));
  if (!found) PyErr_Clear();
  return found && PyDict_Check(found.ptr()) ? found : py::object();
}

std::string_view text_of(PyObject* key) {
  return PyUnicode_CheckExact(key) ? to_text(key) : std::string_view();
}
// Returns whether an address can contain the name.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 80 && std::none_of(name.begin(), name.end(), [](char c) {
    return c == '[' || c == ']' || c == ':' || static_cast<unsigned char>(c) <= ' ';
  });
}

}  // namespace

LineWatcher::Binding LineWatcher::binding_of(const Tensor& x) {
  const Storage& own = *x->storage;
  const Storage& root = *root_storage(x);
  return {.impl = x.ref().get(),
          .storage = own.id,
          .version = uint64_t(own.version) << 32 | root.version,
          .node = x->fn ? x->fn->seq : 0,
          .offset = x->offset,
          .shape = x.shape()};
}

LineWatcher::SeenName& LineWatcher::Frame::seen_name(PyObject* name, size_t& at) {
  if (++at >= names.size() || names[at].first != name) {
    at = 0;
    while (at < names.size() && names[at].first != name) ++at;
    if (at == names.size()) names.emplace_back(name, SeenName());
  }
  return names[at].second;
}

void LineWatcher::look(Frame& f, PyObject* locals, bool deep, std::vector<NamedValue>& found) {
  struct Bound {
    std::string_view name;
    PyObject* object;
    bool deep, changed;
  };
  std::vector<Bound> places;
  ++f.looks;
  PyObject *key = nullptr, *value = nullptr;
  size_t place = SIZE_MAX;
  for (Py_ssize_t at = 0; PyDict_Next(locals, &at, &key, &value);) {
    if (is_plain(value)) continue;
    const std::string_view name = text_of(key);
    if (!is_name(name) || name.starts_with("__")) continue;
    SeenName& known = f.seen_name(key, place);
    const Tensor* const x = as_tensor(value);
    const Binding now = x ? binding_of(*x) : Binding();
    const bool changed = x && !(known.binding == now);
    if (!x || changed || deep) places.push_back({name, value, deep || known.object != value, changed});
    known = {.object = value, .binding = now, .look = f.looks};
  }
  // Compare names with each other only after all of them are up to date.
  Look how{.deep = deep, .left = kMostObjects};
  for (const Bound& p : places) {
    if (const Tensor* x = as_tensor(p.object)) {
      if (p.changed) add(std::string(p.name), *x, f, found);
      if (deep && (*x)->grad) look_at_tensor(fmt::format("{}.grad", p.name), x->grad(), false, f, found);
      continue;
    }
    how.deep = p.deep;
    look_into(std::string(p.name), p.object, 1, how, f, found);
  }
}

void LineWatcher::look_at_tensor(const std::string& name, const Tensor& x, bool deep, Frame& f,
                                 std::vector<NamedValue>& found) {
  const auto known = shown_.find(x.ref().get());
  if (known == shown_.end() || !(known->second == binding_of(x))) add(name, x, f, found);
  if (deep && x->grad) look_at_tensor(name + ".grad", x.grad(), false, f, found);
}

void LineWatcher::look_into(const std::string& name, PyObject* o, int depth, Look& how, Frame& f,
                            std::vector<NamedValue>& found) {
  if (how.left == 0) return;
  --how.left;
  if (const Tensor* x = as_tensor(o)) return look_at_tensor(name, *x, how.deep, f, found);
  if (depth > (how.deep ? kDeepest : kShallow)) return;
  constexpr Py_ssize_t kMostItems = 256;
  if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    for (Py_ssize_t i = std::max<Py_ssize_t>(0, n - kMostItems); i < n && i < PySequence_Fast_GET_SIZE(o);
         ++i)
      if (PyObject* const item = PySequence_Fast_GET_ITEM(o, i); !is_plain(item))
        look_into(fmt::format("{}[{}]", name, i), item, depth + 1, how, f, found);
    return;
  }
  const auto look_into_values = [&](PyObject* dict, auto name_of) {
    if (!dict || !PyDict_Check(dict) || PyDict_GET_SIZE(dict) > 4 * kMostItems) return;
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);)
      if (!is_plain(value))
        if (const std::string inner = name_of(key); !inner.empty())
          look_into(inner, value, depth + 1, how, f, found);
  };
  if (PyDict_CheckExact(o))
    return look_into_values(o, [&](PyObject* key) {
      if (PyLong_CheckExact(key)) return fmt::format("{}[{}]", name, PyLong_AsLong(key));
      const std::string_view text = text_of(key);
      return is_name(text) ? fmt::format("{}['{}']", name, text) : std::string();
    });
  const py::object attributes = attributes_of(o);
  if (!attributes) return;
  const auto attribute = [&](PyObject* key) {
    const std::string_view text = text_of(key);
    return is_name(text) && !text.starts_with("__") ? fmt::format("{}.{}", name, text) : std::string();
  };
  // A module stores its own parameters, buffers and submodules in dicts with names that no program writes.
  PyObject* const modules = PyDict_GetItemString(attributes.ptr(), "_modules");
  if (!modules) return look_into_values(attributes.ptr(), attribute);
  look_into_values(attributes.ptr(), [&](PyObject* key) {
    return text_of(key).starts_with('_') ? std::string() : attribute(key);
  });
  look_into_values(PyDict_GetItemString(attributes.ptr(), "_parameters"), attribute);
  look_into_values(PyDict_GetItemString(attributes.ptr(), "_buffers"), attribute);
  look_into_values(modules, attribute);
}

void LineWatcher::add(const std::string& name, const Tensor& x, const Frame& f,
                      std::vector<NamedValue>& found) {
  const Binding now = binding_of(x);
  shown_[x.ref().get()] = now;
  NamedValue value{.name = name, .value = learn::value_of(x, recorder_->snapshots().take(x))};
  value.value.node = recorder_->node_of(x);
  if (collects_) return found.push_back(std::move(value));
  give(name, x, value.value);
  for (const auto& [key, known] : f.names) {
    if (known.look != f.looks || known.binding.storage != now.storage || !known.binding.impl) continue;
    const std::string_view other = text_of(key);
    if (other == name || (!value.shared_with.empty() && other > value.shared_with)) continue;
    value.shared_with = other;
    value.is_same = known.binding.offset == now.offset && known.binding.shape == now.shape;
  }
  found.push_back(std::move(value));
}

// Records a tensor that no call has written as given: numbers of the program's text, a file, a loader.
void LineWatcher::give(const std::string& name, const Tensor& x, const learn::Value& value) {
  if (x.numel() == 0 || given_.contains(value.buffer.get())) return;
  Dims first = x.shape();
  for (int d = 0; d < first.n; ++d) first[d] = 0;
  if (recorder_->writer_before_hand(value, first)) return;
  given_.emplace(value.buffer.get(), value.buffer);
  const int turn = ++given_names_[name];
  const std::string as = turn == 1 ? name : fmt::format("{}#{}", name, turn);
  if (options_.keep.first <= 1 || run_.first_round > 0) change(as, x);
  run_.given.push_back({.name = as, .value = value, .label = {}});
  given_at_.push_back(recorder_->calls().size());
}

}  // namespace glassgrad::python

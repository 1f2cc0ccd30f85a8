#include "table.h"

#include <deque>
#include <map>

#include "bind.h"

namespace py = pybind11;

namespace glassgrad::python {

namespace {

struct Overload {
  Signature signature;
  Call call;
};
// All overloads of one name in one place.
struct Function {
  std::string name, help, document;
  bool method = false;
  std::vector<Overload> overloads;

  PyObject* operator()(PyObject* self, const PythonCall& call) const;
  [[noreturn]] void refuse(PyObject* self, const PythonCall& call) const;
  std::string documentation() const;
};

PyObject* Function::operator()(PyObject* self, const PythonCall& call) const {
  Arguments a;
  for (const Overload& o : overloads)
    if (o.signature.accepts(call, self, a)) return o.call(a);
  refuse(self, call);
}

// One overload that takes so many arguments explains itself; otherwise all that there are are listed.
void Function::refuse(PyObject* self, const PythonCall& call) const {
  std::vector<const Signature*> all, plausible;
  for (const Overload& o : overloads) {
    if (o.signature.hidden()) continue;
    all.push_back(&o.signature);
    if (o.signature.fits_count(size_t(call.n + call.n_names()), method)) plausible.push_back(&o.signature);
  }
  if (overloads.size() == 1) plausible = all;
  Arguments a;
  if (plausible.size() == 1) plausible[0]->accepts(call, self, a, true);
  throw TypeError(mismatch(call, all, method));
}

// The first line is what inspect.signature reads.
std::string Function::documentation() const {
  std::string text = name + overloads[0].signature.python(method) + "\n--\n\n";
  if (!help.empty()) text += help + "\n";
  for (const Overload& o : overloads)
    if (!o.signature.hidden()) text += "\n    " + name + o.signature.describe(method);
  return text;
}

// ---- entries
// Python hands a C function no data of ours beside a method's self: each name has an entry of its own, which
// knows its place in this list.
constexpr size_t kMost = 1024;
std::array<const Function*, kMost> functions;

PyObject* enter(const Function& f, PyObject* self, const PythonCall& call) {
  return guarded([&] { return f(self, call); });
}
template <size_t I>
PyObject* entry(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  return enter(*functions[I], self, {args, n, names});
}
using Entry = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
constexpr auto kEntries = []<size_t... I>(std::index_sequence<I...>) {
  return std::array<Entry, kMost>{&entry<I>...};
}
(std::make_index_sequence<kMost>());

// ---- putting the names where they belong
struct PlaceName {
  Place place;
  const char* module;  // of the extension; null: itself, or class Tensor
  const char* qualified;
};
constexpr PlaceName kPlaces[] = {{kTorch, nullptr, "torch"},
                                 {kMethod, nullptr, "torch.Tensor"},
                                 {kFunctional, "F", "torch.nn.functional"},
                                 {kLinalg, "linalg", "torch.linalg"}};

std::string_view help_of(Place place, const std::string& name) {
  static const std::map<std::string_view, std::string_view> all = {
#define HELP(name, text) {name, text},
#include "help.def"
#undef HELP
  };
  const char* const in = place == kTorch        ? "torch."
                         : place == kMethod     ? "Tensor."
                         : place == kFunctional ? "F."
                                                : "linalg.";
  for (const std::string& known : {in + name, name})
    if (const auto found = all.find(known); found != all.end()) return found->second;
  return name.back() == '_' ? "The function of the same name without the underscore, in place." : "";
}

// Kept for the life of the process, as Python's functions point into it.
std::deque<Function>& all_functions() {
  static auto* kept = new std::deque<Function>;
  return *kept;
}
std::deque<PyMethodDef>& definitions() {
  static auto* kept = new std::deque<PyMethodDef>;
  return *kept;
}

PyMethodDef* define(Function& f) {
  const size_t place = definitions().size();
  check(place < kMost, "the table of functions is full");
  functions[place] = &f;
  f.document = f.documentation();
  definitions().push_back({f.name.c_str(),
                           reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(kEntries[place])),
                           METH_FASTCALL | METH_KEYWORDS, f.document.c_str()});
  return &definitions().back();
}

void install(Function& f, py::handle where) {
  PyMethodDef* const d = define(f);
  const py::object o =
      owned(f.method ? PyDescr_NewMethod(tensor_type, d) : PyCFunction_NewEx(d, nullptr, nullptr));
  if (!f.method)
    where.attr(f.name.c_str()) = o;
  else if (PyDict_SetItemString(tensor_type->tp_dict, f.name.c_str(), o.ptr()) < 0)
    throw py::error_already_set();
}

// [(name, [stub signature, …], help), …] of a place: what the stubs are written from.
py::list stubs(const std::map<std::string, Function*>& functions_here) {
  py::list list;
  for (const auto& [name, f] : functions_here) {
    py::list signatures;
    for (const Overload& o : f->overloads) signatures.append(o.signature.stub(f->method));
    list.append(py::make_tuple(name, signatures, f->help));
  }
  return list;
}

std::map<std::string, Function*> collect(const Rows& rows, Place place) {
  std::map<std::string, Function*> here;
  for (const Row& r : rows) {
    if (!(r.places & place)) continue;
    Signature s(r.signature);
    if (place == kMethod) s.drop_out();
    if (r.places & kWritten) s.say_as_python();
    check(r.slots + (s.out() >= 0) <= int(s.parameters().size()) || r.slots == 0,
          "{}: the function reads more than the signature has", r.signature);
    check(s.out() < 0 || r.slots == 0 ||
              r.outs == (s.parameters()[size_t(s.out())].kind == Kind::Tensors ? 2 : 1),
          "{}: the function does not write what out= names", r.signature);
    Function*& f = here[s.name()];
    if (!f) {
      f = &all_functions().emplace_back();
      f->name = s.name();
      f->method = place == kMethod;
    }
    if (f->help.empty()) f->help = r.help.empty() ? help_of(place, s.name()) : r.help;
    f->overloads.push_back({std::move(s), r.call});
  }
  return here;
}

}  // namespace

Row named_row(unsigned places, std::string_view signature) {
  return {places,
          signature,
          [](const Arguments& a) -> PyObject* {
            for (size_t i = 0; i < a.signature->parameters().size(); ++i)
              if (const Kind k = a.signature->parameters()[i].kind; k == Kind::Name || k == Kind::Names) {
                const Tensor* const x = as_tensor(a.slot[0]);
                if (!x || !a.slot[i]) break;
                std::string none;
                for (int64_t d = 0; d < x->dim(); ++d) none += d ? ", None" : "None";
                PyObject* const name =
                    PyUnicode_Check(a.slot[i]) ? a.slot[i] : PySequence_Fast_ITEMS(a.slot[i])[0];
                fail("Name '{}' not found in Tensor[{}].", PyUnicode_AsUTF8(name), none);
              }
            fail("glassgrad's dimensions have no names");
          },
          "",
          0,
          0};
}

void bind_functions(py::module_& m) {
  Rows rows;
  for (Rows (*family)() :
       {creation_rows, random_rows, pointwise_rows, comparison_rows, in_place_rows, product_rows,
        reduction_rows, order_rows, view_rows, joining_rows, indexing_rows, functional_rows, loss_rows})
    for (Row& r : family()) rows.push_back(r);
  py::dict table;
  for (const PlaceName& p : kPlaces) {
    py::module_ module = p.module ? m.def_submodule(p.module) : m;
    const auto here = collect(rows, p.place);
    for (const auto& [name, f] : here) install(*f, module);
    table[p.qualified] = stubs(here);
  }
  PyType_Modified(tensor_type);
  m.attr("signatures") = table;
}

}  // namespace glassgrad::python

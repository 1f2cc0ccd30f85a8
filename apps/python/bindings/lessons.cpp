// The lessons: recordings whose tensors can be read and whose numbers can be opened. Wrapped by _lessons.py.
#include <fmt/core.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "apps/ask/lesson_flags.h"
#include "apps/ask/why/explanation.h"
#include "apps/cli/arguments.h"
#include "apps/lesson/markdown.h"
#include "apps/lesson/selection.h"
#include "apps/python/host/host.h"
#include "bind.h"
#include "engine/autograd.h"
#include "engine/glass/why.h"
#include "engine/print.h"
#include "engine/random.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

using learn::Entry, learn::Lesson, learn::Recording, learn::Settings, learn::Step;
using Texts = std::vector<std::pair<std::string, std::string>>;

// Keeps a lesson from changing the caller's random numbers and grad mode.
class RestoreCallerState {
 public:
  RestoreCallerState() : state_(default_generator().state()) {}
  ~RestoreCallerState() { default_generator().set_state(state_); }
  RestoreCallerState(const RestoreCallerState&) = delete;
  RestoreCallerState& operator=(const RestoreCallerState&) = delete;

 private:
  Generator::State state_;
  GradMode mode_{true};
};

// Returns a copy in float32 outside of the graph: the caller may change x later.
Tensor copy_as_float32(const Tensor& x) {
  const NoGrad off;
  return clone(to(x.detach(), float32));
}

struct Request {
  Texts flags;  // "--seed", "7"
  std::map<std::string, Tensor> weights;
  Tensor inputs;
  std::string tokens;
  std::vector<std::string> changes;  // "masked[2,1]=0.9"
};

Recording run(const std::string& name, const Request& request) {
  const RestoreCallerState restore;
  const Lesson& lesson = learn::find_lesson(name);
  std::vector<Settings::GivenFlag> given;
  std::string typed;
  for (const auto& [flag, text] : request.flags) {
    given.push_back({flag, text});
    typed += learn::as_typed(flag, text);
  }
  Settings settings(lesson, given);
  if (request.inputs) settings.take_inputs(copy_as_float32(request.inputs), "inputs");
  for (const auto& [weight, values] : request.weights)
    settings.weights[weight] = {.path = weight, .values = copy_as_float32(values)};
  if (!request.tokens.empty()) settings.name_tokens(request.tokens);
  learn::WhatIf what_if(learn::runner(lesson, settings), typed, learn::Keep::Calls);
  what_if.set(request.changes);
  return what_if.recording();
}

py::dict described(const Step& step) {
  py::list names;
  for (const Entry& e : step.entries)
    if (e.value) names.append(e.name);
  return py::dict(py::arg("id") = step.id, py::arg("number") = step.number, py::arg("section") = step.section,
                  py::arg("title") = step.title, py::arg("sentences") = learn::plain_words(step.sentences),
                  py::arg("code") = step.code, py::arg("tensors") = names);
}

std::vector<py::dict> steps(const Recording& recording) {
  std::vector<py::dict> all;
  for (const Step& step : recording.steps) all.push_back(described(step));
  return all;
}

// Returns a copy of the tensor at "STEP:TENSOR".
Tensor numbers(const Recording& recording, const std::string& address) {
  const NoGrad off;
  return clone(learn::find_tensor(recording, address).entry->value->tensor());
}

std::string opened(const Recording& recording, const std::string& address, int64_t depth, bool exact,
                   bool json) {
  check<UsageError>(depth >= 1, "depth is at least 1");
  const learn::Address cell = learn::find_cell(recording, address);
  if (json) return why::cell_json(recording, cell, depth).dump() + "\n";
  return why::text_of(why::explain(recording, cell, {.writing = {.exact = exact}, .depth = depth}));
}

// Returns text, as in the tensor's repr, and value of the elements with these row-major numbers.
std::vector<std::pair<std::string, double>> elements(const Tensor& tensor,
                                                     const std::vector<int64_t>& which) {
  const Tensor x = on_host(tensor);
  const View view = x.raw();
  const auto write = element_writer(view);
  std::vector<std::pair<std::string, double>> all;
  for (int64_t number : which) {
    Dims index = view.shape;
    for (int d = index.n - 1; d >= 0; --d) {
      index[d] = number % view.shape[d];
      number /= view.shape[d];
    }
    const Scalar value = element(x, index);
    const double real = is_floating(value.dtype) ? value.real : double(value.whole);
    all.emplace_back(write(offset_of_index(index, view.strides)), real);
  }
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Lesson* lesson : learn::lessons()) all.emplace_back(lesson->id);
  return all;
}

}  // namespace

void bind_lessons(py::module_& m) {
  py::register_exception_translator([](std::exception_ptr caught) {
    try {
      std::rethrow_exception(caught);
    } catch (const UsageError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
  });
  py::class_<Recording>(m, "Recording")
      .def("steps", steps)
      .def("tensor", numbers, py::arg("address"))
      .def("opened", opened, py::arg("address"), py::arg("depth"), py::arg("exact"), py::arg("json"));
  m.def(
      "record",
      [](const std::string& name, Texts flags, std::map<std::string, Tensor> weights, const Tensor& inputs,
         std::string tokens, std::vector<std::string> changes) {
        return run(name,
                   {std::move(flags), std::move(weights), inputs, std::move(tokens), std::move(changes)});
      },
      py::arg("name"), py::arg("flags"), py::arg("weights"), py::arg("inputs"), py::arg("tokens"),
      py::arg("changes"));
  m.def("lesson_names", names);
  m.def("print_limits", [] { return std::pair(print_options().threshold, print_options().edgeitems); });
  m.def("elements", elements, py::arg("x"), py::arg("which"));
}

}  // namespace glassgrad::python

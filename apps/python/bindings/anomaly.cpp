// torch.autograd.set_detect_anomaly: checks each gradient when it is computed, and remembers where in the
// program each node was made.
#include <pybind11/stl.h>

#include <unordered_map>

#include "apps/python/host/host.h"
#include "bind.h"
#include "engine/autograd.h"
#include "engine/glass/anomaly.h"

namespace py = pybind11;

namespace glassgrad::python {
namespace {

struct BackwardAnomalies : Observer {
  py::object here, warn;  // here() returns the place in the program; warn(node, place) shows it
  bool check_nan = true;
  std::unordered_map<uint64_t, py::object> made_at;  // by a node's seq

  bool wants_steps() const override { return false; }
  void op(const Call& call) override {
    if (call.backward_of) return;
    for (const Tensor& out : call.out)
      if (out && out->fn) made_at.insert_or_assign(out->fn->seq, here());
  }
  void backward(const Node& n, std::span<const Tensor>, std::span<const Tensor> out) override {
    if (!check_nan) return;
    for (size_t i = 0; i < out.size(); ++i) {
      const char* const what = non_finite_kind(out[i]);
      if (!what || what[0] != 'n') continue;
      show(n);
      fail("Function '{}' returned nan values in its {}th output.", n.name(), i);
    }
  }
  void show(const Node& n) const {
    const auto made = made_at.find(n.seq);
    warn(n.name(), made != made_at.end() ? made->second : py::none());
  }
};

BackwardAnomalies& anomalies() {
  static auto& one = *new BackwardAnomalies;  // never freed: the interpreter has freed its objects by then
  return one;
}
bool enabled() { return watching == &anomalies(); }

void enable(bool on, bool check_nan, py::object here, py::object warn) {
  BackwardAnomalies& a = anomalies();
  a.check_nan = check_nan;
  if (on == enabled()) return;
  check(!watching || enabled(), "something else is watching this computation already");
  a.here = std::move(here), a.warn = std::move(warn);
  a.made_at.clear();
  watching = on ? &a : nullptr;
}

}  // namespace

void bind_anomaly(py::module_& m) {
  m.def("detect_anomaly", enable, py::arg("on"), py::arg("check_nan"), py::arg("here"), py::arg("warn"));
  m.def("is_anomaly_enabled", enabled);
  m.def("is_anomaly_check_nan_enabled", [] { return enabled() && anomalies().check_nan; });
}

}  // namespace glassgrad::python

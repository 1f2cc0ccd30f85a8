// The op table on a GPU: every row's values and gradients, of first and second order, beside the CPU's. Where
// there is no GPU, and the build emulates none, there is nothing to compare.
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "gpu.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

// The worst over all outputs.
double relative_difference(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    if (!a[k] != !b[k]) return INFINITY;
    const double difference = a[k] ? testing::relative_difference(a[k], b[k]) : 0;
    if (!(difference <= worst)) worst = difference;  // nan, too
  }
  return worst;
}

Tensors moved(const Tensors& x, Device device) {
  Tensors y;
  for (const Tensor& t : x) y.push_back(t ? to(t.detach(), device) : t);
  return y;
}

struct Results {
  Tensors values, first, second;
};

// The row on inputs where they lie; cotangents are drawn on the CPU.
Results results_of(const OpRow& row, const Tensors& inputs, Device device) {
  const DefaultDevice here(device);
  Results r;
  Tensors x;
  for (const Tensor& t : inputs) x.push_back(row.gradient ? leaf(to(t, device)) : to(t, device));
  r.values = row.call(x);
  if (!row.gradient) return r;
  const auto cotangents = [&](const Tensors& y) {
    const DefaultDevice cpu(kCpu);
    Generator g(7);
    return moved(random_cotangents(moved(y, kCpu), g), device);
  };
  r.first = analytic_gradients(r.values, x, cotangents(r.values), true);
  r.second = analytic_gradients(r.first, x, cotangents(r.first), false);
  Tensors fused;  // without a graph of its own, the kernels' gradients
  const Tensors again = row.call(x);
  for (const Tensor& g : analytic_gradients(again, x, cotangents(again), false)) r.first.push_back(g);
  return r;
}

struct Worst {
  double difference = 0;
  std::string where = "nowhere";
  int64_t compared = 0;
  void add(double d, const std::string& text) {
    ++compared;
    if (!(d <= difference)) difference = d, where = text;
  }
};

void compare(const OpRow& row, const Tensors& inputs, const std::string& text, Worst& worst) {
  try {
    const Results cpu = results_of(row, inputs, kCpu), gpu = results_of(row, inputs, kGpu);
    for (const Tensor& y : gpu.values) CHECK_MESSAGE(y.device() == kGpu, text);
    const double d =
        std::max({relative_difference(gpu.values, cpu.values), relative_difference(gpu.first, cpu.first),
                  relative_difference(gpu.second, cpu.second)});
    const double allowed = inputs.empty() || inputs[0].dtype() == float32 ? 1e-5 : 1e-12;
    CHECK_MESSAGE(d <= allowed, text << ": " << d);
    worst.add(d, text);
  } catch (const std::exception& e) {
    FAIL_CHECK(text << ": " << e.what());
  }
}

// GLASSGRAD_TEST_OPS=softmax,sum: only the rows whose names begin so.
bool is_wanted(const std::string& name) {
  const char* const set = std::getenv("GLASSGRAD_TEST_OPS");
  if (!set) return true;
  std::istringstream names(set);
  for (std::string prefix; std::getline(names, prefix, ',');)
    if (name.starts_with(prefix)) return true;
  return false;
}

}  // namespace

TEST_CASE("every op and its gradients on a GPU") {
  if (!has_gpu()) return;
  Worst worst32, worst64;
  for (const OpRow& row : op_table())
    for (const auto& shapes : row.shapes)
      for (const Layout layout : kLayouts) {
        if (!has_layout(shapes, layout) || !is_wanted(row.name)) continue;
        const Tensors wide = sample_inputs(row, shapes, layout);
        Tensors narrow;
        for (const Tensor& t : wide) narrow.push_back(to(t, float32));
        std::string text = row.name;
        for (const Dims& shape : shapes) text += " " + to_string(shape);
        compare(row, wide, text + " float64", worst64);
        compare(row, narrow, text + " float32", worst32);
      }
  MESSAGE(fmt::format(
      "cuda: {} rows on {}: float32 {} samples, worst {:.1e} ({}); float64 {} samples, worst {:.1e} ({})",
      op_table().size(), to_string(kGpu), worst32.compared, worst32.difference, worst32.where,
      worst64.compared, worst64.difference, worst64.where));
}

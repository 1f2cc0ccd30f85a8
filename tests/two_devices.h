// Compares a row of the op table on the CPU and on the GPU: values, first and second derivatives, and the
// gradients of the fused kernels, which run only without create_graph.
#pragma once
#include "gpu.h"
#include "op_table.h"

namespace testing {

inline double relative_difference(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    if (!a[k] != !b[k]) return INFINITY;
    const double difference = a[k] ? relative_difference(a[k], b[k]) : 0;
    if (!(difference <= worst)) worst = difference;  // nan, too
  }
  return worst;
}

inline Tensors moved(const Tensors& x, glassgrad::Device device) {
  Tensors y;
  for (const Tensor& t : x) y.push_back(t ? to(t.detach(), device) : t);
  return y;
}

struct Results {
  Tensors values, gradients, second;
};

// Returns the row's results on this device; draws the cotangents on the CPU.
inline Results results_of(const OpRow& row, const Tensors& inputs, glassgrad::Device device, bool second) {
  const glassgrad::DefaultDevice here(device);
  Results r;
  Tensors x = moved(inputs, device);
  if (row.gradient)
    for (Tensor& t : x) t = leaf(t);
  r.values = row.call(x);
  if (!row.gradient) return r;
  const auto cotangents = [&](const Tensors& y) {
    const glassgrad::DefaultDevice cpu(glassgrad::kCpu);
    glassgrad::Generator g(7);
    return moved(random_cotangents(moved(y, glassgrad::kCpu), g), device);
  };
  r.gradients = analytic_gradients(r.values, x, cotangents(r.values), false);
  if (!second) return r;
  const Tensors again = row.call(x), composed = analytic_gradients(again, x, cotangents(again), true);
  r.second = analytic_gradients(composed, x, cotangents(composed), false);
  r.gradients.insert(r.gradients.end(), composed.begin(), composed.end());
  return r;
}

// The worst of many comparisons.
struct Worst {
  double difference = 0;
  std::string where = "nowhere";
  int64_t compared = 0;
  void add(double d, const std::string& text) {
    ++compared;
    if (!(d <= difference)) difference = d, where = text;
  }
};

inline void compare_devices(const OpRow& row, const Tensors& inputs, Worst& worst, bool second = true) {
  std::string text = row.name;
  for (const Tensor& t : inputs) text += fmt::format(" {} {}", to_string(t.shape()), dtype_name(t.dtype()));
  try {
    const Results cpu = results_of(row, inputs, glassgrad::kCpu, second),
                  gpu = results_of(row, inputs, kGpu, second);
    for (const Tensor& y : gpu.values) CHECK_MESSAGE(y.device() == kGpu, text);
    const double d = std::max({relative_difference(gpu.values, cpu.values),
                               relative_difference(gpu.gradients, cpu.gradients),
                               relative_difference(gpu.second, cpu.second)});
    const bool narrow = inputs.empty() || inputs[0].dtype() != glassgrad::float64;
    CHECK_MESSAGE(d <= (narrow ? 1e-5 : 1e-12), text << ": " << d);
    worst.add(d, text);
  } catch (const std::exception& e) {
    FAIL_CHECK(text << ": " << e.what());
  }
}

}  // namespace testing

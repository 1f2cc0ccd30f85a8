// Compares gradients with central differences, in float64, through a random cotangent, because a plain sum
// would hide errors that cancel. A missing gradient is compared as zero.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "engine/ops.h"

namespace testing {

using glassgrad::Dims;
using glassgrad::Tensor;
using Tensors = std::vector<Tensor>;
// Type-erased, so that a second-order check does not make the compiler instantiate third-order ones, and so
// on.
using Function = std::function<Tensors(const Tensors&)>;

// The result: the worst cell in words, and the number of cells compared. ok is false if any cell is off.
struct GradcheckResult {
  bool ok = true;
  int64_t cells = 0;
  std::string worst = {};
};

inline constexpr double kStep = 1e-6, kAbsolute = 1e-7, kRelative = 1e-5;
// Inputs and cotangents are multiples of this: float32 holds them exactly.
inline constexpr double kGrid = 0x1p-16;

// The places of a tensor's elements in its storage, in logical order.
inline std::vector<double*> cells_of(const Tensor& x) {
  std::vector<double*> cells;
  const glassgrad::View v = x.raw();
  Dims at;
  for (int64_t left = x.numel(); left > 0; --left) {
    int64_t place = 0;
    for (int d = 0; d < v.shape.n; ++d) place += at[d] * v.strides[d];
    cells.push_back(v.as<double>() + place);
    for (int d = v.shape.n - 1; d >= 0 && ++at[d] == v.shape[d]; --d) at[d] = 0;
  }
  return cells;
}

inline Tensor leaf(const Tensor& x) {
  const Tensor y = x.detach();
  y.requires_grad_();
  return y;
}

// Σ cotangent ⊙ output over all outputs.
inline double weighted_sum(const Tensors& outputs, const Tensors& cotangents) {
  long double total = 0;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!cotangents[k]) continue;
    const auto y = outputs[k].to_vector<double>(), v = cotangents[k].to_vector<double>();
    for (size_t i = 0; i < y.size(); ++i) total += static_cast<long double>(y[i]) * v[i];
  }
  return static_cast<double>(total);
}

// Normal numbers on the grid, in each floating output's shape; undefined for other outputs, which have no
// gradient.
inline Tensors random_cotangents(const Tensors& outputs, glassgrad::Generator& g) {
  Tensors cotangents;
  for (const Tensor& y : outputs)
    cotangents.push_back(is_floating(y.dtype()) ? randn(y.shape(), glassgrad::float64, g) : Tensor());
  for (const Tensor& v : cotangents)
    for (double* cell : v ? cells_of(v) : std::vector<double*>()) *cell = std::round(*cell / kGrid) * kGrid;
  return cotangents;
}

// The outputs that have a gradient, with their cotangents.
struct Roots {
  Tensors outputs, cotangents;
  Roots(const Tensors& y, const Tensors& v) {
    for (size_t k = 0; k < y.size(); ++k)
      if (v[k] && y[k].requires_grad()) outputs.push_back(y[k]), cotangents.push_back(v[k]);
  }
};

inline Tensors analytic_gradients(const Tensors& y, const Tensors& x, const Tensors& v, bool create_graph) {
  const Roots roots(y, v);
  Tensors g(x.size());
  if (!roots.outputs.empty())
    g = grad(roots.outputs, x, roots.cotangents, {}, create_graph, /*allow_unused=*/true);
  for (size_t i = 0; i < x.size(); ++i)
    if (!g[i]) g[i] = zeros(x[i].shape(), x[i].dtype());
  return g;
}

// The gradient of Σ cotangent ⊙ f(inputs) with respect to every element of every input. The inputs must be
// float64 and must not share memory, because their elements are changed in place and restored.
inline GradcheckResult gradcheck(const Function& f, const Tensors& inputs, double step = kStep,
                                 uint64_t seed = 7) {
  glassgrad::Generator g(seed);
  Tensors x;
  for (const Tensor& input : inputs) x.push_back(leaf(input));
  const Tensors y = f(x);
  const Tensors v = random_cotangents(y, g);
  const Tensors gradients = analytic_gradients(y, x, v, false);

  GradcheckResult result;
  double worst = -1;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(gradients[i].shape() == x[i].shape()) || gradients[i].dtype() != x[i].dtype())
      return {false, 0,
              fmt::format("the gradient of input {} has shape {}", i, to_string(gradients[i].shape()))};
    const auto analytic = gradients[i].to_vector<double>();
    const auto cells = cells_of(x[i]);
    for (size_t c = 0; c < cells.size(); ++c) {
      const double at = *cells[c];
      *cells[c] = at + step;
      const double above = weighted_sum(f(x), v);
      *cells[c] = at - step;
      const double below = weighted_sum(f(x), v);
      *cells[c] = at;
      const double numeric = (above - below) / (2 * step);
      const double off = std::abs(analytic[c] - numeric) / (kAbsolute + kRelative * std::abs(numeric));
      ++result.cells;
      result.ok = result.ok && off <= 1;
      if (off > worst || std::isnan(off)) {
        worst = std::isnan(off) ? INFINITY : off;
        result.worst =
            fmt::format("input {} cell {}: gradient {}, numeric {}, x = {}", i, c, analytic[c], numeric, at);
      }
    }
  }
  return result;
}

// Checks the whole Jacobian, cell for cell: the gradient of each output element with respect to each input
// element. For small functions: calls f twice per input element and goes backward once per output element.
inline GradcheckResult jacobian_check(const Function& f, const Tensors& inputs, double step = kStep) {
  Tensors x;
  for (const Tensor& input : inputs) x.push_back(leaf(input));
  const Tensors y = f(x);
  std::vector<std::vector<double>> numeric;  // for each input cell: the slopes of all floating output cells
  const auto values = [&] {
    std::vector<double> all;
    for (const Tensor& t : f(x))
      if (is_floating(t.dtype()))
        for (const double value : t.to_vector<double>()) all.push_back(value);
    return all;
  };
  for (const Tensor& t : x)
    for (double* cell : cells_of(t)) {
      const double at = *cell;
      *cell = at + step;
      std::vector<double> slopes = values();
      *cell = at - step;
      const std::vector<double> below = values();
      *cell = at;
      for (size_t i = 0; i < slopes.size(); ++i) slopes[i] = (slopes[i] - below[i]) / (2 * step);
      numeric.push_back(std::move(slopes));
    }

  GradcheckResult result;
  size_t row = 0;
  for (size_t k = 0; k < y.size(); ++k) {
    if (!is_floating(y[k].dtype())) continue;
    for (int64_t i = 0; i < y[k].numel(); ++i, ++row) {
      Tensors v(y.size());
      v[k] = zeros(y[k].shape(), glassgrad::float64);
      *cells_of(v[k])[size_t(i)] = 1;
      size_t column = 0;
      for (const Tensor& g : analytic_gradients(f(x), x, v, false))
        for (const double analytic : g.to_vector<double>()) {
          const double slope = numeric[column++][row];
          ++result.cells;
          if (std::abs(analytic - slope) <= kAbsolute + kRelative * std::abs(slope)) continue;
          result.ok = false;
          result.worst = fmt::format("output {} cell {}: gradient {}, numeric {}", k, i, analytic, slope);
        }
    }
  }
  return result;
}

// Checks the gradients of f's backward in the same way, with respect to every input and every cotangent.
inline GradcheckResult gradgradcheck(const Function& f, const Tensors& inputs, double step = kStep) {
  glassgrad::Generator g(7);
  const size_t n = inputs.size();
  const Tensors v = random_cotangents(f(inputs), g);
  Tensors all = inputs;
  for (const Tensor& t : v)
    if (t) all.push_back(t);
  const Function gradients = [&f, &v, n](const Tensors& x) {
    const Tensors own(x.begin(), x.begin() + static_cast<int64_t>(n));
    Tensors cotangents(v.size());
    for (size_t k = 0, next = n; k < v.size(); ++k)
      if (v[k]) cotangents[k] = x[next++];
    return analytic_gradients(f(own), own, cotangents, true);
  };
  return gradcheck(gradients, all, step, 8);
}

}  // namespace testing

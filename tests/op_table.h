// The table of all ops: one row says how to call an op and on which shapes. Each row is checked: first and
// second derivatives in float64 on contiguous, transposed and gapped inputs, float32 against float64, and
// each layout against the contiguous one. The rows are in ops_*.cpp; test_op_table.cpp fails for an op
// without a row.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>

#include "gradcheck.h"

namespace testing {

struct OpRow {
  const char* name;  // its first word is the function's name; the rest distinguishes variants
  std::vector<std::vector<Dims>> shapes;  // variants: the shapes of the floating inputs
  Function call;
  double low = -2, high = 2;  // range of the inputs
  bool gradient = true;       // false: the op has none
  double step = kStep;        // of the central differences
  std::vector<const char*> also =
      {};  // ops without a public function, which are called only through this one

  std::string function() const {
    const std::string text = name;
    return text.substr(0, text.find(' '));
  }
};

inline std::vector<OpRow>& op_table() {
  static std::vector<OpRow> rows;
  return rows;
}

// Adds rows to the table while the program starts.
struct RegisterRows : std::vector<OpRow> {
  RegisterRows(std::initializer_list<OpRow> rows) : std::vector<OpRow>(rows) {
    op_table().insert(op_table().end(), rows.begin(), rows.end());
  }
};

enum class Layout { Contiguous, Transposed, Gapped };
inline constexpr Layout kLayouts[] = {Layout::Contiguous, Layout::Transposed, Layout::Gapped};

// Returns the same values in a different layout: reversed strides, or every other element of a larger tensor.
inline Tensor laid_out(const Tensor& x, Layout layout) {
  Tensor y;
  if (layout == Layout::Gapped) {
    Dims doubled = x.shape();
    for (int i = 0; i < doubled.n; ++i) doubled[i] = 2 * doubled[i] + 1;
    y = glassgrad::zeros(doubled, x.dtype());
    for (int i = 0; i < doubled.n; ++i) y = y.slice(i, 1, {}, 2);
  } else {
    Dims strides = contiguous_strides(x.shape());
    if (layout == Layout::Transposed) {
      Dims reversed;
      for (int i = x.shape().n - 1; i >= 0; --i) reversed.push(x.shape()[i]);
      const Dims back = glassgrad::contiguous_strides(reversed);
      for (int i = 0; i < strides.n; ++i) strides[i] = back[strides.n - 1 - i];
    }
    y = empty_strided(x.shape(), strides, x.dtype());
  }
  const auto from = cells_of(x), to = cells_of(y);
  for (size_t i = 0; i < from.size(); ++i) *to[i] = *from[i];
  return shallow_copy(y);  // no longer a view of anything
}

// float64 inputs on the grid.
inline Tensors sample_inputs(const OpRow& row, const std::vector<Dims>& shapes,
                             Layout layout = Layout::Contiguous) {
  glassgrad::Generator g(11);
  Tensors x;
  for (const Dims& shape : shapes) {
    const Tensor t = glassgrad::empty(shape, glassgrad::float64);
    for (double* cell : cells_of(t))
      *cell = std::round((row.low + (row.high - row.low) * g.u<double>()) / kGrid) * kGrid;
    x.push_back(laid_out(t, layout));
  }
  return x;
}

// Only tensors of two or more dimensions can be transposed. A tensor of at most one element has no layout.
inline bool has_layout(const std::vector<Dims>& shapes, Layout layout) {
  return layout == Layout::Contiguous || std::any_of(shapes.begin(), shapes.end(), [&](const Dims& s) {
           return s.numel() > 1 && (layout == Layout::Gapped || s.n > 1);
         });
}

inline double largest_difference(const Tensors& a, const Tensors& b, double relative) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    if (!(a[k].shape() == b[k].shape())) return INFINITY;
    const auto x = a[k].to_vector<double>(), y = b[k].to_vector<double>();
    for (size_t i = 0; i < x.size(); ++i) {
      const bool same = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
      if (!same) worst = std::max(worst, std::abs(x[i] - y[i]) / (1 + relative * std::abs(y[i])));
      if (!same && std::isnan(x[i] - y[i])) return INFINITY;
    }
  }
  return worst;
}

struct OpCounts {
  int64_t gradients = 0, second_order = 0, jacobians = 0, cells = 0, values = 0;
  OpCounts& operator+=(const OpCounts& o) {
    gradients += o.gradients, second_order += o.second_order, jacobians += o.jacobians;
    cells += o.cells, values += o.values;
    return *this;
  }
};

inline int64_t elements(const Tensors& tensors) {
  int64_t n = 0;
  for (const Tensor& t : tensors) n += t.numel();
  return n;
}
inline constexpr int64_t kSmall = 150;  // cells of a Jacobian

inline OpCounts drive_layout(const OpRow& row, const std::vector<Dims>& shapes, Layout layout,
                             const Tensors& expected) {
  OpCounts counts;
  const Tensors x = sample_inputs(row, shapes, layout);
  CHECK(largest_difference(row.call(x), expected, 1) <= 1e-12);
  ++counts.values;
  if (!row.gradient) return counts;
  const GradcheckResult first = gradcheck(row.call, x, row.step);
  CHECK_MESSAGE(first.ok, first.worst);
  const GradcheckResult second = gradgradcheck(row.call, x, row.step);
  CHECK_MESSAGE(second.ok, "second order: ", second.worst);
  counts.cells += first.cells + second.cells;
  ++counts.gradients, ++counts.second_order;
  if (elements(x) * elements(expected) > kSmall) return counts;
  const GradcheckResult whole = jacobian_check(row.call, x, row.step);
  CHECK_MESSAGE(whole.ok, "Jacobian: ", whole.worst);
  counts.cells += whole.cells;
  ++counts.jacobians;
  return counts;
}

// All checks of one row.
inline OpCounts drive(const OpRow& row) {
  OpCounts counts;
  for (const auto& shapes : row.shapes) {
    std::string text = row.name;
    for (const Dims& shape : shapes) text += " " + to_string(shape);
    for (const Layout layout : kLayouts) {
      if (!has_layout(shapes, layout)) continue;
      const char* const names[] = {"contiguous", "transposed", "gapped"};
      const std::string place = text + " " + names[static_cast<size_t>(layout)];
      INFO(place);
      try {
        const Tensors x = sample_inputs(row, shapes), y = row.call(x);
        counts += drive_layout(row, shapes, layout, y);
        if (layout != Layout::Contiguous) continue;
        Tensors narrow;
        for (const Tensor& t : x) narrow.push_back(to(t, glassgrad::float32));
        CHECK(largest_difference(row.call(narrow), y, 1) <= 2e-5);
        ++counts.values;
      } catch (const std::exception& e) {
        FAIL_CHECK("threw ", std::string(e.what()));
      }
    }
  }
  return counts;
}

}  // namespace testing

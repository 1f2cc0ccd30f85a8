// Helpers for most tests: tensors from numbers, numbers from tensors, the text of an error.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/literal.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace testing {

using Numbers = std::vector<double>;

inline Numbers numbers(const glassgrad::Tensor& x) { return x ? x.to_vector<double>() : Numbers{}; }

// Returns "RuntimeError: text" for the error that f throws, or "nothing".
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const glassgrad::Error& e) {
    return std::string(e.kind()) + ": " + e.what();
  }
  return "nothing";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A leaf of float64 numbers.
inline glassgrad::Tensor leaf(const glassgrad::Literal& values) {
  return glassgrad::tensor(values, glassgrad::float64).requires_grad_();
}

// True if the numbers are equal up to rounding; a NaN equals nothing.
inline bool close(const Numbers& a, const Numbers& b, double tolerance = 1e-12) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(b[i])))) return false;
  return true;
}
inline bool close(const glassgrad::Tensor& a, const Numbers& b, double tolerance = 1e-12) {
  return a && close(numbers(a), b, tolerance);
}

}  // namespace testing

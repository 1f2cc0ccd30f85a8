// The GPU that test_cuda*.cpp compare with the CPU. These tests are skipped without a GPU, real or emulated.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/tensor.h"

namespace testing {

inline constexpr glassgrad::Device kGpu{glassgrad::DeviceType::CUDA, 0};

inline bool has_gpu() {
  const std::string reason = why_unavailable(kGpu);
  if (!reason.empty()) MESSAGE("no GPU: " << reason);
  return reason.empty();
}

// Returns ‖a − b‖ / ‖b‖ over the finite numbers; infinity if any integers or any numbers that are not finite
// differ.
inline double relative_difference(const glassgrad::Tensor& a, const glassgrad::Tensor& b) {
  if (!(a.shape() == b.shape()) || a.dtype() != b.dtype()) return INFINITY;
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  double difference = 0, size = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) {
      size += std::isfinite(y[i]) ? y[i] * y[i] : 0;
      continue;
    }
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]) || !is_floating(b.dtype())) return INFINITY;
    difference += (x[i] - y[i]) * (x[i] - y[i]);
    size += y[i] * y[i];
  }
  // Divide by at least 1, because sums that cancel leave the rounding error of numbers of size 1.
  return std::sqrt(difference) / std::max(std::sqrt(size), 1.0);
}

}  // namespace testing

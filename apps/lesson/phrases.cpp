#include "apps/lesson/phrases.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/cli/arguments.h"
#include "apps/lesson/recording.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn {

std::string digits(const Tensor& x) { return digits(x.item()); }

std::string counted(int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string in_quotes(std::string_view name) { return fmt::format("\"{}\"", name); }

size_t position_of_largest(const Tensor& x) {
  const auto values = x.to_vector<double>();
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::string largest_difference(const Tensor& a, const Tensor& b) {
  check(a.numel() == b.numel(), "two tensors of one size are compared, and these have {} and {}",
        counted(a.numel(), "number"), counted(b.numel(), "number"));
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    const double difference = std::abs(x[i] - y[i]);
    if (std::isnan(difference)) return "nan";
    largest = std::max(largest, difference);
  }
  return largest == 0 ? "0" : fmt::format("{:.2e}", largest);
}

}  // namespace glassgrad::learn

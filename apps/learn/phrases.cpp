#include "apps/learn/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn {

std::string digits(double x) { return fixed(x, print_options().precision); }
std::string digits(const Tensor& x) { return digits(x.item()); }

std::string set_seed(const Settings& settings, std::string_view flag) {
  return fmt::format("torch.manual_seed({})", settings.text(flag));
}

std::string joined(const std::vector<std::string>& words, const char* between, size_t most) {
  const size_t shown = std::min(words.size(), most);
  std::string text =
      fmt::format("{}", fmt::join(words.begin(), words.begin() + std::ptrdiff_t(shown), between));
  return shown < words.size() ? text + between + "..." : text;
}

std::string joined_digits(const Tensor& x, const char* between, size_t most) {
  std::vector<std::string> words;
  for (const double v : x.to_vector<double>()) words.push_back(digits(v));
  return joined(words, between, most);
}

std::string about_sum(const Tensor& sum) {
  const double value = sum.item();
  if (value == 1) return fmt::format("In float32 they add to exactly 1, so PyTorch prints {}", repr(sum));
  return fmt::format("In float32 they add to {}, not exactly 1, so PyTorch prints {}", python_float(value),
                     repr(sum));
}

std::vector<std::string> empty_rows(const Settings& s, const Tensor& x) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < x.size(0); ++i)
    if (!any(x[i] != 0).is_true()) names.push_back(s.tokens[size_t(i)]);
  return names;
}

size_t position_of_largest(const Tensor& x) {
  const auto values = x.to_vector<double>();
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::string largest_difference(const Tensor& a, const Tensor& b) {
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::abs(x[i] - y[i]) <= largest)) largest = std::abs(x[i] - y[i]);
  return largest == 0 ? "0" : fmt::format("{:.2e}", largest);
}

double python_sum(const std::vector<double>& values) {
  double sum = 0, lost = 0;
  for (const double v : values) {
    const double next = sum + v;
    lost += std::abs(sum) >= std::abs(v) ? (sum - next) + v : (v - next) + sum;
    sum = next;
  }
  return std::isfinite(lost) ? sum + lost : sum;
}

std::vector<double> row_as_printed(const Tensor& matrix, int64_t row) {
  const std::string text = repr(matrix);
  const bool in_powers_of_ten = text.find("e-") != std::string::npos || text.find("e+") != std::string::npos;
  const int precision = print_options().precision;
  std::vector<double> values = matrix[row].to_vector<double>();
  for (double& v : values) {
    const std::string printed = in_powers_of_ten ? scientific(v, precision) : fixed(v, precision);
    if (std::isfinite(v)) std::from_chars(printed.data(), printed.data() + printed.size(), v);
  }
  return values;
}

}  // namespace glassgrad::learn

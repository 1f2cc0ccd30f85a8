#include "apps/lesson/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/cli/arguments.h"
#include "apps/lesson/recording.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn {

std::string digits(double x) {
  const double size = std::abs(x);
  const int precision = print_options().precision;
  const bool in_powers_of_ten = std::isfinite(x) && x != 0 && (size < 1e-4 || size > 1e8);
  return in_powers_of_ten ? scientific(x, precision) : fixed(x, precision);
}
std::string digits(const Tensor& x) { return digits(x.item()); }

std::string counted(int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string in_quotes(std::string_view name) { return fmt::format("\"{}\"", name); }

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
  if (!std::isfinite(value)) return fmt::format("Their sum in float32 is {}.", python_float(value));
  if (value == 1)
    return fmt::format("Their sum in float32 is exactly 1, so PyTorch prints {} without further digits.",
                       printed(sum));
  return fmt::format("Their sum in float32 is {}, not exactly 1, so PyTorch prints {}.", python_float(value),
                     printed(sum));
}

std::string about_largest(const Tensor& x, const std::vector<std::string>& tokens, const char* noun) {
  const std::vector<double> values = x.to_vector<double>();
  if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }))
    return fmt::format("No {0} is the largest: there is a nan among the {0}s.", noun);
  const double largest = *std::max_element(values.begin(), values.end());
  std::vector<std::string> owners;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] == largest) owners.push_back(in_quotes(tokens[i]));
  if (owners.size() == 1)
    return fmt::format("The largest {}, {}, belongs to {}.", noun, digits(largest), owners.front());
  return fmt::format("The largest {}, {}, belongs to {} tokens: {}.", noun, digits(largest), owners.size(),
                     joined(owners, ", "));
}

std::vector<std::string> empty_rows(const Settings& s, const Tensor& x) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < x.size(0); ++i)
    if (!any(x[i] != 0).is_true()) names.push_back(in_quotes(s.tokens[size_t(i)]));
  return names;
}

size_t position_of_largest(const Tensor& x) {
  const auto values = x.to_vector<double>();
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::string largest_difference(const Tensor& a, const Tensor& b) {
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

std::string apart(const Tensor& a, const Tensor& b) { return digits(max(abs(a - b))); }

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
  const std::string text = printed(matrix);
  const bool in_powers_of_ten = text.find("e-") != std::string::npos || text.find("e+") != std::string::npos;
  const int precision = print_options().precision;
  std::vector<double> values = matrix[row].to_vector<double>();
  for (double& v : values) {
    const std::string printed = in_powers_of_ten ? scientific(v, precision) : fixed(v, precision);
    v = parse_number<double>(printed).value_or(v);
  }
  return values;
}

}  // namespace glassgrad::learn

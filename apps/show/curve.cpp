#include "apps/show/curve.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace glassgrad {
namespace {

constexpr const char* kRising[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr const char* kGrowing[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr size_t kAxisLines = 2;

// The mean of the finite values in [first, end).
std::optional<double> mean(std::span<const double> values, size_t first, size_t end) {
  double sum = 0;
  size_t n = 0;
  for (size_t i = first; i < std::min(end, values.size()); ++i)
    if (std::isfinite(values[i])) sum += values[i], ++n;
  return n ? std::optional(sum / double(n)) : std::nullopt;
}

size_t eighths_of(double share, size_t letters) {
  return static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 8 * double(letters)));
}

}  // namespace

std::vector<std::string> curve(std::span<const double> values, const CurveSize& size) {
  const size_t lines = std::max(size.lines, kAxisLines + 1) - kAxisLines;
  const size_t total = std::max({size.total, values.size(), size_t{1}});
  double top = 0;
  for (const double value : values)
    if (std::isfinite(value)) top = std::max(top, value);
  const std::string high = fmt::format("{:.2f}", top);
  const size_t margin = high.size() + 1, columns = std::max(size.columns, margin + 2) - margin - 1;

  std::vector<size_t> heights;  // in eighths of a letter
  for (size_t c = 0; c < columns; ++c) {
    // Each column has at least one value: with few values, neighbouring columns show the same value.
    const size_t first = c * total / columns, end = std::max((c + 1) * total / columns, first + 1);
    const auto value = mean(values, first, end);
    heights.push_back(value && top > 0 ? std::max<size_t>(eighths_of(*value / top, lines), *value > 0) : 0);
  }
  std::vector<std::string> picture;
  for (size_t line = 0; line < lines; ++line) {
    const size_t below = 8 * (lines - line - 1);
    std::string row = fmt::format("{:>{}} │", line == 0 ? high : "", margin - 1);
    std::string blanks;
    for (const size_t height : heights) {
      const size_t here = std::min<size_t>(height > below ? height - below : 0, 8);
      if (here)
        row += blanks + kRising[here], blanks.clear();
      else
        blanks += ' ';
    }
    picture.push_back(row);
  }
  std::string axis = fmt::format("{:>{}} └", "0", margin - 1);
  for (size_t c = 0; c < columns; ++c) axis += "─";
  const std::string last = fmt::format("{}", total);
  picture.push_back(axis);
  picture.push_back(
      fmt::format("{:{}}step 1{:>{}}", "", margin + 1, last, std::max(columns, 7 + last.size()) - 6));
  return picture;
}

std::string curve_spoken(std::span<const double> values) {
  if (values.empty()) return "No step yet.";
  std::string text;
  size_t before = 0;
  for (size_t quarter = 0; quarter <= 4; ++quarter) {
    const size_t step = 1 + (values.size() - 1) * quarter / 4;
    if (step == before) continue;
    before = step;
    text += fmt::format("{}step {}: {:.2f}", text.empty() ? "" : ", ", step, values[step - 1]);
  }
  text.front() = 'S';
  return text + ".";
}

std::string bar(double share, size_t columns) {
  if (!(share > 0)) return {};
  const size_t eighths = std::max<size_t>(eighths_of(share, columns), 1);
  std::string text;
  for (size_t i = 0; i < eighths / 8; ++i) text += kGrowing[8];
  return text + kGrowing[eighths % 8];
}

}  // namespace glassgrad

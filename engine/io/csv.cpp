#include "csv.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "../ops.h"
#include "file.h"
#include "utf8.h"

namespace glassgrad {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf"sv;

double number(const std::string& path, std::string_view text, size_t row, size_t column) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  check(error != std::errc::result_out_of_range,
        "{}: row {}, column {}: '{}' is too large or too small for float64", path, row, column,
        excerpt(text));
  check(
      error == std::errc() && end == digits.data() + digits.size(),
      "{}: row {}, column {}: '{}' is no number; write digits like 0.25, parted by commas, without headings",
      path, row, column, excerpt(text));
  return value;
}

}  // namespace

Tensor load_csv(const std::string& path) {
  InputFile file(path);
  std::string bytes(file.size(), '\0');
  file.read(bytes.data(), bytes.size());
  std::string_view left = bytes;
  if (left.starts_with(kByteOrderMark)) left.remove_prefix(kByteOrderMark.size());

  std::vector<double> values;
  size_t columns = 0, first_row = 0;
  int64_t rows = 0;
  for (size_t row = 1; !left.empty(); ++row) {
    const size_t end = std::min(left.find('\n'), left.size());
    std::string_view line = trimmed(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    if (line.empty()) continue;
    size_t column = 0;
    for (bool more = true; more;) {
      const size_t comma = std::min(line.find(','), line.size());
      more = comma < line.size();
      values.push_back(number(path, trimmed(line.substr(0, comma)), row, ++column));
      line.remove_prefix(std::min(comma + 1, line.size()));
    }
    if (rows++ == 0) columns = column, first_row = row;
    check(column == columns, "{}: row {} has {} numbers, but row {} has {}: every row must have as many",
          path, row, column, first_row, columns);
  }
  check(rows > 0, "{}: holds no numbers; write a row a line, numbers parted by commas", path);
  const Tensor x = empty({rows, static_cast<int64_t>(columns)}, float64, kCpu);
  std::copy(values.begin(), values.end(), static_cast<double*>(x.raw().data));
  return x;
}

}  // namespace glassgrad

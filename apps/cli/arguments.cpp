#include "apps/cli/arguments.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace glassgrad {
namespace {

// Optimal string alignment distance.
size_t changes_between(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

#ifdef __cpp_lib_to_chars
const char* read(const char* first, const char* last, double& value) {
  const auto [stopped, error] = std::from_chars(first, last, value);
  return error == std::errc() ? stopped : nullptr;
}
#else  // a standard library without from_chars for double; strtod accepts more texts
const char* read(const char* first, const char* last, double& value) {
  const std::string text(first, last);
  char* stopped = nullptr;
  errno = 0;
  value = std::strtod(text.c_str(), &stopped);
  const bool same = !text.empty() && text.find_first_not_of("0123456789.eE+-") == text.npos && text[0] != '+';
  return same && errno == 0 ? first + (stopped - text.c_str()) : nullptr;
}
#endif

}  // namespace

template <>
std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  if (text.empty() || read(text.data(), end, value) != end || !std::isfinite(value)) return {};
  return value;
}

std::optional<uint64_t> parse_seed(std::string_view text) {
  if (const auto negative = parse_number<int64_t>(text)) return static_cast<uint64_t>(*negative);
  return parse_number<uint64_t>(text);
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  word = word.substr(0, 100);  // no name is longer, and a long word would take long to compare
  std::string best;
  size_t fewest = SIZE_MAX;
  for (const std::string& candidate : candidates) {
    const size_t changes = changes_between(word, candidate);
    if (changes < fewest) fewest = changes, best = candidate;
  }
  return best;
}

bool is_near(std::string_view word, std::string_view name) {
  return 2 * changes_between(word.substr(0, 100), name) <= name.size();
}

}  // namespace glassgrad

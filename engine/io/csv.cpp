#include "csv.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "../core/utf8.h"
#include "../ops.h"
#include "file.h"

namespace glassgrad {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf"sv, kNoBreakSpace = "\xc2\xa0"sv,
                           kMinus = "\xe2\x88\x92"sv;

// Converts a text with a byte-order mark of UTF-8 or UTF-16 to UTF-8 without the mark.
std::string as_utf8(std::string bytes) {
  if (bytes.starts_with(kByteOrderMark)) return bytes.substr(kByteOrderMark.size());
  const bool little = bytes.starts_with("\xff\xfe"sv), big = bytes.starts_with("\xfe\xff"sv);
  if (!little && !big) return bytes;
  std::string text;
  for (size_t i = 2; i + 1 < bytes.size(); i += 2) {
    const auto low = static_cast<unsigned char>(bytes[i + size_t(big)]);
    const auto high = static_cast<unsigned char>(bytes[i + size_t(little)]);
    append_utf8(text,
                static_cast<char32_t>(high << 8 | low));  // the characters of numbers are single units
  }
  return text;
}

struct Cell {
  std::string text;
  bool is_quoted = false;
};
struct Row {
  size_t line;  // in the file, from 1
  std::vector<Cell> cells;
};

std::string_view without_spaces(std::string_view text) {
  for (;;) {
    text = trimmed(text);
    if (text.starts_with(kNoBreakSpace))
      text.remove_prefix(kNoBreakSpace.size());
    else if (text.ends_with(kNoBreakSpace))
      text.remove_suffix(kNoBreakSpace.size());
    else
      return text;
  }
}

// The cells of a line. separator ' ' means any number of blanks.
std::vector<Cell> cells_of(std::string_view line, char separator) {
  std::vector<Cell> cells;
  for (bool more = true; more;) {
    Cell cell;
    size_t end = 0;
    for (bool quoted = false; end < line.size() && (quoted || line[end] != separator); ++end) {
      quoted ^= line[end] == '"';
      cell.is_quoted |= line[end] == '"';
    }
    std::string_view text = without_spaces(line.substr(0, end));
    if (cell.is_quoted && text.size() > 1 && text.front() == '"' && text.back() == '"')
      text = text.substr(1, text.size() - 2);
    cell.text = without_spaces(text);
    more = end < line.size();
    line.remove_prefix(std::min(end + 1, line.size()));
    if (separator == ' ') line = trimmed(line), more = !line.empty();
    cells.push_back(std::move(cell));
  }
  return cells;
}

enum class Reading : uint8_t { Number, OutOfRange, NoNumber };

// Reads the whole text as a number into value.
Reading read(std::string_view text, bool decimal_comma, double& value) {
  std::string digits(text);
  if (digits.starts_with('+')) digits.erase(0, 1);
  if (digits.starts_with(kMinus)) digits.replace(0, kMinus.size(), "-");
  if (const size_t comma = digits.find(','); decimal_comma && comma != digits.npos) digits[comma] = '.';
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) return Reading::OutOfRange;
  return error == std::errc() && end == digits.data() + digits.size() ? Reading::Number : Reading::NoNumber;
}

bool is_number(const Cell& cell, bool decimal_comma) {
  double value;
  return read(cell.text, decimal_comma, value) != Reading::NoNumber;
}

// ';', ',' or a tab if the first line has one, else blanks. If there is a comma too, a tab counts only if it
// separates numbers.
char separator_of(std::string_view line) {
  if (line.find(';') != line.npos) return ';';
  const bool has_comma = line.find(',') != line.npos;
  if (line.find('\t') != line.npos) {
    const std::vector<Cell> cells = cells_of(line, '\t');
    if (!has_comma ||
        std::all_of(cells.begin(), cells.end(), [](const Cell& c) { return is_number(c, true); }))
      return '\t';
  }
  return has_comma ? ',' : ' ';
}

// Returns the lines that have cells. Skips blank lines, numpy's comments (#) and the line `sep=;` of
// spreadsheets.
std::vector<Row> rows_of(const std::string& text, char& separator) {
  std::vector<Row> rows;
  std::string_view left = text;
  separator = 0;
  for (size_t number = 1; !left.empty(); ++number) {
    const size_t end = std::min(left.find_first_of("\r\n"), left.size());
    const std::string_view line = trimmed(left.substr(0, end));
    left.remove_prefix(left.substr(end).starts_with("\r\n") ? end + 2 : std::min(end + 1, left.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (rows.empty() && line.starts_with("sep=") && line.size() == 5) {
      separator = line.back();
      continue;
    }
    if (!separator) separator = separator_of(line);
    rows.push_back({number, cells_of(line, separator)});
  }
  return rows;
}

template <class F>
bool in_all(const std::vector<Row>& rows, F holds) {
  return std::all_of(rows.begin(), rows.end(),
                     [&](const Row& r) { return !r.cells.empty() && holds(r.cells); });
}

// True if there are several columns and the first holds 0, 1, 2 …
bool counts(const std::vector<Row>& rows) {
  size_t n = 0;
  return in_all(rows, [&](const std::vector<Cell>& cells) {
    return cells.size() > 1 && cells.front().text == std::to_string(n++);
  });
}

// Removes the headings, the column of row numbers that pandas writes with them, and the empty cell after a
// comma at the end of every line.
void remove_frame(std::vector<Row>& rows, bool decimal_comma) {
  const auto ends_empty = [](const auto& c) {
    return c.size() > 1 && c.back().text.empty() && !c.back().is_quoted;
  };
  if (in_all(rows, ends_empty))
    for (Row& r : rows) r.cells.pop_back();
  if (rows.size() < 2) return;
  const std::vector<Cell> first = rows.front().cells;
  const auto is_word = [&](const Cell& c) {
    const auto begin = static_cast<unsigned char>(c.text.empty() ? '0' : c.text.front());
    return (std::isalpha(begin) || begin == '_' || begin > 0x7f) && !is_number(c, decimal_comma);
  };
  const bool has_corner = first.size() > 1 && first.front().text.empty();
  if (!std::all_of(first.begin() + has_corner, first.end(), is_word)) return;
  rows.erase(rows.begin());
  if (has_corner && counts(rows))
    for (Row& r : rows) r.cells.erase(r.cells.begin());
}

double number_in(const std::string& path, const Row& row, size_t column, char separator, bool decimal_comma) {
  const Cell& cell = row.cells[column];
  double value = 0;
  const Reading reading = read(cell.text, decimal_comma, value);
  if (reading == Reading::Number) return value;
  const std::string at = fmt::format("{}: row {}, column {}", path, row.line, column + 1);
  check(!cell.text.empty(), "{} is empty; write nan where a number is missing", at);
  check(reading != Reading::OutOfRange, "{}: '{}' is too large or too small for float64", at,
        excerpt(cell.text));
  const bool has_comma = cell.text.find(',') != cell.text.npos;
  check(!has_comma,
        "{}: '{}' has a comma inside; write 0.25 with a point and 2000 without a sign between thousands{}",
        at, excerpt(cell.text), separator == ',' ? ", or part the columns by semicolons" : "");
  fail("{}: '{}' is no number; write digits like 0.25, or nan where a number is missing", at,
       excerpt(cell.text));
}

}  // namespace

Tensor load_csv(const std::string& path, std::string* note) {
  InputFile file(path);
  std::string bytes(file.size(), '\0');
  file.read(bytes.data(), bytes.size());
  const std::string text = as_utf8(std::move(bytes));
  char separator = 0;
  std::vector<Row> rows = rows_of(text, separator);
  // A decimal comma is allowed only if commas do not separate columns and the file has no point.
  const bool decimal_comma = separator != ',' && text.find('.') == text.npos;
  const bool counts_rows = rows.size() > 2 && rows.front().cells.size() > 2 && counts(rows);
  remove_frame(rows, decimal_comma);
  check(!rows.empty(), "{}: holds no numbers; write a row a line, numbers parted by commas", path);
  const size_t columns = rows.front().cells.size();
  const Tensor x = empty({int64_t(rows.size()), int64_t(columns)}, float64, kCpu);
  auto* to = static_cast<double*>(x.raw().data);
  std::string found;
  if (counts_rows)
    found =
        fmt::format("column 1 counts 0 to {}: if these are row numbers, save without them", rows.size() - 1);
  for (const Row& row : rows) {
    check(row.cells.size() == columns,
          "{}: row {} has {} numbers, but row {} has {}: every row must have as many", path, row.line,
          row.cells.size(), rows.front().line, columns);
    for (size_t c = 0; c < columns; ++c) {
      const double value = *to++ = number_in(path, row, c, separator, decimal_comma);
      if (found.empty() && !std::isfinite(value))
        found = fmt::format("row {}, column {} is {}", row.line, c + 1, row.cells[c].text);
    }
  }
  if (note && !found.empty()) *note = path + ": " + found;
  return x;
}

}  // namespace glassgrad

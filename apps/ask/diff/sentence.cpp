#include "apps/ask/diff/sentence.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "apps/lesson/address.h"
#include "apps/lesson/phrases.h"
#include "engine/autograd.h"
#include "engine/core/joined.h"
#include "engine/ops.h"

namespace glassgrad::diff {
namespace {

using learn::counted, learn::digits;

constexpr size_t kMostNamed = 6;       // most rows or columns that a sentence lists
constexpr int64_t kMostSorted = 2000;  // most rows or columns to search for in a different order

bool close(double a, double b, double scale) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= kRounding * scale;
}

// Returns "2 (\"starts\")" if the rows or columns have names, else "2".
std::string called(int64_t number, const std::vector<std::string>& names) {
  if (names.empty()) return fmt::format("{}", number);
  return fmt::format("{} ({})", number, learn::in_quotes(names[size_t(number)]));
}

std::string listed(const std::vector<int64_t>& numbers, const std::vector<std::string>& names) {
  std::string text = called(numbers.front(), names);
  for (size_t i = 1; i < numbers.size(); ++i)
    text += (i + 1 < numbers.size() ? ", " : " and ") + called(numbers[i], names);
  return text;
}

// Returns the names if both sides have the same ones, else none.
std::vector<std::string> shared(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  return left == right ? left : std::vector<std::string>();
}

// The compared cells as a list of matrices of the same size; a vector is one row.
class Matrices {
 public:
  Matrices(const ComparedCells& cells, std::vector<std::string> row_names,
           std::vector<std::string> column_names)
      : cells_(cells),
        row_names_(std::move(row_names)),
        column_names_(std::move(column_names)),
        rows_(cells.shape.n > 1 ? cells.shape[cells.shape.n - 2] : 1),
        columns_(cells.shape.n > 0 ? cells.shape[cells.shape.n - 1] : 1) {
    for (const auto* side : {&cells.left, &cells.right})
      for (const double v : *side)
        if (std::isfinite(v)) scale_ = std::max(scale_, std::abs(v));
  }

  // Returns the first of these relations that holds for all cells; empty if none does.
  std::string relation() const {
    for (const auto& found :
         {opposite(), factor(), shift(), transposed(), reordered_rows(), reordered_columns(), row_factors()})
      if (!found.empty()) return found;
    return {};
  }

  // Says where the cells that differ are, and which values they have.
  std::string place(bool brief) const {
    const auto all = int64_t(cells_.differ.size());
    std::string where;
    if (cells_.count == all)
      where = all == 1 ? "The number differs" : fmt::format("All {} cells differ", all);
    else if (rows_ > 1 && columns_ > 1 && only_where([](int64_t r, int64_t c) { return c > r; }))
      where = "Only cells of the future differ, where the column is larger than the row";
    else if (rows_ > 1 && columns_ > 1 && only_where([](int64_t r, int64_t c) { return c < r; }))
      where = "Only cells of the past differ, where the column is smaller than the row";
    else if (rows_ > 1 && columns_ > 1 && only_where([](int64_t r, int64_t c) { return c == r; }))
      where = "Only cells on the diagonal differ";
    else if (rows_ > 1 && columns_ > 1 && cells_.count > rows_ &&
             only_where([](int64_t r, int64_t c) { return c <= r; }))
      where = "No cell of the future differs: only those where the column is not larger than the row";
    else
      where = lines();
    const std::string one = only_value(cells_.right), other = only_value(cells_.left);
    if (all > 1 && !one.empty()) return fmt::format("{}: on the right {} there", where, one);
    if (all > 1 && !other.empty()) return fmt::format("{}: on the left {} there", where, other);
    return brief ? where : where + most();
  }

 private:
  size_t at(int64_t matrix, int64_t row, int64_t column) const {
    return size_t((matrix * rows_ + row) * columns_ + column);
  }
  int64_t matrices() const { return int64_t(cells_.left.size()) / (rows_ * columns_); }

  template <class F>
  bool all(F holds) const {
    for (int64_t m = 0; m < matrices(); ++m)
      for (int64_t r = 0; r < rows_; ++r)
        for (int64_t c = 0; c < columns_; ++c)
          if (!holds(m, r, c)) return false;
    return true;
  }
  bool only_where(const std::function<bool(int64_t, int64_t)>& is_there) const {
    return all(
        [&](int64_t m, int64_t r, int64_t c) { return !cells_.differ[at(m, r, c)] || is_there(r, c); });
  }

  // Returns right / left for the largest number on the left, in a row or in all cells.
  double ratio(size_t first, size_t count) const {
    size_t largest = first;
    for (size_t i = first; i < first + count; ++i)
      if (std::isfinite(cells_.left[i]) && !(std::abs(cells_.left[i]) <= std::abs(cells_.left[largest])))
        largest = i;
    return cells_.right[largest] / cells_.left[largest];
  }
  bool scaled(double by, size_t first, size_t count) const {
    if (!std::isfinite(by) || by == 0) return false;
    for (size_t i = first; i < first + count; ++i)
      if (!close(cells_.left[i] * by, cells_.right[i], scale_)) return false;
    return true;
  }

  std::string opposite() const {
    const bool holds = cells_.left.size() > 1 && all([&](int64_t m, int64_t r, int64_t c) {
                         const double x = cells_.left[at(m, r, c)];
                         return (x == 0 || x == 1) && cells_.right[at(m, r, c)] == 1 - x;
                       });
    return holds ? "Every 0 on the left is a 1 on the right, and every 1 a 0" : "";
  }

  std::string factor() const {
    const double by = ratio(0, cells_.left.size());
    if (cells_.left.size() < 2 || !scaled(by, 0, cells_.left.size())) return {};
    if (by == -1) return "Every number on the right is the one on the left with its sign changed";
    return fmt::format("Every number on the right is {} times the one on the left", digits(by));
  }

  std::string shift() const {
    const double by = cells_.right[cells_.first] - cells_.left[cells_.first];
    const bool holds =
        cells_.left.size() > 1 && std::isfinite(by) && all([&](int64_t m, int64_t r, int64_t c) {
          const size_t i = at(m, r, c);
          return close(cells_.left[i] + by, cells_.right[i], scale_);
        });
    return holds ? fmt::format("Every number on the right is {} by {}", by > 0 ? "larger" : "smaller",
                               digits(std::abs(by)))
                 : "";
  }

  std::string transposed() const {
    const bool holds = rows_ == columns_ && rows_ > 1 && all([&](int64_t m, int64_t r, int64_t c) {
                         return close(cells_.left[at(m, r, c)], cells_.right[at(m, c, r)], scale_);
                       });
    return holds ? "The right one is the left one transposed: rows became columns" : "";
  }

  // Returns for each row or column on the right an unused one on the left with the same numbers; empty if one
  // has no match.
  template <class F>
  std::vector<int64_t> order(int64_t count, F same) const {
    std::vector<int64_t> found;
    std::vector<bool> used(size_t(count), false);
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = 0;
      while (from < count && (used[size_t(from)] || !same(from, i))) ++from;
      if (from == count) return {};
      used[size_t(from)] = true;
      found.push_back(from);
    }
    return found;
  }
  std::string order_text(const char* lines, const std::vector<int64_t>& order) const {
    if (order.empty()) return {};
    return fmt::format("The {} on the right are those on the left in a different order: {}", lines,
                       joined(order, ", ", 8));
  }
  std::string reordered_rows() const {
    if (rows_ < 2 || rows_ > kMostSorted) return {};
    return order_text("rows", order(rows_, [&](int64_t from, int64_t to) {
                        for (int64_t m = 0; m < matrices(); ++m)
                          for (int64_t c = 0; c < columns_; ++c)
                            if (!close(cells_.left[at(m, from, c)], cells_.right[at(m, to, c)], scale_))
                              return false;
                        return true;
                      }));
  }
  std::string reordered_columns() const {
    if (columns_ < 2 || columns_ > kMostSorted) return {};
    return order_text("columns", order(columns_, [&](int64_t from, int64_t to) {
                        for (int64_t m = 0; m < matrices(); ++m)
                          for (int64_t r = 0; r < rows_; ++r)
                            if (!close(cells_.left[at(m, r, from)], cells_.right[at(m, r, to)], scale_))
                              return false;
                        return true;
                      }));
  }

  std::string row_factors() const {
    if (columns_ < 2) return {};
    double least = HUGE_VAL, largest = -HUGE_VAL;
    for (int64_t row = 0; row < matrices() * rows_; ++row) {
      const double by = ratio(size_t(row * columns_), size_t(columns_));
      if (!scaled(by, size_t(row * columns_), size_t(columns_))) return {};
      least = std::min(least, by);
      largest = std::max(largest, by);
    }
    return fmt::format("Each row on the right is that row on the left times a factor of its own, {} to {}",
                       digits(least), digits(largest));
  }

  // Names the rows or columns that hold all the cells that differ.
  std::string lines() const {
    std::vector<int64_t> rows, columns;
    const auto note = [](std::vector<int64_t>& seen, int64_t i) {
      const auto place = std::lower_bound(seen.begin(), seen.end(), i);
      if (place == seen.end() || *place != i) seen.insert(place, i);
    };
    all([&](int64_t m, int64_t r, int64_t c) {
      if (cells_.differ[at(m, r, c)]) note(rows, r), note(columns, c);
      return true;
    });
    using Names = std::vector<std::string>;
    const auto only = [](const char* word, const std::vector<int64_t>& which, const Names& names) {
      return fmt::format("Only {}{} {} differ{}", word, which.size() > 1 ? "s" : "", listed(which, names),
                         which.size() > 1 ? "" : "s");
    };
    const auto but = [](const char* word, const std::vector<int64_t>& which, const Names& names) {
      int64_t missing = 0;
      while (missing < std::ssize(which) && which[size_t(missing)] == missing) ++missing;
      return fmt::format("Every {} but {} differs", word, called(missing, names));
    };
    const bool all_columns = int64_t(columns.size()) == columns_;
    if (rows_ > 2 && int64_t(rows.size()) == rows_ - 1) return but("row", rows, row_names_);
    if (rows_ > 1 && int64_t(rows.size()) < rows_ && rows.size() <= kMostNamed &&
        (rows.size() <= columns.size() || all_columns))
      return only("row", rows, row_names_);
    if (columns_ > 2 && int64_t(columns.size()) == columns_ - 1) return but("column", columns, column_names_);
    if (columns_ > 1 && !all_columns && columns.size() <= kMostNamed)
      return only("column", columns, column_names_);
    return fmt::format("{} of {} cells differ", cells_.count, cells_.differ.size());
  }

  // Returns "each is -inf", or "it is -inf" for a single cell, if all cells that differ hold the same number
  // on this side.
  std::string only_value(const std::vector<double>& side) const {
    const double value = side[cells_.first];
    for (size_t i = 0; i < side.size(); ++i)
      if (cells_.differ[i] && !(side[i] == value || (std::isnan(side[i]) && std::isnan(value)))) return {};
    return fmt::format("{} {}", cells_.count == 1 ? "it is" : "each is",
                       value == std::floor(value) && std::abs(value) < 1e6
                           ? fmt::format("{:.0f}", value + 0.0)
                           : digits(value));
  }

  // ", most at [1,2]: 0.1703 on the left, 0.9000 on the right".
  std::string most() const {
    size_t most = cells_.first;
    double size = -1;
    for (size_t i = 0; i < cells_.left.size(); ++i) {
      if (!cells_.differ[i]) continue;
      const double d = std::abs(cells_.left[i] - cells_.right[i]);
      const double found = std::isnan(d) ? HUGE_VAL : d;
      if (found > size) size = found, most = i;
    }
    const std::string cell = learn::cell_text(cell_at(cells_.shape, int64_t(most))) + tokens_at(most);
    return fmt::format("{}{}: {} on the left, {} on the right", cells_.count > 1 ? ", most at " : "",
                       cells_.count > 1         ? cell
                       : cells_.left.size() > 1 ? ", " + cell
                                                : "",
                       digits(cells_.left[most]), digits(cells_.right[most]));
  }

  // Returns " (row "starts", column "Your")"; leaves out a row or column without a name.
  std::string tokens_at(size_t cell) const {
    const auto at = int64_t(cell);
    std::vector<std::string> parts;
    if (!row_names_.empty())
      parts.push_back("row " + learn::in_quotes(row_names_[size_t(at / columns_ % rows_)]));
    if (!column_names_.empty())
      parts.push_back("column " + learn::in_quotes(column_names_[size_t(at % columns_)]));
    return parts.empty() ? "" : fmt::format(" ({})", joined(parts, ", "));
  }

  const ComparedCells& cells_;
  const std::vector<std::string> row_names_, column_names_;
  int64_t rows_, columns_;
  double scale_ = 0;
};

std::string about_shapes(const Tensor& left, const Tensor& right) {
  const std::string shapes =
      fmt::format("The shapes differ, {} and {}", to_string(left.shape()), to_string(right.shape()));
  if (left.numel() != right.numel() || left.numel() == 0) return shapes;
  const NoGrad no_grad;
  const auto flat = [](const Tensor& x) { return to(x, float64).contiguous().view({x.numel()}); };
  const std::optional<ComparedCells> as_they_are = cells_of(flat(left), flat(right));
  if (as_they_are->count == 0) return shapes + ": the same numbers in the same order";
  if (left.dim() == 2 && right.dim() == 2 && cells_of(flat(left.T()), flat(right))->count == 0)
    return shapes + ": the right one is the left one transposed";
  return shapes;
}

}  // namespace

std::string sentence(const Value& left, const Value& right, const std::optional<ComparedCells>& cells,
                     bool brief) {
  if (!cells) return about_shapes(left.x, right.x) + ".";
  const Matrices matrices(*cells, shared(left.rows, right.rows), shared(left.columns, right.columns));
  const std::string relation = matrices.relation();
  return (relation.empty() ? matrices.place(brief) : relation) + ".";
}

}  // namespace glassgrad::diff

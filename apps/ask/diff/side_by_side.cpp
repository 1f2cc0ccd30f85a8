#include "apps/ask/diff/side_by_side.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/text_width.h"
#include "engine/autograd.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::diff {
namespace {

constexpr int64_t kGap = -1;
constexpr size_t kMargin = 2, kBetween = 4, kMostRows = 11;
constexpr std::string_view kGapText = "..";

struct Matrix {
  std::string title;  // "left [6, 2]", "left [0] of [2, 6, 6]"
  int64_t rows = 1, columns = 1;
  std::vector<double> numbers;
  std::vector<bool> differ;
  std::vector<std::string> names;           // of the rows; empty: rows have numbers
  int64_t first_row = 0, first_column = 0;  // of the first cell that differs
};

Matrix matrix_of(const char* side, const Value& value, const std::vector<double>& numbers,
                 const Dims& shape) {
  Matrix m;
  m.title = fmt::format("{} {}", side, to_string(value.x.shape()));
  m.rows = shape.n > 1 ? shape[shape.n - 2] : 1;
  m.columns = shape.n > 0 ? shape[shape.n - 1] : 1;
  m.numbers = numbers;
  for (const std::string& token : value.rows) m.names.push_back(printable(token));
  if (std::ssize(m.names) != m.rows) m.names.clear();
  return m;
}

// Keeps only the matrix with the first cell that differs, if there are several in a batch.
void keep_one(Matrix& m, const char* side, const Tensor& x, const std::vector<bool>& differ, size_t first) {
  const auto size = size_t(m.rows * m.columns);
  if (size == 0) return;
  const size_t from = first / size * size;
  const auto part = [&](const auto& all) {
    using All = std::decay_t<decltype(all)>;
    return All(all.begin() + ptrdiff_t(from), all.begin() + ptrdiff_t(from + size));
  };
  m.numbers = part(m.numbers);
  m.differ = differ.empty() ? std::vector<bool>(size, false) : part(differ);
  m.first_row = int64_t((first - from) / size_t(m.columns));
  m.first_column = int64_t((first - from) % size_t(m.columns));
  if (x.dim() < 3 || x.numel() == m.rows * m.columns) return;
  Dims matrices;
  for (int d = 0; d + 2 < x.shape().n; ++d) matrices.push(x.shape()[d]);
  const Dims place = cell_at(matrices, int64_t(from / size) % matrices.numel());
  m.title = fmt::format("{} {} of {}", side, to_string(place), to_string(x.shape()));
}

// How to format the numbers: as integers, with a number of digits after the point, or with an exponent.
struct Form {
  enum Kind : uint8_t { Whole, Fixed, Exponent } kind = Whole;
  int digits = 0;
  size_t gap = 2;  // between two numbers, the mark included

  std::string of(double x) const {
    if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
    if (kind == Exponent) return scientific(x, digits);
    return fixed(x, kind == Whole ? 0 : digits);
  }
};

Form::Kind kind_of(const Matrix& a, const Matrix& b) {
  double largest = 0;
  bool whole = true;
  for (const Matrix* m : {&a, &b})
    for (const double x : m->numbers) {
      if (!std::isfinite(x)) continue;
      largest = std::max(largest, std::abs(x));
      whole = whole && x == std::floor(x);
    }
  if (largest >= 1e6) return Form::Exponent;
  if (whole) return Form::Whole;
  return largest < 1e-3 ? Form::Exponent : Form::Fixed;
}

// Returns at most `most` of the indices, counting gaps; `wanted` is among them.
std::vector<int64_t> shown(int64_t size, size_t most, int64_t wanted) {
  std::vector<int64_t> indices;
  const auto n = int64_t(std::max<size_t>(most, 1));
  if (size <= n) {
    for (int64_t i = 0; i < size; ++i) indices.push_back(i);
    return indices;
  }
  const int64_t numbers = std::max<int64_t>(n - 2, 1), last = numbers > 1 ? numbers / 3 : 0;
  const int64_t from = wanted < n - 1 - last ? 0 : std::min(wanted - (numbers - last) / 2, size - numbers);
  if (from == 0) {
    for (int64_t i = 0; i < n - 1 - last; ++i) indices.push_back(i);
  } else {
    indices.push_back(kGap);
    for (int64_t i = from; i < from + numbers - last; ++i) indices.push_back(i);
  }
  if (indices.back() < size - last - 1) indices.push_back(kGap);
  for (int64_t i = std::max(size - last, indices.back() == kGap ? 0 : indices.back() + 1); i < size; ++i)
    indices.push_back(i);
  return indices;
}

// Writes one side as lines of text.
class MatrixText {
 public:
  // named: the rows show their names, if there are any.
  MatrixText(const Matrix& m, const Form& form, size_t room, bool named)
      : m_(m), form_(form), named_(named && !m.names.empty()) {
    rows_ = shown(m.rows, kMostRows, m.first_row);
    name_ = m.rows > 1 ? fmt::format("{}", m.rows - 1).size() : 0;
    if (named_)
      for (const std::string& name : m.names) name_ = std::max(name_, columns_of(name));
    for (const double x : m.numbers) cell_ = std::max(cell_, form.of(x).size());
    cell_ = std::max(cell_, fmt::format("{}", m.columns - 1).size());
    const size_t fit = room > name_ ? (room - name_) / (cell_ + form.gap) : 0;
    all_ = size_t(m.columns) <= fit;
    columns_ = shown(m.columns, std::max<size_t>(fit, 3), m.first_column);
  }

  bool all_columns() const { return all_; }
  size_t width() const {
    return std::max(name_ + columns_.size() * (cell_ + form_.gap), columns_of(m_.title));
  }
  size_t height() const { return 2 + rows_.size(); }

  Line line(size_t i) const {
    if (i == 0) return {{m_.title, Style::Bold}};
    if (i > rows_.size() + 1) return {};
    if (m_.numbers.empty()) return {{i == 1 ? "(no elements)" : ""}};
    if (i == 1) {
      Line head{{std::string(name_, ' ')}};
      for (const int64_t c : columns_)
        head.push_back(
            {right_aligned(c == kGap ? kGapText : fmt::format("{}", c), cell_ + form_.gap), Style::Faint});
      return head;
    }
    const int64_t r = rows_[i - 2];
    Line line{{name_of(r), Style::Faint}};
    for (const int64_t c : columns_) {
      const bool gap = r == kGap || c == kGap;
      const auto at = size_t(r * m_.columns + c);
      const std::string text = gap ? std::string(kGapText) : form_.of(m_.numbers[at]);
      if (gap || !m_.differ[at])
        line.push_back({right_aligned(text, cell_ + form_.gap)});
      else
        line.push_back({std::string(cell_ + form_.gap - 1 - text.size(), ' ')}),
            line.push_back({"~" + text, Style::Bold});
    }
    return line;
  }

 private:
  // Returns the label of a row, as wide as all labels.
  std::string name_of(int64_t row) const {
    if (name_ == 0) return {};
    if (row == kGap) return right_aligned(kGapText.substr(0, name_), name_);
    return named_ ? left_aligned(m_.names[size_t(row)], name_) : right_aligned(fmt::format("{}", row), name_);
  }

  const Matrix& m_;
  Form form_;
  bool named_;
  std::vector<int64_t> rows_, columns_;
  size_t name_ = 0, cell_ = kGapText.size();
  bool all_ = false;
};

std::vector<double> numbers_of(const Tensor& x) {
  const NoGrad no_grad;
  return to(x, float64).contiguous().to_vector<double>();
}

}  // namespace

std::vector<Line> side_by_side(const Value& left, const Value& right,
                               const std::optional<ComparedCells>& cells, size_t columns) {
  Matrix a = matrix_of("left", left, cells ? cells->left : numbers_of(left.x),
                       cells ? cells->shape : left.x.shape());
  Matrix b = matrix_of("right", right, cells ? cells->right : numbers_of(right.x),
                       cells ? cells->shape : right.x.shape());
  const std::vector<bool> none;
  keep_one(a, "left", left.x, cells ? cells->differ : none, cells ? cells->first : 0);
  keep_one(b, "right", right.x, cells ? cells->differ : none, cells ? cells->first : 0);

  const size_t room = (std::max(columns, 2 * kMargin + kBetween + 20) - kMargin - kBetween) / 2;
  const Form::Kind kind = kind_of(a, b);
  std::vector<Form> forms{{kind, kind == Form::Exponent ? 1 : 0}};
  if (kind == Form::Fixed) forms = {{kind, 4}, {kind, 3}, {kind, 2}, {kind, 2, 1}, {kind, 2}};
  for (const Form& form : forms) {
    const auto fits = [&](bool named) {
      return MatrixText(a, form, room, named).all_columns() && MatrixText(b, form, room, named).all_columns();
    };
    const bool named = fits(true);
    if (&form != &forms.back() && !named && !fits(false)) continue;
    const MatrixText l(a, form, room, named), r(b, form, room, named);
    std::vector<Line> lines;
    for (size_t i = 0; i < std::max(l.height(), r.height()); ++i) {
      Line line{{std::string(kMargin, ' ')}};
      const Line first = l.line(i), second = r.line(i);
      line.insert(line.end(), first.begin(), first.end());
      line.push_back(
          {std::string(l.width() + kBetween - std::min(l.width(), columns_of(plain_text(first))), ' ')});
      line.insert(line.end(), second.begin(), second.end());
      lines.push_back(std::move(line));
    }
    return lines;
  }
  return {};
}

}  // namespace glassgrad::diff

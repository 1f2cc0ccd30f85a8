#include "apps/stepper/product_view.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/lesson/axes.h"
#include "apps/show/grid.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kLongestName = 10, kBetween = 3, kLeastTerms = 4;
constexpr int64_t kFewest = 3;  // columns that are shown at least, if there are so many

// Returns the dimension in which two cells differ, or `otherwise`.
int varying(const Dims& a, const Dims& b, int otherwise) {
  for (int d = 0; d < a.n; ++d)
    if (a[d] != b[d]) return d;
  return otherwise;
}
// Returns the other one of the last two dimensions; -1 if there is only one.
int beside(int dim, int n) { return n < 2 ? -1 : dim == n - 1 ? n - 2 : n - 1; }

// Returns the first of `shown` consecutive indices below `size` that include i.
int64_t first_of(int64_t i, int64_t shown, int64_t size) {
  return std::clamp<int64_t>(i - shown / 2, 0, std::max<int64_t>(size - shown, 0));
}

std::string label(const std::vector<std::string>& labels, int64_t i) {
  return i < std::ssize(labels) ? labels[size_t(i)] : std::to_string(i);
}

std::string blanks(size_t columns) { return std::string(columns, ' '); }

}  // namespace

ProductView::ProductView(const Recording& recording, const CellNames& names, why::OpenedCell cell,
                         why::Product product, const Step* here)
    : names_(names), here_(here), cell_(std::move(cell)), product_(std::move(product)) {
  const auto named = [&](Matrix& m, const Snapshot& x) {
    // The names and labels come from the tensor that the lesson shows, which may be the transpose.
    const auto other = [&](int dim) {
      Dims at = m.at;
      if (dim >= 0 && x.shape()[dim] > 1) at[dim] = at[dim] > 0 ? 0 : 1;
      return names_.name(names_.source({x, at}), here_);
    };
    const CellName name = names_.name(names_.source({x, m.at}), here_);
    m.name = name.tensor;
    if (!name.entry) return;
    const auto axis = [&](int dim, std::vector<std::string>& into) {
      if (dim < 0) return -1;
      const CellName second = other(dim);
      const int d = second.entry == name.entry ? varying(name.cell, second.cell, -1) : -1;
      if (d >= 0) into = labels(recording, *name.entry, d);
      return d;
    };
    const int down = axis(m.down, m.down_labels), along = axis(m.along, m.along_labels);
    if (const int last = name.entry->value->shape().n - 1;
        last > 0 && (down == last || (along >= 0 && along < last)))
      m.name += ".T";
  };
  const why::ProductTerm &first = product_.terms.front(), &second = product_.terms[product_count() > 1];
  const Snapshot &a = product_.call->in[size_t(first.left->input)],
                 &b = product_.call->in[size_t(first.right->input)], &c = product_.call->out[0];
  const bool many = product_count() > 1;
  const int along = many ? varying(first.left->index, second.left->index, a.shape().n - 1) : a.shape().n - 1;
  const int down =
      many ? varying(first.right->index, second.right->index, b.shape().n - 1) : std::max(b.shape().n - 2, 0);
  left_ = matrix(a, first.left->index, beside(along, a.shape().n), along);
  right_ = matrix(b, first.right->index, down, beside(down, b.shape().n));
  result_ = matrix(c, product_.cell, -1, -1);
  // The result's rows are those of the left matrix, its columns those of the right one.
  if (int dim = c.shape().n - 1; dim >= 0) {
    if (right_.along >= 0) result_.along = dim--;
    if (left_.down >= 0 && dim >= 0) result_.down = dim;
  }
  named(left_, a);
  named(right_, b);
  named(result_, c);
  result_.name = cell_.name.tensor;
}

ProductView::Matrix ProductView::matrix(const Snapshot& x, const Dims& at, int down, int along) const {
  Matrix m;
  m.x = x.tensor();
  m.at = at;
  m.down = down;
  m.along = along;
  m.write = element_writer(m.x.raw());
  return m;
}

std::string ProductView::Matrix::text(int64_t row, int64_t column) const {
  Dims index = at;
  if (down >= 0) index[down] = row;
  if (along >= 0) index[along] = column;
  return write(offset_of_index(index, x.strides()));
}

bool ProductView::add() {
  if (is_whole()) return false;
  ++shown_;
  return true;
}

bool ProductView::take_back() {
  if (shown_ == 0) return false;
  --shown_;
  return true;
}

std::string ProductView::called(const ExprNode& cell) const {
  return names_.name(why::place_of(names_, product_, cell), here_).brief();
}

std::string ProductView::so_far(bool exact) const {
  if (shown_ == 0) return "?";
  if (is_whole()) return why::value_text(cell_, exact);
  return why::digits_of(product_.terms[shown_ - 1].sum, exact);
}

ProductView::Window ProductView::window(size_t columns, size_t height) const {
  const auto terms = static_cast<int64_t>(product_count());
  constexpr size_t kHeads = 4;  // lines of names above the two rows of matrices
  const auto room =
      static_cast<int64_t>(std::max<size_t>(height, kHeads + kLeastTerms + 8) - kHeads - kLeastTerms - 1);
  Window w{};
  w.terms = std::min(terms, room / 2);
  w.rows = std::min(left_.rows(), room - w.terms);
  w.terms = std::min(terms, room - w.rows);
  w.name = 0;
  w.first_row = first_of(left_.row(), w.rows, left_.rows());
  for (int64_t i = 0; i < w.rows; ++i)
    w.name = std::max(w.name, std::min(columns_of(label(left_.down_labels, w.first_row + i)), kLongestName));
  const auto now = static_cast<int64_t>(std::min(std::max<size_t>(shown_, 1) - 1, product_count() - 1));
  // Cells are as wide as the widest number that may be shown.
  w.cell = so_far(false).size();
  for (const Matrix* m : {&left_, &right_, &result_})
    for (int64_t i = 0; i < std::min<int64_t>(m->rows(), 16); ++i)
      for (int64_t j = 0; j < std::min<int64_t>(m->columns(), 16); ++j)
        w.cell = std::max(w.cell, m->text(first_of(m->row(), 16, m->rows()) + i,
                                          first_of(m->column(), 16, m->columns()) + j)
                                      .size());
  const auto wide = static_cast<int64_t>(w.cell + 2);
  const auto across =
      std::max<int64_t>(static_cast<int64_t>(columns) - static_cast<int64_t>(w.name + 1 + kBetween),
                        2 * wide) /
      wide;
  w.columns = std::min(right_.columns(), std::max<int64_t>(across - w.terms, std::min(kFewest, across - 1)));
  w.terms = std::min(w.terms, std::max<int64_t>(across - w.columns, 1));
  w.first_column = first_of(right_.column(), w.columns, right_.columns());
  w.first_term = first_of(now, w.terms, terms);
  return w;
}

// Returns a number of a matrix in its cell. lit: it is in the row or the column; now: it is in the term added
// last.
Span ProductView::number(const Matrix& m, int64_t row, int64_t column, bool lit, bool now,
                         size_t width) const {
  std::string text = m.text(row, column);
  if (!lit) return {right_aligned(text, width + 1) + " ", Style::Faint};
  text = fmt::format("{}{}{}", now ? '[' : '(', text, now ? ']' : ')');
  return {right_aligned(text, width + 2),
          now ? Style::Cursor : style_of(2, m.text(row, column).starts_with('-') ? -1 : 1)};
}

void ProductView::add_pictures(std::vector<Line>& lines, const Window& w, bool exact) const {
  const size_t wide = w.cell + 2, side = w.name + 1 + size_t(w.terms) * wide + kBetween;
  const auto now = static_cast<int64_t>(shown_) - 1;
  const auto heads = [&](const Matrix& m, int64_t first, int64_t count) {
    std::string text;
    for (int64_t j = first; j < first + count; ++j)
      text += right_aligned(cut(label(m.along_labels, j), w.cell), w.cell + 1) + " ";
    return text;
  };
  const auto of = [](const Matrix& m) {
    return fmt::format("{}{}", m.rows(),
                       m.columns() > 1 || m.down >= 0 ? fmt::format(" x {}", m.columns()) : "");
  };
  lines.push_back({{blanks(side)}, {right_.name, Style::Bold}, {"  " + of(right_), Style::Faint}});
  lines.push_back({{blanks(side) + heads(right_, w.first_column, w.columns), Style::Faint}});
  for (int64_t k = w.first_term; k < w.first_term + w.terms; ++k) {
    Line line{{right_aligned(label(right_.down_labels, k), side - 1) + " ", Style::Faint}};
    for (int64_t j = w.first_column; j < w.first_column + w.columns; ++j)
      line.push_back(number(right_, k, j, j == right_.column(), k == now, w.cell));
    lines.push_back(std::move(line));
  }
  lines.push_back({{left_.name, Style::Bold},
                   {"  " + of(left_), Style::Faint},
                   {blanks(side - std::min(side - 1, columns_of(left_.name) + 2 + of(left_).size()))},
                   {result_.name, Style::Bold}});
  lines.push_back({{blanks(w.name) + " " + heads(left_, w.first_term, w.terms), Style::Faint}});
  for (int64_t i = w.first_row; i < w.first_row + w.rows; ++i) {
    Line line{{left_aligned(left_.down < 0 ? "" : label(left_.down_labels, i), w.name) + " "}};
    const bool here = i == left_.row();
    for (int64_t k = w.first_term; k < w.first_term + w.terms; ++k)
      line.push_back(number(left_, i, k, here, k == now, w.cell));
    line.push_back({blanks(kBetween)});
    for (int64_t j = w.first_column; j < w.first_column + w.columns; ++j) {
      const bool is_it = here && j == right_.column();
      line.push_back(is_it ? Span{right_aligned("[" + so_far(exact) + "]", wide), Style::Cursor}
                           : number(result_, i, j, false, false, w.cell));
    }
    lines.push_back(std::move(line));
  }
}

// Returns the terms added so far, at most the last `most`.
std::vector<Line> ProductView::terms(size_t columns, size_t most, bool exact) const {
  std::vector<std::string> names, numbers, sums;
  size_t name = 0, number = 0;
  const size_t first = shown_ > most ? shown_ - most : 0;
  for (size_t k = first; k < shown_; ++k) {
    const why::ProductTerm& term = product_.terms[k];
    const std::string product = why::digits_of(term.product, exact);
    const auto digits = [&](const ExprNode& cell) { return why::digits_of(cell.value, exact); };
    if (term.right) {
      names.push_back(fmt::format("{} · {}", called(*term.left), called(*term.right)));
      numbers.push_back(fmt::format("{} · {} = {}", digits(*term.left), digits(*term.right), product));
    } else {
      names.push_back(called(*term.left));
      numbers.push_back("the bias " + product);
    }
    sums.push_back(why::digits_of(term.sum, exact));
    name = std::max(name, columns_of(names.back()));
    number = std::max(number, columns_of(numbers.back()));
  }
  std::vector<Line> lines;
  for (size_t k = 0; k < names.size(); ++k) {
    const std::string sum = "  sum " + sums[k];
    const bool fits = 2 + name + 2 + number + sum.size() <= columns;
    lines.push_back({{first + k == 0 ? "  " : "+ "},
                     {fits ? left_aligned(names[k], name) + "  " : ""},
                     {right_aligned(numbers[k], number)},
                     {sum, Style::Bold}});
  }
  return lines;
}

std::vector<Line> ProductView::lines(size_t columns, size_t height, bool exact) const {
  std::vector<Line> lines;
  const Window w = window(columns, height);
  add_pictures(lines, w, exact);
  lines.emplace_back();
  const size_t most = height > lines.size() + 1 ? std::max(height - lines.size(), kLeastTerms) : kLeastTerms;
  for (Line& line : terms(columns, most, exact)) lines.push_back(std::move(line));
  return lines;
}

std::string ProductView::status() const {
  const size_t all = product_.terms.size();
  const std::string name = cell_.name.brief();
  if (shown_ == 0)
    return fmt::format("{}: {} term{}{}. + adds the first.", name, all, all == 1 ? "" : "s",
                       product_.has_bias ? ", the last is the bias" : "");
  if (shown_ < all) return fmt::format("{}: {} of {} terms", name, shown_, all);
  const std::string value = why::value_text(cell_, false);
  if (product_.is_exact)
    return fmt::format("{} = {}: {}", name, value,
                       all == 1 ? "the only term" : fmt::format("all {} terms", all));
  return fmt::format("{} = {}: the kernel adds in a different order, so the last digits may differ", name,
                     value);
}

}  // namespace glassgrad::learn

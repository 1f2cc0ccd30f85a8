#include "apps/show/grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "apps/cli/text_width.h"
#include "apps/lesson/axes.h"
#include "apps/lesson/difference.h"
#include "apps/lesson/phrases.h"
#include "apps/show/sentences.h"
#include "apps/show/tensor_table.h"

namespace glassgrad::learn {
namespace {

constexpr std::string_view kRamp = ".-+*@";
constexpr Style kAbove[] = {Style::Above0, Style::Above1, Style::Above2, Style::Above3, Style::Above4};
constexpr Style kBelow[] = {Style::Below0, Style::Below1, Style::Below2, Style::Below3, Style::Below4};
constexpr size_t kLongestRowName = 16;
constexpr std::string_view kGapText = "...", kSum = "row sum", kHidden = "?";

// Returns the text that stands for all sentences of a batch but the first.
std::string about_others(int64_t others, bool same) {
  const std::string which = others == 1 ? "other sentence" : fmt::format("other {} sentences", others);
  return fmt::format("{} the {}", same ? "the same for" : "f shows", which);
}

// The layout of the grid on the screen. A cell is a space, cell_ columns, and one column for the mark.
class Layout {
 public:
  Layout(std::shared_ptr<const TensorTable> table, const Entry& entry, std::string whose,
         const GridView& view)
      : entry_(entry), whose_(std::move(whose)), view_(view), shared_(std::move(table)), table_(*shared_) {
    rows_ = shown_indices(table_.row_count(), view.folded);
    all_columns_ = shown_indices(table_.column_count(), view.folded);
    measure();
  }

  static Grid make(const std::shared_ptr<const Layout>& layout) {
    const Layout& l = *layout;
    Grid grid{.lines = {},
              .cursor = {},
              .long_one = l.is_long(),
              .marked = l.has_marks(),
              .masked = !l.masked_text_.empty(),
              .changed = bool(l.entry_.changed),
              .left_most = l.left_most_,
              .left = l.left_};
    grid.lines.append(l.first_lines());
    const size_t first = grid.lines.size();
    if (l.entry_.value->shape().n == 0) {
      if (l.view_.cursor) grid.cursor = 0;
    } else if (l.entry_.value->shape().numel() == 0) {
      grid.lines.push_back({{"  (no elements)"}});
    } else {
      grid.lines.append(l.height_, [layout](size_t i) { return layout->line(i); });
      if (l.cursor_) grid.cursor = *l.cursor_ + first;
    }
    return grid;
  }

 private:
  bool is_long() const {
    const Dims& shape = entry_.value->shape();
    for (int d = 0; d < shape.n; ++d)
      if (const auto shown = indices(d, true); std::count(shown.begin(), shown.end(), kGap) > 0) return true;
    return false;
  }
  std::vector<int64_t> indices(int dim, bool folded) const {
    return view_.pictures ? shown_indices(entry_, dim, folded)
                          : shown_indices(entry_.value->shape()[dim], folded);
  }
  std::string row_name(int64_t row) const {
    const Axis& rows = table_.rows();
    if (rows.labels.empty()) return "";
    return row == kGap ? std::string(kGapText) : rows.labels[size_t(row)];
  }
  // A vector's row has no name; the word for its columns is shown there instead.
  bool is_vector() const { return entry_.value->shape().n == 1; }
  const std::string& row_word() const { return is_vector() ? table_.columns().word : table_.rows().word; }
  std::string column_name(int64_t column) const {
    return column == kGap ? std::string(kGapText) : table_.columns().labels[size_t(column)];
  }

  // Calls f with each shown table and its name, and gap(slice, axis) where tables are left out.
  template <class F, class G>
  void each_table(TensorTable::Slice slice, size_t axis, const std::string& name, bool folded, F f,
                  G gap) const {
    if (axis == table_.before().size()) return f(slice, name);
    const Axis& a = table_.before()[axis];
    for (const int64_t i : indices(static_cast<int>(axis), folded)) {
      if (i == kGap)
        gap(slice, axis);
      else
        each_table(table_.inside(slice, axis, i), axis + 1,
                   fmt::format("{}{}{}", name, name.empty() ? "" : ", ", index_name(a, i)), folded, f, gap);
    }
  }

  void measure() {
    if (entry_.value->shape().n == 0 || entry_.value->shape().numel() == 0) return;
    for (const int64_t row : rows_) name_ = std::max(name_, columns_of(row_name(row)));
    name_ = std::min(std::max(name_, columns_of(row_word())), kLongestRowName);
    size_t numbers = std::max(table_.width(), kGapText.size()), names = 0;
    each_table(
        {}, 0, "", true, [&](TensorTable::Slice slice, const std::string&) { measure(slice, numbers); },
        [](TensorTable::Slice, size_t) {});
    for (const int64_t column : all_columns_) names = std::max(names, columns_of(column_name(column)));

    const size_t taken = name_ + (has_sums() ? sum_ + 2 : 0);
    const size_t room = view_.columns > taken ? view_.columns - taken : 0;
    const size_t each = room / all_columns_.size();  // including a space and a mark
    cell_ = std::max(numbers, std::min(names, each > 2 ? each - 2 : 0));
    const size_t fit = std::clamp<size_t>(room / (cell_ + 2), 1, all_columns_.size());
    left_most_ = static_cast<int64_t>(all_columns_.size() - fit);
    left_ = std::min(view_.left, left_most_);
    if (view_.cursor) show_cursor(static_cast<int64_t>(fit));
    const auto first = all_columns_.begin() + left_;
    columns_.assign(first, first + static_cast<ptrdiff_t>(fit));
    arrange();
  }

  // Puts tables beside each other, as many as fit on the screen.
  void arrange() {
    size_t width = 0;
    const auto add = [&](Part part, size_t columns) {
      width = std::max(width, columns);
      parts_.push_back(std::move(part));
    };
    each_table(
        {}, 0, "", view_.folded,
        [&](TensorTable::Slice slice, const std::string& name) {
          add({slice, name.empty() ? "" : name + ":", false}, width_of(name));
        },
        [&](TensorTable::Slice slice, size_t axis) {
          if (view_.pictures && table_.before()[axis].word == kBatch)
            add({{}, about_others(slice, axis), true, true}, 0);
          else
            add({{}, std::string(kGapText), true}, kGapText.size());
        });
    constexpr size_t kBetween = 4;
    width_ = width + kBetween;
    const size_t beside = std::max<size_t>(1, (view_.columns + kBetween) / width_);
    for (size_t first = 0, last; first < parts_.size(); first = last) {
      const bool is_alone = parts_[first].is_alone;
      if (first > 0 && !is_alone) ++height_;  // an empty line between them
      last = first + 1;
      while (!is_alone && last < std::min(first + beside, parts_.size()) && !parts_[last].is_alone) ++last;
      GridRow row{.line = height_, .first = first, .last = last, .height = 0};
      for (size_t i = row.first; i < row.last; ++i) {
        row.height = std::max(row.height, height(parts_[i]));
        if (const auto line = cursor_line(parts_[i])) cursor_ = height_ + *line;
      }
      height_ += row.height;
      part_rows_.push_back(row);
    }
  }

  // A part of the grid: a table, or the dots for tables that are left out.
  struct Part {
    TensorTable::Slice slice;
    std::string name;
    bool gap, is_alone = false;  // is_alone: it has no neighbour
  };
  // Parts beside each other: their first line, the range of their indices, and their height.
  struct GridRow {
    size_t line, first, last, height;
  };

  std::string about_others(TensorTable::Slice slice, size_t axis) const {
    const int64_t size = entry_.value->shape()[static_cast<int>(axis)];
    bool same = true;
    for (int64_t i = 1; i < size && same; ++i) same = table_.same_inside(slice, axis, 0, i);
    return learn::about_others(size - 1, same);
  }

  bool has_column_word() const { return !is_vector() && !table_.columns().word.empty(); }
  size_t lines_above(const Part& part) const { return size_t(!part.name.empty()) + has_column_word() + 1; }
  size_t height(const Part& part) const { return part.gap ? 1 : lines_above(part) + rows_.size(); }
  size_t width_of(const std::string& name) const {
    const size_t word = has_column_word() ? name_ + 1 + columns_of(table_.columns().word) : 0;
    const size_t row = name_ + columns_.size() * (cell_ + 2) + (has_sums() ? sum_ + 2 : 0);
    return std::max({name.empty() ? 0 : columns_of(name) + 1, word, row});
  }
  std::optional<size_t> cursor_line(const Part& part) const {
    if (part.gap || !view_.cursor || part.slice.number != cursor_table()) return {};
    const auto at = std::find(rows_.begin(), rows_.end(), cursor_row());
    if (at == rows_.end()) return {};
    return lines_above(part) + static_cast<size_t>(at - rows_.begin());
  }

  // Moves the columns only as far as needed to show the cursor's column.
  void show_cursor(int64_t fit) {
    const auto found =
        std::find(all_columns_.begin(), all_columns_.end(), (*view_.cursor)[view_.cursor->n - 1]);
    const int64_t column = found - all_columns_.begin();
    left_ = std::clamp(left_, std::max<int64_t>(column + 1 - fit, 0), std::min(column, left_most_));
  }
  int64_t table_of(const Dims& cell) const {
    int64_t number = 0;
    for (int d = 0; d + 2 < cell.n; ++d) number = number * entry_.value->shape()[d] + cell[d];
    return number;
  }
  static int64_t row_of(const Dims& cell) { return cell.n > 1 ? cell[cell.n - 2] : 0; }
  int64_t cursor_table() const { return table_of(*view_.cursor); }
  int64_t cursor_row() const { return row_of(*view_.cursor); }
  bool is_cursor(TensorTable::Slice slice, int64_t row, int64_t column) const {
    return view_.cursor && slice.number == cursor_table() && row == cursor_row() &&
           column == (*view_.cursor)[view_.cursor->n - 1];
  }
  bool is_hidden(TensorTable::Slice slice, int64_t row, const std::string& text) const {
    if (std::find(view_.hidden.begin(), view_.hidden.end(), text) != view_.hidden.end()) return true;
    const std::optional<Dims>& cell = view_.hidden_row;
    return cell && slice.number == table_of(*cell) && row == row_of(*cell);
  }

  bool has_marks() const { return table_.has_heat() && view_.marks; }
  bool has_sums() const { return table_.has_row_sums() && view_.sums; }
  std::string shown(TensorTable::Slice slice, int64_t row, int64_t column) const {
    const std::string text = table_.text(slice, row, column);
    return is_hidden(slice, row, text) ? std::string(kHidden) : text;
  }

  // A mark right after the point of "1." would look like a digit.
  std::string number(TensorTable::Slice slice, int64_t row, int64_t column) const {
    const std::string text = shown(slice, row, column);
    return has_marks() && text.ends_with('.') ? text + " " : text;
  }

  // A masked cell is a block, except where a question hides its number.
  bool is_block(TensorTable::Slice slice, int64_t row, int64_t column) const {
    return view_.pictures && view_.marks && view_.hidden.empty() && table_.masked(slice, row, column);
  }

  // table_.width() covers only finite numbers. Measures inf, nan and sums in the part that is likely to be
  // shown.
  void measure(TensorTable::Slice slice, size_t& numbers) {
    for (const int64_t row : shown_indices(table_.row_count(), true)) {
      if (row == kGap) continue;
      for (const int64_t column : shown_indices(table_.column_count(), true))
        if (column != kGap) {
          numbers = std::max(numbers, number(slice, row, column).size());
          if (masked_text_.empty() && is_block(slice, row, column))
            masked_text_ = table_.text(slice, row, column);
        }
      if (has_sums()) sum_ = std::max(sum_, table_.row_sum(slice, row).size());
    }
  }

  Line title() const {
    Line line{{entry_.name, Style::Bold}, {"  " + shape_text(entry_)}};
    if (left_most_ > 0)
      line.push_back({fmt::format("  columns {} of {}", columns_shown(), table_.column_count())});
    if (entry_.value->shape().n > 0) add_whose(line);
    if (entry_.changed) line.push_back({fmt::format("  {} changed", entry_.changed->count)});
    if (!masked_text_.empty())
      line.push_back({fmt::format("  {} = {}", kMaskedBlock, masked_text_), Style::Faint});
    return line;
  }
  void add_whose(Line& line) const {
    if (!whose_.empty()) line.push_back({"  " + whose_, Style::Faint});
  }
  // Returns "0 to 2, 34": column positions from 0, as in the code, because names may repeat.
  std::string columns_shown() const {
    std::string text;
    for (size_t k = 0; k < columns_.size(); ++k) {
      const size_t first = k;
      if (columns_[first] == kGap) continue;
      while (k + 1 < columns_.size() && columns_[k + 1] == columns_[k] + 1) ++k;
      text += fmt::format("{}{}", text.empty() ? "" : ", ", columns_[first]);
      if (k > first) text += fmt::format(" to {}", columns_[k]);
    }
    return text;
  }

  // Returns the name, the shape and remarks, on a second line if they do not fit. A 0-d tensor's number
  // follows them.
  std::vector<Line> first_lines() const {
    if (entry_.value->shape().n == 0) return {first_line()};
    std::vector<Line> lines(1);
    size_t taken = 0;
    for (Span& span : title()) {
      if (taken > 0 && taken + columns_of(span.text) > view_.columns) taken = 0, lines.emplace_back();
      taken += columns_of(span.text);
      lines.back().push_back(std::move(span));
    }
    return lines;
  }
  Line first_line() const {
    Line line = title();
    const std::string text = number({}, 0, 0);
    line.push_back(view_.cursor ? Span{fmt::format(" [{}]", text), Style::Cursor}
                                : Span{fmt::format("  {}", text)});
    add_whose(line);
    return line;
  }

  Line line(size_t i) const {
    const auto after = std::upper_bound(part_rows_.begin(), part_rows_.end(), i,
                                        [](size_t at, const GridRow& row) { return at < row.line; });
    const GridRow& row = *std::prev(after);
    Line line;
    if (i >= row.line + row.height) return line;
    size_t taken = 0, wanted = 0;
    for (size_t k = row.first; k < row.last; ++k) {
      const Line part = line_of(parts_[k], i - row.line);
      if (wanted > 0) line.push_back({std::string(wanted - taken, ' ')});
      line.insert(line.end(), part.begin(), part.end());
      taken = wanted + columns_of(plain_text(part));
      wanted += width_;
    }
    return line;
  }

  Line line_of(const Part& part, size_t i) const {
    if (i >= height(part)) return {};
    if (!part.name.empty() && i == 0) return {{part.name}};
    const size_t above = lines_above(part);
    if (i >= above) return row_line(part.slice, rows_[i - above]);
    if (i + 1 == above) return head();
    return {{std::string(name_ + 1, ' ') + table_.columns().word, Style::Faint}};
  }

  Line head() const {
    Line head{{left_aligned(row_word(), name_), Style::Faint}};
    for (const int64_t column : columns_)
      head.push_back({" " + right_aligned(column_name(column), cell_) + " "});
    if (has_sums()) head.push_back({"  " + right_aligned(kSum, sum_), Style::Faint});
    return head;
  }

  Line row_line(TensorTable::Slice slice, int64_t row) const {
    Line line{{left_aligned(row_name(row), name_)}};
    for (const int64_t column : columns_) {
      const bool gap = row == kGap || column == kGap;
      if (!gap && is_cursor(slice, row, column)) {  // brackets take the place of the space and the mark
        const std::string text = shown(slice, row, column);
        line.push_back({std::string(cell_ - std::min(cell_, text.size()), ' ')});
        line.push_back({fmt::format("[{}]", text), Style::Cursor});
        continue;
      }
      const std::string text = gap ? std::string(kGapText) : number(slice, row, column);
      const bool shown = !gap && text != kHidden;
      const int heat = shown && view_.marks ? table_.heat(slice, row, column) : -1;
      const bool changed = shown && table_.changed(slice, row, column);
      const bool block = shown && is_block(slice, row, column);
      const size_t taken = text.size() + changed;  // an inf that was not measured may be wider
      const std::string pad(cell_ + 1 - std::min(cell_ + 1, taken), ' ');
      if (block) {
        line.push_back({" "});
        if (changed) line.push_back({"~", Style::Bold});
        line.push_back({blocks(cell_ - changed), Style::Masked});
        line.push_back({" "});
        continue;
      }
      const Style style = heat < 0 ? Style::Plain : style_of(heat, table_.sign(slice, row, column));
      if (changed) line.insert(line.end(), {{pad}, {"~", Style::Bold}});
      line.push_back({(changed ? "" : pad) + text, style});
      line.push_back(heat < 0 ? Span{" "} : Span{std::string(1, kRamp[size_t(heat)]), style, true});
    }
    if (has_sums() && row != kGap)
      line.push_back({fmt::format("  {:>{}}", table_.row_sum(slice, row), sum_)});
    return line;
  }

  static std::string blocks(size_t columns) {
    std::string text;
    while (columns-- > 0) text += kMaskedBlock;
    return text;
  }

  const Entry entry_;
  const std::string whose_;
  const GridView view_;
  const std::shared_ptr<const TensorTable> shared_;
  const TensorTable& table_;
  std::vector<int64_t> rows_, all_columns_, columns_;
  size_t name_ = 0, cell_ = 0, sum_ = kSum.size();
  int64_t left_most_ = 0, left_ = 0;
  std::vector<Part> parts_;
  std::vector<GridRow> part_rows_;
  std::string masked_text_;        // the number of a masked cell; empty: none is shown
  size_t width_ = 0, height_ = 0;  // width of a part with the gap after it; height of all parts
  std::optional<size_t> cursor_;   // the line of the cursor in the parts
};

}  // namespace

Style style_of(int heat, int sign) {
  return sign == 0 ? Style::Plain : sign < 0 ? kBelow[heat] : kAbove[heat];
}

std::shared_ptr<const TensorTable> TableCache::of(const Recording& recording, const Entry& entry) {
  std::shared_ptr<const TensorTable>& table = tables_[&entry];
  if (!table) table = std::make_shared<const TensorTable>(recording, entry);
  return table;
}

Grid grid(const Recording& recording, const Entry& entry, const GridView& view) {
  auto table =
      view.tables ? view.tables->of(recording, entry) : std::make_shared<const TensorTable>(recording, entry);
  return Layout::make(
      std::make_shared<const Layout>(std::move(table), entry, whose_text(recording, entry), view));
}

}  // namespace glassgrad::learn

#include "apps/learn/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "apps/learn/axes.h"
#include "apps/learn/difference.h"
#include "apps/learn/phrases.h"
#include "apps/learn/table.h"
#include "apps/terminal/text_width.h"

namespace glassgrad::learn {
namespace {

constexpr std::string_view kRamp = ".-+*@";
constexpr Style kShades[] = {Style::Plain, Style::Heat1, Style::Heat2, Style::Heat3, Style::Heat4};
constexpr size_t kLongestRowName = 16;
constexpr std::string_view kGapText = "...", kSum = "row sum", kHidden = "?";

// The shape of the grid on the screen. A cell is a space, `cell` columns, and one for the mark.
class Layout {
 public:
  Layout(const Recording& recording, const Entry& entry, const GridView& view)
      : entry_(entry), view_(view), table_(recording, entry) {
    rows_ = shown_indices(table_.row_count(), view.folded);
    all_columns_ = shown_indices(table_.column_count(), view.folded);
    measure();
  }

  Grid make() {
    Grid grid{.lines = {},
              .long_one = is_long(),
              .marked = has_marks(),
              .changed = bool(entry_.changed),
              .left_most = left_most_,
              .left = left_};
    grid.lines.push_back(title());
    if (entry_.value->shape.n == 0) {
      const std::string text = number({}, 0, 0);
      grid.lines[0].push_back(view_.cursor ? Span{fmt::format(" [{}]", text), Style::Cursor}
                                           : Span{fmt::format("  {}", text)});
    } else if (entry_.value->shape.numel() == 0) {
      grid.lines.push_back({{"  (no elements)"}});
    } else {
      add_tables(grid.lines);
    }
    return grid;
  }

 private:
  bool is_long() const {
    const Dims& shape = entry_.value->shape;
    return std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n >= kFoldedFrom; });
  }
  std::string row_name(int64_t row) const {
    const Axis& rows = table_.rows();
    if (rows.labels.empty()) return "";
    return row == kGap ? std::string(kGapText) : rows.labels[size_t(row)];
  }
  // A vector's row has no name: there is room for what its columns count.
  bool is_vector() const { return entry_.value->shape.n == 1; }
  const std::string& row_word() const { return is_vector() ? table_.columns().word : table_.rows().word; }
  std::string column_name(int64_t column) const {
    return column == kGap ? std::string(kGapText) : table_.columns().labels[size_t(column)];
  }

  // Calls f with each table that is shown and its name; gap() where some are left out.
  template <class F, class G>
  void each_table(Table::Place place, size_t axis, const std::string& name, bool folded, F f, G gap) const {
    if (axis == table_.before().size()) return f(place, name);
    const Axis& a = table_.before()[axis];
    for (const int64_t i : shown_indices(std::ssize(a.labels), folded)) {
      if (i == kGap)
        gap();
      else
        each_table(table_.inside(place, axis, i), axis + 1,
                   fmt::format("{}{}{}", name, name.empty() ? "" : ", ", index_name(a, i)), folded, f, gap);
    }
  }

  void measure() {
    if (entry_.value->shape.n == 0 || entry_.value->shape.numel() == 0) return;
    for (const int64_t row : rows_) name_ = std::max(name_, columns_of(row_name(row)));
    name_ = std::min(std::max(name_, columns_of(row_word())), kLongestRowName);
    size_t numbers = std::max(table_.width(), kGapText.size()), names = 0;
    each_table(
        {}, 0, "", true, [&](Table::Place place, const std::string&) { measure(place, numbers); }, [] {});
    for (const int64_t column : all_columns_) names = std::max(names, columns_of(column_name(column)));

    const size_t taken = name_ + (has_sums() ? sum_ + 2 : 0);
    const size_t room = view_.columns > taken ? view_.columns - taken : 0;
    const size_t each = room / all_columns_.size();  // with a space and a mark
    cell_ = std::max(numbers, std::min(names, each > 2 ? each - 2 : 0));
    const size_t fit = std::clamp<size_t>(room / (cell_ + 2), 1, all_columns_.size());
    left_most_ = static_cast<int64_t>(all_columns_.size() - fit);
    left_ = std::min(view_.left, left_most_);
    if (view_.cursor) show_cursor(static_cast<int64_t>(fit));
    const auto first = all_columns_.begin() + left_;
    columns_.assign(first, first + static_cast<ptrdiff_t>(fit));
  }

  // Moves the columns as far as it takes to see the cursor's.
  void show_cursor(int64_t fit) {
    const auto found =
        std::find(all_columns_.begin(), all_columns_.end(), (*view_.cursor)[view_.cursor->n - 1]);
    const int64_t column = found - all_columns_.begin();
    left_ = std::clamp(left_, std::max<int64_t>(column + 1 - fit, 0), std::min(column, left_most_));
  }
  bool is_cursor(Table::Place place, int64_t row, int64_t column) const {
    if (!view_.cursor) return false;
    const Dims& cell = *view_.cursor;
    int64_t number = 0;
    for (int d = 0; d + 2 < cell.n; ++d) number = number * entry_.value->shape[d] + cell[d];
    return place.number == number && row == (cell.n > 1 ? cell[cell.n - 2] : 0) && column == cell[cell.n - 1];
  }

  bool has_marks() const { return table_.has_heat() && view_.marks; }
  bool has_sums() const { return table_.has_row_sums() && view_.sums; }
  std::string shown(Table::Place place, int64_t row, int64_t column) const {
    const std::string text = table_.text(place, row, column);
    const bool is_hidden = std::find(view_.hidden.begin(), view_.hidden.end(), text) != view_.hidden.end();
    return is_hidden ? std::string(kHidden) : text;
  }

  // A mark right after the point of "1." would look like a part of the number.
  std::string number(Table::Place place, int64_t row, int64_t column) const {
    const std::string text = shown(place, row, column);
    return has_marks() && text.ends_with('.') ? text + " " : text;
  }

  // Finite numbers are measured; inf, nan and sums are where they are likely to be seen.
  void measure(Table::Place place, size_t& numbers) {
    for (const int64_t row : shown_indices(table_.row_count(), true)) {
      if (row == kGap) continue;
      for (const int64_t column : shown_indices(table_.column_count(), true))
        if (column != kGap) numbers = std::max(numbers, number(place, row, column).size());
      if (has_sums()) sum_ = std::max(sum_, table_.row_sum(place, row).size());
    }
  }

  Line title() const {
    Line line{{entry_.name, Style::Bold}, {"  " + shape_text(entry_)}};
    if (left_most_ > 0)
      line.push_back({fmt::format("  columns {} to {} of {}", column_name_shown(columns_.front()),
                                  column_name_shown(columns_.back()), table_.column_count())});
    if (entry_.changed) line.push_back({fmt::format("  {} changed", entry_.changed->count)});
    if (has_marks() && view_.hidden.empty())
      line.push_back({fmt::format("  largest {}", digits(table_.largest())), Style::Faint});
    return line;
  }
  // By position, because names may repeat.
  std::string column_name_shown(int64_t column) const {
    return column == kGap ? std::string(kGapText) : std::to_string(column + 1);
  }

  // Tables beside each other as far as the screen goes.
  void add_tables(std::vector<Line>& lines) const {
    std::vector<std::vector<Line>> tables;
    each_table(
        {}, 0, "", view_.folded,
        [&](Table::Place place, const std::string& name) { tables.push_back(one(place, name)); },
        [&] { tables.push_back({{{std::string(kGapText)}}}); });
    size_t width = 0;
    for (const std::vector<Line>& table : tables)
      for (const Line& line : table) width = std::max(width, columns_of(plain_text(line)));
    constexpr size_t kBetween = 4;
    const size_t beside = std::max<size_t>(1, (view_.columns + kBetween) / (width + kBetween));
    for (size_t first = 0; first < tables.size(); first += beside) {
      if (first > 0) lines.emplace_back();
      const std::span<const std::vector<Line>> row(tables);
      add_row(lines, row.subspan(first, std::min(beside, tables.size() - first)), width + kBetween);
    }
  }

  static void add_row(std::vector<Line>& lines, std::span<const std::vector<Line>> tables, size_t width) {
    size_t height = 0;
    for (const std::vector<Line>& table : tables) height = std::max(height, table.size());
    for (size_t i = 0; i < height; ++i) {
      Line& line = lines.emplace_back();
      size_t taken = 0, wanted = 0;
      for (const std::vector<Line>& table : tables) {
        const Line& part = i < table.size() ? table[i] : Line{};
        if (wanted > 0) line.push_back({std::string(wanted - taken, ' ')});
        line.insert(line.end(), part.begin(), part.end());
        taken = wanted + columns_of(plain_text(part));
        wanted += width;
      }
    }
  }

  std::vector<Line> one(Table::Place place, const std::string& name) const {
    std::vector<Line> lines;
    if (!name.empty()) lines.push_back({{name + ":"}});
    add_head(lines);
    for (const int64_t row : rows_) lines.push_back(row_line(place, row));
    return lines;
  }

  void add_head(std::vector<Line>& lines) const {
    const std::string& word = table_.columns().word;
    if (!is_vector() && !word.empty()) lines.push_back({{std::string(name_ + 1, ' ') + word, Style::Faint}});
    Line head{{left_aligned(row_word(), name_), Style::Faint}};
    for (const int64_t column : columns_)
      head.push_back({" " + right_aligned(column_name(column), cell_) + " "});
    if (has_sums()) head.push_back({"  " + right_aligned(kSum, sum_), Style::Faint});
    lines.push_back(std::move(head));
  }

  Line row_line(Table::Place place, int64_t row) const {
    Line line{{left_aligned(row_name(row), name_)}};
    for (const int64_t column : columns_) {
      const bool gap = row == kGap || column == kGap;
      if (!gap && is_cursor(place, row, column)) {  // brackets where the space and the mark would be
        const std::string text = shown(place, row, column);
        line.push_back({std::string(cell_ - std::min(cell_, text.size()), ' ')});
        line.push_back({fmt::format("[{}]", text), Style::Cursor});
        continue;
      }
      const std::string text = gap ? std::string(kGapText) : number(place, row, column);
      const bool shown = !gap && text != kHidden;
      const int heat = shown && view_.marks ? table_.heat(place, row, column) : -1;
      const bool changed = shown && table_.changed(place, row, column);
      line.push_back({std::string(cell_ - text.size() + 1 - changed, ' ')});
      if (changed) line.push_back({"~", Style::Bold});
      line.push_back({fmt::format("{}{}", text, heat < 0 ? ' ' : kRamp[size_t(heat)]),
                      heat < 0 ? Style::Plain : kShades[heat]});
    }
    if (has_sums() && row != kGap)
      line.push_back({fmt::format("  {:>{}}", table_.row_sum(place, row), sum_)});
    return line;
  }

  const Entry& entry_;
  const GridView& view_;
  Table table_;
  std::vector<int64_t> rows_, all_columns_, columns_;
  size_t name_ = 0, cell_ = 0, sum_ = kSum.size();
  int64_t left_most_ = 0, left_ = 0;
};

}  // namespace

Grid grid(const Recording& recording, const Entry& entry, const GridView& view) {
  return Layout(recording, entry, view).make();
}

}  // namespace glassgrad::learn

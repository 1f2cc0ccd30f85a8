#include "apps/show/bars.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/text_width.h"
#include "apps/lesson/phrases.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kLongestName = 16;
constexpr const char* kBar = "\u2588";  // a full block

std::string repeated(std::string_view text, size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

// Returns "batch 0, head 1, query "journey"", and sets `slice` to the matrix of the row.
std::string place(const TensorTable& table, const Dims& cell, TensorTable::Slice& slice) {
  std::string text;
  for (size_t d = 0; d < table.before().size(); ++d) {
    const int64_t i = cell[static_cast<int>(d)];
    slice = table.inside(slice, d, i);
    text += index_name(table.before()[d], i) + ", ";
  }
  return text + index_name(table.rows(), cell[cell.n - 2]);
}

}  // namespace

std::vector<Line> bars(const Recording& recording, const Entry& entry, const Dims& cell, size_t columns) {
  const TensorTable table(recording, entry);
  TensorTable::Slice slice;
  const int64_t row = cell[cell.n - 2];
  const std::string where = place(table, cell, slice);
  std::vector<Line> lines{{{entry.name, Style::Bold}, {fmt::format("  {} looks at", where)}}, {}};

  const std::vector<std::string>& names = table.columns().labels;
  size_t name = 0, number = table.width();
  for (int64_t key = 0; key < table.column_count(); ++key) {
    name = std::max(name, std::min(columns_of(names[size_t(key)]), kLongestName));
    number = std::max(number, table.text(slice, row, key).size());
  }
  const size_t taken = name + 2 + number + 2, room = columns > taken ? columns - taken : 1;
  for (int64_t key = 0; key < table.column_count(); ++key) {
    Line line{{left_aligned(names[size_t(key)], name) + "  "}};
    if (table.masked(slice, row, key)) {
      line.push_back({repeated(kMaskedBlock, number), Style::Masked});
      line.push_back({"  masked", Style::Faint});
    } else {
      const double share = table.share(slice, row, key);
      line.push_back({right_aligned(table.text(slice, row, key), number) + "  "});
      line.push_back({repeated(kBar, static_cast<size_t>(std::lround(share * double(room)))),
                      table.sign(slice, row, key) < 0 ? Style::Below0 : Style::Above0});
    }
    lines.push_back(std::move(line));
  }
  lines.emplace_back();
  std::string note = fmt::format("A bar of full length is {}.", digits(table.largest()));
  if (table.has_row_sums()) note += fmt::format(" The row adds to {}.", table.row_sum(slice, row));
  lines.push_back({{std::move(note), Style::Faint}});
  return lines;
}

}  // namespace glassgrad::learn

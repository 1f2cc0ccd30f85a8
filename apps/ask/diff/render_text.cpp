#include <fmt/format.h>

#include "apps/ask/diff/render.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/address.h"
#include "apps/lesson/phrases.h"

namespace glassgrad::diff {
namespace {

using learn::digits;

constexpr size_t kColumns = 80, kAddress = 27;

std::string text_of(const Difference& d, const Value& left, const Value& right) {
  switch (d.kind) {
    case Difference::Kind::None:
      return "equal";
    case Difference::Kind::Rounding:
      return fmt::format("{} rounding", digits(d.largest));
    case Difference::Kind::Cells:
      return digits(d.largest);
    case Difference::Kind::Shapes:
      break;
  }
  return fmt::format("{} | {}", to_string(left.x.shape()), to_string(right.x.shape()));
}

// Two addresses and what was found; what does not fit stands in a line of its own.
std::string row(const std::string& left, const std::string& right, const std::string& found) {
  constexpr size_t kColumn = kAddress + 1;
  std::string text;
  if (left == right && columns_of(left) < 2 * kColumn)
    text = left_aligned(left, 2 * kColumn);
  else if (columns_of(left) <= kAddress && columns_of(right) <= kAddress)
    text = left_aligned(left, kColumn) + left_aligned(right, kColumn);
  else
    text = fmt::format("{}\n  {} ", left, left_aligned(right, 2 * kColumn - 3));
  if (2 * kColumn + found.size() <= kColumns) return fmt::format("{}{}\n", text, found);
  text.resize(text.find_last_not_of(' ') + 1);
  return fmt::format("{}\n    {}\n", text, found);
}

// The sentence that names the first difference.
std::string about_first(const Difference& d, const Value& left, const Value& right) {
  if (d.kind == Difference::Kind::Shapes)
    return fmt::format("The first difference: {} has the shape {}, {} has {}.", left.address(),
                       to_string(left.x.shape()), right.address(), to_string(right.x.shape()));
  return fmt::format("The first difference: {}{} is {} on the left, {}{} is {} on the right.", left.address(),
                     learn::cell_text(d.left_cell), digits(d.left), right.address(),
                     learn::cell_text(d.right_cell), digits(d.right));
}

void write_filled(const std::string& text, Output& out) {
  for (const std::string& line : filled(text, 0, kColumns)) out.write(line + "\n");
}

}  // namespace

void render_text(const Sides& sides, const std::vector<Compared>& compared, Output& out) {
  const auto &left = sides.left.values, &right = sides.right.values;
  for (const std::string& note : sides.notes) write_filled(note, out);
  if (!sides.notes.empty()) out.write("\n");
  out.write(row(sides.left.title, sides.right.title, "largest difference"));
  for (const auto& [pair, difference] : compared) {
    const Value &a = left[pair.left], &b = right[pair.right];
    out.write(row(a.address(), b.address(), text_of(difference, a, b)));
  }
  out.write("\n");
  const size_t alone_left = left.size() - compared.size(), alone_right = right.size() - compared.size();
  if (alone_left + alone_right > 0)
    write_filled(fmt::format("Without a counterpart: {} on the left, {} on the right.",
                             learn::counted(int64_t(alone_left), "tensor"), alone_right),
                 out);
  const Compared* first = first_difference(compared);
  write_filled(first ? about_first(first->difference, left[first->pair.left], right[first->pair.right])
                     : fmt::format("No difference beyond rounding in {}.",
                                   learn::counted(int64_t(compared.size()), "pair")),
               out);
}

}  // namespace glassgrad::diff

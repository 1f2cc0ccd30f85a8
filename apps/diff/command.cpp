#include "apps/diff/command.h"

#include <fmt/format.h>

#include "apps/arguments.h"
#include "apps/classes.h"
#include "apps/diff/class_pair.h"
#include "apps/diff/compare.h"
#include "apps/diff/lessons.h"
#include "apps/learn/address.h"
#include "apps/learn/phrases.h"
#include "apps/terminal/text_width.h"
#include "engine/error.h"

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

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "diff", "Run two lessons, classes or settings side by side",
                 "glassgrad diff journey \"journey --seed 7\"\n"
                 "         glassgrad diff journey cat\n"
                 "         glassgrad diff journey.SelfAttention_v2 journey.CausalAttention"),
      left_(add_value("A", "", "A lesson with its flags in quotes, or a class")),
      right_(add_value("B", "", "What to compare it with")) {}

void Command::run(Output& out) const {
  const auto left = given(left_), right = given(right_);
  check<UsageError>(left && right,
                    "diff takes two lessons or two classes: glassgrad diff journey \"journey --seed 7\"");
  const bool classes = names_class(*left);
  check<UsageError>(classes == names_class(*right),
                    "diff takes two lessons or two classes, not one of each: {}, {}", *left, *right);
  const Sides sides = classes ? run_classes(*left, *right) : run_lessons(*left, *right);
  for (const std::string& note : sides.notes) write_filled(note, out);
  if (!sides.notes.empty()) out.write("\n");
  out.write(row(sides.left.title, sides.right.title, "largest difference"));

  std::string first;
  const std::vector<Pair> pairs = aligned(sides.left, sides.right);
  for (const Pair& pair : pairs) {
    const Value &a = sides.left.values[pair.left], &b = sides.right.values[pair.right];
    const Difference d = difference(a.x, b.x);
    out.write(row(a.address(), b.address(), text_of(d, a, b)));
    if (first.empty() && d.kind > Difference::Kind::Rounding) first = about_first(d, a, b);
  }
  out.write("\n");
  const size_t alone_left = sides.left.values.size() - pairs.size(),
               alone_right = sides.right.values.size() - pairs.size();
  if (alone_left + alone_right > 0)
    write_filled(fmt::format("Without a counterpart: {} on the left, {} on the right.",
                             learn::counted(int64_t(alone_left), "tensor"), alone_right),
                 out);
  write_filled(first.empty() ? fmt::format("No difference beyond rounding in {}.",
                                           learn::counted(int64_t(pairs.size()), "pair"))
                             : first,
               out);
}

}  // namespace glassgrad::diff

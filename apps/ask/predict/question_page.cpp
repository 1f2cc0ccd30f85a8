#include "apps/ask/predict/question_page.h"

#include <fmt/format.h>

#include "apps/ask/cell_names.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/axes.h"
#include "apps/show/table.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kWidest = 400;  // a table to compute from is shown whole

std::string text_of(const Grid& grid) {
  std::string text;
  for (const Line& line : grid.lines) {
    text += plain_text(line);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

GridView whole() { return {.columns = kWidest, .folded = false, .marks = false}; }

}  // namespace

void hide_answer(GridView& view, const Quantity& asked) {
  view.sums = false;
  if (asked.kind == Quantity::Kind::Cell) view.hidden.push_back(asked.value_text());
}

std::string where_it_stands(const Recording& recording, const Quantity& asked) {
  const auto& [step, entry, cell] = asked.address;
  if (asked.kind == Quantity::Kind::Cell) return meaning(recording, *entry, cell);
  if (asked.kind == Quantity::Kind::Size || entry->axes.empty() || cell.n < 2) return {};
  const int d = cell.n - 2;
  return index_name({.word = entry->axes[size_t(d)],
                     .labels = labels(recording, *entry, d),
                     .tokens = named_by_tokens(recording, *entry, d)},
                    cell[d]);
}

std::string words_of(const Recording& recording, const Quantity& asked) {
  const std::string where = where_it_stands(recording, asked);
  const char* const what = asked.kind == Quantity::Kind::RowSum ? "the sum of the row"
                           : asked.kind == Quantity::Kind::Size ? "the size of its last dimension"
                                                                : "";
  return fmt::format("{}{}{}{}{}", asked.name(), *what ? ", " : "", what, where.empty() ? "" : ": ", where);
}

std::string table_text(const Recording& recording, const Entry& entry, Quantity::Kind kind) {
  if (kind == Quantity::Kind::Size) return fmt::format("{}  {}\n", entry.name, shape_text(entry));
  GridView view = whole();
  view.sums = kind == Quantity::Kind::Cell;
  return text_of(grid(recording, entry, view));
}

std::string blank_text(const Recording& recording, const Quantity& asked) {
  const Entry& entry = *asked.address.entry;
  if (asked.kind == Quantity::Kind::Size) return fmt::format("{}  {}\n", entry.name, asked_shape_text(entry));
  GridView view = whole();
  hide_answer(view, asked);
  return text_of(grid(recording, entry, view));
}

std::string question_text(const Recording& recording, const Question& question, size_t number, size_t of) {
  const Step& step = *question.asked.address.step;
  std::string text = fmt::format(
      "{:-<{}}\n{}\n\n", fmt::format("--- question {} of {}, step {} {} ", number, of, step.number, step.id),
      kWidth, step.title);
  for (const Formula& formula : step.formulas) text += fmt::format("    {}\n", formula.text);
  for (const std::string& line : step.code) text += fmt::format("    {}\n", line);
  if (!step.formulas.empty() || !step.code.empty()) text += "\n";
  for (const Given& given : question.given)
    if (given.entry != question.asked.address.entry)
      text += table_text(recording, *given.entry, question.asked.kind) + "\n";
  return text + blank_text(recording, question.asked) + "\n" + words_of(recording, question.asked) + "\n";
}

}  // namespace glassgrad::learn

#include "apps/ask/predict/question_page.h"

#include <fmt/core.h>

#include <cctype>
#include <cmath>

#include "apps/ask/cell_names.h"
#include "apps/ask/predict/choices.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/axes.h"
#include "apps/show/sentences.h"
#include "apps/show/tensor_table.h"

namespace glassgrad::learn {
namespace {

// Writes a whole table to compute from: columns that do not fit into a line stand below the others.
std::string text_of(const Recording& recording, const Entry& entry, GridView view) {
  TableCache tables;
  view.tables = &tables;
  std::string text;
  while (true) {
    const Grid part = grid(recording, entry, view);
    for (const Line& line : part.lines) {
      text += plain_text(line);
      text.erase(text.find_last_not_of(' ') + 1);
      text += "\n";
    }
    if (view.left >= part.left_most) return text;
    view.left += entry.value->shape()[entry.value->shape().n - 1] - part.left_most;
  }
}

GridView whole() { return {.columns = kWidth, .folded = false, .marks = false}; }

void hide_answer(GridView& view, const Quantity& asked) {
  view.sums = false;
  if (asked.kind != Quantity::Kind::Cell) return;
  const Entry& entry = *asked.address.entry;
  view.hidden.push_back(asked.value_text());
  if (asked.address.cell.n == 0) return;
  view.hidden_row = asked.address.cell;
  Quantity other = asked;
  for (int64_t& k = other.address.cell[asked.address.cell.n - 1] = 0;
       k < entry.value->shape()[asked.address.cell.n - 1]; ++k) {
    const double value = other.value();
    if (std::isfinite(value) && value != 0 && value != 1) view.hidden.push_back(other.value_text());
  }
}

}  // namespace

std::string where_it_stands(const Recording& recording, const Quantity& asked) {
  const auto& [step, entry, cell] = asked.address;
  if (asked.is_choice() || asked.kind == Quantity::Kind::Shape) return {};
  if (asked.kind == Quantity::Kind::Cell) return meaning(recording, *entry, cell);
  if (asked.kind == Quantity::Kind::Size || entry->axes.empty() || cell.n < 2) return {};
  const int d = cell.n - 2;
  return index_name({.word = entry->axes[size_t(d)],
                     .labels = labels(recording, *entry, d),
                     .tokens = named_by_tokens(recording, *entry, d)},
                    cell[d]);
}

std::string question_sentence(const Recording& recording, const Quantity& asked) {
  using Kind = Quantity::Kind;
  if (asked.is_choice()) {
    const auto choices = choices_of(recording, asked);
    return choices ? choices->question : "";
  }
  const std::string& tensor = asked.address.entry->name;
  if (asked.kind == Kind::Shape) return fmt::format("What is the shape of {}?", tensor);
  if (asked.kind == Kind::Size) return fmt::format("How large is the last dimension of {}?", tensor);
  const bool is_sum = asked.kind == Kind::RowSum;
  if (std::string where = where_it_stands(recording, asked); !where.empty()) {
    where[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(where[0])));
    return is_sum ? fmt::format("{}: what do the numbers of {} add to in this row?", where, tensor)
                  : fmt::format("{}: what number does {} have there?", where, tensor);
  }
  Dims cell = asked.address.cell;
  if (is_sum && cell.n > 0) --cell.n;  // the whole row
  return fmt::format("{} {}{}{}?", is_sum ? "What do the numbers of" : "What number is", tensor,
                     cell.n > 0 ? cell_text(cell) : "", is_sum ? " add to" : "");
}

std::string choices_text(const Recording& recording, const Quantity& asked) {
  const auto choices = asked.is_choice() ? choices_of(recording, asked) : std::nullopt;
  if (!choices) return {};
  size_t width = 0;
  for (const std::string& text : choices->texts) width += columns_of(text) + 6;
  const std::string between = width <= kWidth ? "   " : "\n";
  std::string line;
  for (size_t i = 0; i < choices->texts.size(); ++i)
    line += fmt::format("{}{}) {}", i ? between : "", letter_of(i), choices->texts[i]);
  return line + "\n";
}

std::string table_text(const Recording& recording, const Entry& entry, Quantity::Kind kind) {
  if (kind == Quantity::Kind::Size || kind == Quantity::Kind::Shape)
    return fmt::format("{}  {}\n", entry.name, shape_text(entry));
  GridView view = whole();
  view.sums = kind == Quantity::Kind::Cell;
  return text_of(recording, entry, view);
}

std::string blank_text(const Recording& recording, const Quantity& asked) {
  using Kind = Quantity::Kind;
  if (asked.kind == Kind::Written) return {};
  const Entry& entry = *asked.address.entry;
  if (asked.kind == Kind::Size) return fmt::format("{}  {}\n", entry.name, asked_shape_text(entry));
  if (asked.kind == Kind::Shape) return fmt::format("{}  (?)\n", entry.name);
  if (asked.is_choice()) return fmt::format("{}  {}  ?\n", entry.name, shape_text(entry));
  GridView view = whole();
  hide_answer(view, asked);
  return text_of(recording, entry, view);
}

std::string material_text(const Recording& recording, const Question& question) {
  const Step& step = *question.asked.address.step;
  std::string text;
  for (const Formula& formula : step.formulas) text += fmt::format("    {}\n", formula.text);
  for (const CodeBlock& block : step.blocks()) {
    if (const std::string whose = whose_text(recording, step, block); !whose.empty())
      text += fmt::format("  {}:\n", whose);
    for (const std::string& line : step.lines(block)) text += fmt::format("    {}\n", line);
  }
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  };
  for (const AnswerOperand& given : question.given)
    if (given.entry != question.asked.address.entry)
      add(table_text(recording, *given.entry, question.asked.kind));
  add(blank_text(recording, question.asked));
  return text;
}

std::string question_text(const Recording& recording, const Question& question, size_t number, size_t of) {
  const Step& step = *question.asked.address.step;
  std::string words;
  for (const std::string& line : filled(question_sentence(recording, question.asked), 0, kWidth))
    words += line + "\n";
  return fmt::format("{:-<{}}\n{}\n\n{}\n{}{}",
                     fmt::format("--- question {} of {}, step {} {} ", number, of, step.place(), step.id),
                     kWidth, step.title, material_text(recording, question), words,
                     choices_text(recording, question.asked));
}

std::string wrapped(std::string_view text) {
  std::string all;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (columns_of(line) <= kWidth)
      all += fmt::format("{}\n", line);
    else
      for (const std::string& part : filled(line, 0, kWidth)) all += part + "\n";
    at = end + 1;
  }
  all.pop_back();
  return all;
}

}  // namespace glassgrad::learn

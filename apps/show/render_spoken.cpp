// Writes a lesson for listening: one sentence per line, no boxes.
#include <fmt/core.h>

#include "apps/lesson/axes.h"
#include "apps/lesson/difference.h"
#include "apps/lesson/markdown.h"
#include "apps/show/curve.h"
#include "apps/show/render.h"
#include "apps/show/sentences.h"
#include "apps/show/tensor_table.h"
#include "engine/core/joined.h"

namespace glassgrad::learn {
namespace {

std::string left_out(int64_t size, const char* noun) {
  return fmt::format("and {} more{}{}", size - 6, *noun ? " " : "", noun);
}

// Returns '"Your" 0.5517, "journey" 0.4483, row sum 1.0000'. Leaves out names that are only numbers, which
// would be mistaken for values.
std::string row_text(const TensorTable& table, TensorTable::Slice slice, int64_t row) {
  std::vector<std::string> parts;
  for (const int64_t column : shown_indices(table.column_count(), true)) {
    if (column == kGap) {
      parts.push_back(left_out(table.column_count(), ""));
      continue;
    }
    const std::string text = table.masked(slice, row, column) ? "masked" : table.text(slice, row, column);
    const Axis& columns = table.columns();
    parts.push_back(columns.tokens ? fmt::format("\"{}\" {}", columns.labels[size_t(column)], text) : text);
  }
  if (table.has_row_sums()) parts.push_back("row sum " + table.row_sum(slice, row));
  return joined(parts, ", ");
}

void add_rows(std::string& text, const TensorTable& table, TensorTable::Slice slice,
              const std::string& name) {
  for (const int64_t row : shown_indices(table.row_count(), true)) {
    const std::string before = name.empty() ? "" : name + ", ";
    if (row == kGap)
      text += fmt::format("{}{}\n", before, left_out(table.row_count(), "rows"));
    else if (table.rows().labels.empty())
      text += row_text(table, slice, row) + "\n";
    else
      text += fmt::format("{}{}: {}\n", before, index_name(table.rows(), row), row_text(table, slice, row));
  }
}

void add_tables(std::string& text, const TensorTable& table, TensorTable::Slice slice, size_t axis,
                const std::string& name) {
  if (axis == table.before().size()) return add_rows(text, table, slice, name);
  const Axis& a = table.before()[axis];
  const int64_t size = std::ssize(a.labels);
  const std::string before = name.empty() ? "" : name + ", ";
  for (const int64_t i : shown_indices(size, true)) {
    if (i == kGap)
      text += fmt::format("{}{} {}s\n", before, left_out(size, ""), a.word.empty() ? "table" : a.word);
    else
      add_tables(text, table, table.inside(slice, axis, i), axis + 1, before + index_name(a, i));
  }
}

std::string entry_spoken(const Recording& recording, const Entry& entry) {
  if (!entry.value)
    return fmt::format("{}: {}\n", entry.reworded ? "now prints" : "prints", entry.print_text());
  const TensorTable table(recording, entry);
  const std::string changed = entry.changed ? fmt::format("Changed: {}.\n", difference_text(entry)) : "";
  const std::string mark = whose_text(recording, entry), whose = mark.empty() ? "" : ", " + mark;
  if (entry.value->shape().n == 0)
    return fmt::format("{} is {}{}.\n{}", entry.name, table.text({}, 0, 0), whose, changed);
  std::string text = fmt::format("{} has shape {}{}.\n", entry.name, shape_text(entry), whose);
  if (const std::vector<double> steps = values_of_steps(entry); !steps.empty())
    text += curve_spoken(steps) + "\n";
  else if (entry.value->shape().numel() > 0)
    add_tables(text, table, {}, 0, "");
  return text + changed;
}

void add_said(std::string& text, std::span<const std::string> sentences) {
  for (std::string_view sentence : sentences) {
    if (sentence.starts_with(kPoint)) sentence.remove_prefix(kPoint.size());
    text += plain_words(sentence) + "\n";
  }
}

}  // namespace

std::string spoken(const Recording& recording, const Step& step) {
  std::string text =
      fmt::format("Step {} of {} of the lesson {}, {}called {}.\n", step.place(), recording.main_step_count(),
                  recording.lesson->id, section_text(step, ", "), step.id);
  text += step.title + (step.title.ends_with('?') ? "\n" : ".\n");
  add_said(text, step.said_before());
  for (const Formula& formula : step.formulas) text += fmt::format("formula: {}\n", formula.text);
  for (const CodeBlock& block : step.blocks()) {
    if (const std::string whose = whose_text(recording, step, block); !whose.empty())
      text += fmt::format("code, {}:\n", whose);
    for (size_t k = 0; k < block.count; ++k) {
      text += fmt::format("code: {}\n", step.code[block.first + k]);
      if (const auto was = block.edited.find(k); was != block.edited.end())
        text += fmt::format("{} {}\n",
                            block.whose == Whose::Wrong ? "in place of" : "you wrote this line; it was",
                            was->second);
    }
    if (!block.raised.empty()) text += fmt::format("it ends with {}\n", block.raised);
  }
  for (const Entry& entry : step.entries) text += entry_spoken(recording, entry);
  add_said(text, step.said_after());
  return text + fmt::format("{}: {}\n\n", recording.lesson->has_chapter ? "In the chapter" : "Again",
                            anchor(recording, step));
}

void render_spoken(const Recording& recording, Steps steps, Output& out) {
  for (const Step& step : steps) out.write(spoken(recording, step));
  for (const std::string& sentence : differences_text(recording)) out.write(sentence + "\n");
}

}  // namespace glassgrad::learn

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/lesson/difference.h"
#include "apps/show/render.h"
#include "apps/show/sentences.h"
#include "engine/core/joined.h"
#include "engine/core/utf8.h"

namespace glassgrad::learn {
namespace {

std::string paragraph(std::string_view text, size_t margin, size_t width = kWidth) {
  return fmt::format("{}\n", joined(filled(text, margin, width), "\n"));
}

std::string entry_text(const Recording& recording, const Entry& entry) {
  if (!entry.value) return (entry.reworded ? "~ " : "") + entry.print_text() + "\n";
  const std::string changed = entry.changed ? fmt::format("changed: {}\n", difference_text(entry)) : "";
  const std::string whose = whose_text(recording, entry);
  return fmt::format("{}  {}{}{}\n{}\n{}", entry.name, shape_text(entry), whose.empty() ? "" : "  ", whose,
                     entry.value->repr(), changed);
}

// Returns the code blocks: the line above each, its lines, and how its run ended.
std::string code_text(const Recording& recording, const Step& step) {
  std::string text;
  for (const CodeBlock& block : step.blocks()) {
    text += "\n";
    if (const std::string whose = whose_text(recording, step, block); !whose.empty())
      text += fmt::format("  {}:\n", whose);
    for (size_t k = 0; k < block.count; ++k) {
      const std::string& line = step.code[block.first + k];
      const auto edited = block.edited.find(k);
      const bool is_edited = edited != block.edited.end();
      text += (is_edited ? "  ~ " : line.empty() ? "" : "    ") + line + "\n";
      if (is_edited) text += fmt::format("      {}: {}\n", before_text(block), trimmed(edited->second));
    }
    if (!block.raised.empty()) text += fmt::format("\n{}", paragraph(block.raised, 0));
  }
  return text;
}

}  // namespace

std::string step_text(const Recording& recording, const Step& step, size_t width) {
  const std::string head = fmt::format("--- {} {}/{}, {}step {} ", recording.lesson->id, step.place(),
                                       recording.main_step_count(), section_text(step, ", "), step.id);
  std::string text = fmt::format("{:-<{}}\n", head, width);
  text += step.title + "\n";
  if (const std::string before = said_text(step.said_before(), width); !before.empty()) text += "\n" + before;
  if (!step.formulas.empty()) text += "\n";
  for (const Formula& formula : step.formulas) text += fmt::format("    {}\n", formula.text);
  text += code_text(recording, step);
  for (const Entry& entry : step.entries) text += fmt::format("\n{}", entry_text(recording, entry));
  if (const std::string after = said_text(step.said_after(), width); !after.empty()) text += "\n" + after;
  return text + fmt::format("\n{}\n\n", anchor(recording, step));
}

void render_text(const Recording& recording, Steps steps, Output& out) {
  for (const Step& step : steps) out.write(step_text(recording, step));
  for (const std::string& sentence : differences_text(recording)) out.write(paragraph(sentence, 0));
}

void render_list(Steps steps, Output& out) {
  const auto inner = [](const Step& s) { return s.is_inside() ? fmt::format(".{}", s.sub_number) : ""; };
  size_t widest = 0;
  for (const Step& step : steps) widest = std::max(widest, inner(step).size());
  for (const Step& step : steps) {
    std::vector<std::string> tensors;
    for (const Entry& entry : step.entries)
      if (entry.value) tensors.push_back(entry.name);
    out.write(
        fmt::format("{:>2}{:<{}}  {:<22}  {}\n", step.main_number, inner(step), widest, step.id, step.title));
    if (!tensors.empty()) out.write(paragraph(joined(tensors, ", "), 4));
  }
}

namespace {

// Returns the name on the left with the text beside it; all lines of the text begin right of the name.
std::string beside(std::string_view name, std::string_view text) {
  constexpr size_t kColumn = 23;  // wider than any name
  std::string lines = paragraph(text, kColumn);
  return lines.replace(0, kColumn, fmt::format("  {:<{}}", name, kColumn - 2));
}

}  // namespace

void render_lessons(std::string_view command, Output& out) {
  const Lesson* before = nullptr;
  for (const Lesson* lesson : lessons()) {
    if (!before || before->group != lesson->group)
      out.write(fmt::format("{}{}\n", before ? "\n" : "", heading_of(lesson->group)));
    out.write(beside(lesson->id, fmt::format("{} minutes", lesson->minutes)));
    out.write(beside("", lesson->source));
    out.write(beside("", lesson->understand));
    before = lesson;
  }
  out.write(fmt::format("\n{} {}\n", command, lessons().front()->id));
}

}  // namespace glassgrad::learn

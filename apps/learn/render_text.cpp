#include <fmt/format.h>

#include "apps/learn/render.h"
#include "apps/terminal/text_width.h"

namespace glassgrad::learn {
namespace {

std::string paragraph(std::string_view text, size_t margin, size_t width = kWidth) {
  return fmt::format("{}\n", fmt::join(filled(text, margin, width), "\n"));
}

std::string entry_text(const Entry& entry) {
  if (!entry.value) return entry.print_text() + "\n";
  const std::string changed = entry.changed ? fmt::format("changed: {}\n", difference_text(entry)) : "";
  return fmt::format("{}  {}\n{}\n{}", entry.name, shape_text(entry), entry.value->repr(), changed);
}

}  // namespace

std::string anchor(const Recording& recording, const Step& step) {
  return fmt::format("docs/{}.md#{}", recording.lesson->id, step.id);
}

std::string step_text(const Recording& recording, const Step& step, size_t width) {
  const std::string head = fmt::format("--- {} {}/{}, section {}, step {} ", recording.lesson->id,
                                       step.number, recording.steps.size(), step.section, step.id);
  std::string text = fmt::format("{:-<{}}\n", head, width);
  text += step.title + "\n\n";
  text += paragraph(fmt::format("{}", fmt::join(step.sentences, " ")), 0, width) + "\n";
  for (const Formula& formula : step.formulas) text += fmt::format("    {}\n", formula.text);
  if (!step.formulas.empty() && !step.code.empty()) text += "\n";
  for (const std::string& line : step.code) text += fmt::format("    {}\n", line);
  for (const Entry& entry : step.entries) text += fmt::format("\n{}", entry_text(entry));
  return text + fmt::format("\n{}\n\n", anchor(recording, step));
}

void render_text(const Recording& recording, Steps steps, Output& out) {
  for (const Step& step : steps) out.write(step_text(recording, step));
  for (const std::string& sentence : differences_text(recording)) out.write(paragraph(sentence, 0));
}

void render_list(Steps steps, Output& out) {
  for (const Step& step : steps) {
    std::vector<std::string> tensors;
    for (const Entry& entry : step.entries)
      if (entry.value) tensors.push_back(entry.name);
    out.write(fmt::format("{:>2}  {:<22}  {}\n", step.number, step.id, step.title));
    out.write(paragraph(fmt::format("{}", fmt::join(tensors, ", ")), 4));
  }
}

void render_lessons(std::string_view command, Output& out) {
  constexpr int kColumn = 18;  // wider than any name
  for (const Lesson* lesson : lessons())
    out.write(fmt::format("{:<{}}{}, {} minutes\n{:{}}{}\n", lesson->id, kColumn, lesson->source,
                          lesson->minutes, "", kColumn, lesson->understand));
  out.write(fmt::format("\n{} {}\n", command, lessons().front()->id));
}

}  // namespace glassgrad::learn

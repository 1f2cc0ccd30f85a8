#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "apps/learn/render.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kWidth = 79;

// Words filled into lines of kWidth, each after `margin` spaces.
std::string filled(std::string_view text, size_t margin) {
  std::string lines, line;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && margin + line.size() + 1 + word.size() > kWidth) {
      lines += std::string(margin, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + std::string(margin, ' ') + line + "\n";
}

// Bold, where that is welcome: on a terminal that can, unless NO_COLOR asks for plain text.
std::string title_line(const std::string& title, const Output& out) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool plain = (no_color && *no_color) || !terminal || std::string_view(terminal) == "dumb";
  return plain || !out.is_terminal() ? title : "\033[1m" + title + "\033[0m";
}

// "(6, 3)", "(6,)", "()".
std::string shape_text(const Dims& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.n == 1 ? "," : "");
}

std::string entry_text(const Entry& entry) {
  if (!entry.value) return entry.print_text() + "\n";
  return fmt::format("{}  {}\n{}\n", entry.name, shape_text(entry.value->shape), entry.value->repr());
}

}  // namespace

void render_step(const Recording& recording, const Step& step, Output& out) {
  const std::string head = fmt::format("--- {} {}/{}, section {}, step {} ", recording.lesson->id, step.number,
                                       recording.steps.size(), step.section, step.id);
  out.write(fmt::format("{:-<{}}\n{}\n\n", head, kWidth, title_line(step.title, out)));
  std::string sentences;
  for (const std::string& s : step.sentences) sentences += (sentences.empty() ? "" : " ") + s;
  out.write(filled(sentences, 0) + "\n");
  for (const std::string& line : step.code) out.write(fmt::format("    {}\n", line));
  for (const Entry& entry : step.entries) out.write("\n" + entry_text(entry));
  out.write("\n");
}

void render_text(const Recording& recording, Steps steps, Output& out) {
  for (const Step& step : steps) render_step(recording, step, out);
}

void render_list(Steps steps, Output& out) {
  for (const Step& step : steps) {
    std::string tensors;
    for (const Entry& entry : step.entries)
      if (entry.value) tensors += (tensors.empty() ? "" : ", ") + entry.name;
    out.write(fmt::format("{:>2}  {:<22}  {}\n", step.number, step.id, step.title));
    out.write(filled(tensors, 4));
  }
}

void render_lessons(Output& out) {
  for (const Lesson* lesson : lessons())
    out.write(fmt::format("{:<10}  \"{}\": {} ({} minutes)\n", lesson->id, lesson->source, lesson->understand,
                          lesson->minutes));
  out.write(fmt::format("\nStart one: glassgrad learn {}\n", lessons().front()->id));
}

}  // namespace glassgrad::learn

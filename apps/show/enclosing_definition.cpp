#include "apps/show/enclosing_definition.h"

#include <fmt/core.h>

#include <algorithm>

namespace glassgrad::learn {
namespace {

// True if a line continues the statement above it.
bool goes_on(const std::string& line) { return line.empty() || line[0] == ' ' || line[0] == ')'; }

// Returns the top-level statement around line k of a block.
EnclosingDefinition around(const Step& step, const CodeBlock& block, size_t k) {
  const auto lines = step.lines(block);
  size_t first = k, end = k + 1;
  while (first > 0 && goes_on(lines[first])) --first;
  while (first > 0 && lines[first - 1].starts_with("@")) --first;
  while (end < lines.size() && goes_on(lines[end])) ++end;
  while (end > k + 1 && lines[end - 1].empty()) --end;
  return {
      .step = &step,
      .line = block.line + static_cast<int>(first),
      .lines = {lines.begin() + static_cast<ptrdiff_t>(first), lines.begin() + static_cast<ptrdiff_t>(end)},
      .marked = std::vector<bool>(end - first)};
}

// Returns the top-level statement around a line of the file, from the step that shows it as a part of the
// program.
EnclosingDefinition definition_around(const Recording& recording, int line) {
  for (const Step& step : recording.steps)
    for (const CodeBlock& b : step.code_blocks)
      if (b.inside.empty() && b.line && b.line <= line && line < b.line + static_cast<int>(b.count))
        return around(step, b, static_cast<size_t>(line - b.line));
  return {};
}

}  // namespace

std::vector<EnclosingDefinition> enclosing_definitions(const Recording& recording, const Step& step) {
  std::vector<EnclosingDefinition> all;
  for (const CodeBlock& block : step.code_blocks)
    for (const int line : block.function_lines) {
      if (line == 0) continue;
      const auto has = [line](const EnclosingDefinition& w) {
        return w.line <= line && line < w.line + static_cast<int>(w.lines.size());
      };
      auto definition = std::find_if(all.begin(), all.end(), has);
      if (definition == all.end()) {
        EnclosingDefinition made = definition_around(recording, line);
        if (!made.step) continue;
        definition = all.insert(all.end(), std::move(made));
      }
      definition->marked[static_cast<size_t>(line - definition->line)] = true;
    }
  return all;
}

std::vector<Line> enclosing_definition_lines(const Recording& recording, const Step& step) {
  std::vector<Line> lines;
  if (const auto file = recording.files.find(step.file); file != recording.files.end())
    for (size_t k = 0; k < file->second.size(); ++k) {
      const int line = static_cast<int>(k) + 1;
      const bool marked = line >= step.line && line <= step.last_line;
      lines.push_back({{marked ? "> " : "  ", Style::Bold},
                       {fmt::format("{:>4}  ", line), Style::Faint},
                       {file->second[k], marked ? Style::Bold : Style::Plain}});
    }
  for (const EnclosingDefinition& definition : enclosing_definitions(recording, step)) {
    if (!lines.empty()) lines.push_back({});
    lines.push_back({{fmt::format("Whole in step {}, {}; > marks the lines of step {}.",
                                  definition.step->place(), definition.step->id, step.place())}});
    lines.push_back({});
    for (size_t k = 0; k < definition.lines.size(); ++k)
      lines.push_back({{definition.marked[k] ? "> " : "  ", Style::Bold},
                       {fmt::format("{:>4}  ", definition.line + static_cast<int>(k)), Style::Faint},
                       {definition.lines[k], definition.marked[k] ? Style::Bold : Style::Plain}});
  }
  return lines;
}

}  // namespace glassgrad::learn

#include "apps/lesson/patch.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/lesson/document_words.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {
namespace {

std::vector<CodeLine> lines_of(const Recording& recording) {
  std::vector<CodeLine> all;
  for (const Step& step : recording.steps)
    for (const CodeBlock& block : step.code_blocks)
      for (size_t k = 0; k < block.count; ++k)
        if (block.line) all.push_back({&step, &block, k});
  return all;
}

size_t margin_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Changes the indentation, because a call's lines are indented less than those of the function.
std::string moved(const std::string& text, size_t from, size_t to) {
  const size_t margin = margin_of(text);
  if (margin == text.size()) return text;
  return std::string(margin + to - std::min(margin + to, from), ' ') + text.substr(margin);
}

FencedCode* block_with(Document& document, int line) {
  const auto has = [line](const FencedCode& b) {
    return b.line <= line && line < b.line + static_cast<int>(b.lines.size());
  };
  for (FencedCode& b : document.opening)
    if (has(b)) return &b;
  for (DocumentStep& step : document.steps)
    for (Item& item : step.items)
      if (auto* const b = std::get_if<FencedCode>(&item); b && has(*b)) return b;
  return nullptr;
}

}  // namespace

std::vector<CodeLine> editable_lines(const Step& step) {
  std::vector<CodeLine> all;
  for (const CodeBlock& block : step.code_blocks)
    for (size_t k = 0; k < block.count; ++k)
      if (const CodeLine line{&step, &block, k}; line.at() && !trimmed(line.text()).empty())
        all.push_back(line);
  return all;
}

std::vector<ChangedLine> edit(const Recording& recording, int line, const std::string& text) {
  const std::vector<CodeLine> all = lines_of(recording);
  const auto chosen =
      std::find_if(all.begin(), all.end(), [&](const CodeLine& l) { return l.line() == line; });
  check<UsageError>(chosen != all.end(), "no step shows a line {} of the lesson's program", line);
  const int at = chosen->at();
  const bool stands =
      at && std::any_of(all.begin(), all.end(), [&](const auto& l) { return l.line() == at; });
  check<UsageError>(stands, "line {} stands in no function that a step shows, so it cannot be edited here",
                    line);
  const std::string& file = recording.lesson->document->file;
  if (text.find('\t') != std::string::npos) fail("{}:{}: there is a tab here: write spaces", file, at);
  check_text(text, file, static_cast<size_t>(at));
  check_size(text, file);
  std::vector<ChangedLine> lines;
  for (const CodeLine& l : all)
    if (l.at() == at)
      lines.push_back({.line = l.line(),
                       .text = moved(text, margin_of(chosen->text()), margin_of(l.text())),
                       .before = l.text(),
                       .runs = l.line() == at});
  return lines;
}

FencedCode patched(const FencedCode& block, std::span<const ChangedLine> lines) {
  FencedCode made = block;
  for (const auto& [line, text, before, runs] : lines) {
    const auto k = static_cast<size_t>(line - block.line);
    if (line < block.line || k >= made.lines.size()) continue;
    made.edited.try_emplace(k, before);
    made.lines[k] = text;
    // The number that was typed must run, so no setting may replace it.
    std::erase_if(made.marks, [&](const LineMark& m) { return m.line == k && m.setting != "inputs"; });
    if (const size_t sign = comment_of(text); sign != std::string::npos)
      if (AxisWords axes = axes_in(std::string_view(text).substr(sign + 1)); !axes.words.empty())
        made.axes[k] = std::move(axes);
  }
  return made;
}

Document patched(const Document& document, std::span<const ChangedLine> lines) {
  Document made = document;
  made.is_edited = true;
  for (const ChangedLine& changed : lines) {
    FencedCode* const b = block_with(made, changed.line);
    if (!b) fail("{}:{}: there is no line of the program here", made.file, changed.line);
    *b = patched(*b, {&changed, 1});
  }
  return made;
}

std::vector<ChangedLine> lines_of(const DocumentStep::Mistake& mistake) {
  const auto& [right, wrong] = mistake;
  const std::vector<std::string> shown = right->shown({});
  std::vector<ChangedLine> lines;
  for (size_t k = 0; k < right->blank.size(); ++k) {
    const std::string& before = shown[right->blank[k]];
    lines.push_back(
        {.line = right->line + static_cast<int>(right->blank[k]),
         .text = k < wrong->lines.size() ? std::string(margin_of(before), ' ') + wrong->lines[k] : "",
         .before = before});
  }
  return lines;
}

}  // namespace glassgrad::learn

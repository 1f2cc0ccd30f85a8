#include "apps/lesson/edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/lesson/document_words.h"

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

// A call's lines begin farther to the left than those of the function.
std::string moved(const std::string& text, size_t from, size_t to) {
  const size_t margin = margin_of(text);
  if (margin == text.size()) return text;
  return std::string(margin + to - std::min(margin + to, from), ' ') + text.substr(margin);
}

Block* block_with(Document& document, int line) {
  const auto has = [line](const Block& b) {
    return b.line <= line && line < b.line + static_cast<int>(b.lines.size());
  };
  for (Block& b : document.opening)
    if (has(b)) return &b;
  for (DocumentStep& step : document.steps)
    for (Item& item : step.items)
      if (auto* const b = std::get_if<Block>(&item); b && has(*b)) return b;
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

std::vector<EditedLine> edit(const Recording& recording, int line, const std::string& text) {
  const std::vector<CodeLine> all = lines_of(recording);
  const auto chosen =
      std::find_if(all.begin(), all.end(), [&](const CodeLine& l) { return l.line() == line; });
  check<UsageError>(chosen != all.end(), "no step shows a line {} of the lesson's program", line);
  const int at = chosen->at();
  const bool stands =
      at && std::any_of(all.begin(), all.end(), [&](const auto& l) { return l.line() == at; });
  check<UsageError>(stands, "line {} stands in no function that a step shows, so it cannot be edited here",
                    line);
  std::vector<EditedLine> lines;
  for (const CodeLine& l : all)
    if (l.at() == at)
      lines.push_back({.line = l.line(),
                       .text = moved(text, margin_of(chosen->text()), margin_of(l.text())),
                       .before = l.text(),
                       .runs = l.line() == at});
  return lines;
}

Document edited(const Document& document, std::span<const EditedLine> lines) {
  Document made = document;
  made.is_edited = true;
  for (const auto& [line, text, before, runs] : lines) {
    Block* const b = block_with(made, line);
    if (!b) fail("{}:{}: there is no line of the program here", made.file, line);
    if (text.find('\t') != std::string::npos)
      fail("{}:{}: there is a tab here: write spaces", made.file, line);
    check_text(text, made.file, static_cast<size_t>(line));
    check_size(text, made.file);
    const auto k = static_cast<size_t>(line - b->line);
    b->edited.try_emplace(k, before);
    b->lines[k] = text;
    // What is typed is what runs: no setting takes the place of its number.
    std::erase_if(b->marks, [&](const Mark& m) { return m.line == k && m.setting != "inputs"; });
    if (const size_t sign = comment_of(text); sign != std::string::npos)
      if (AxisWords axes = axes_in(std::string_view(text).substr(sign + 1)); !axes.words.empty())
        b->axes[k] = std::move(axes);
  }
  return made;
}

}  // namespace glassgrad::learn

// Reads a plain program as a lesson: a step for each top-level statement.
#include <fmt/core.h>

#include <algorithm>

#include "apps/lesson/document.h"
#include "apps/lesson/document_words.h"
#include "apps/lesson/markdown.h"
#include "apps/script/ast.h"
#include "apps/script/value.h"
#include "engine/core/error.h"

namespace glassgrad::learn {
namespace {

// Returns the lines `# …` right above a line of a program, as prose.
std::string comment_above(const std::vector<std::string>& lines, int line) {
  size_t begin = size_t(line) - 1;
  while (begin > 0 && lines[begin - 1].starts_with("#")) --begin;
  std::string text;
  for (; begin + 1 < size_t(line); ++begin) {
    const std::string_view words = trimmed(std::string_view(lines[begin]).substr(1));
    if (words.empty() || words.starts_with("!")) continue;  // #!/usr/bin/env python3
    text += text.empty() ? "" : " ";
    for (const char c : escaped(words)) text += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
  }
  return text;
}

}  // namespace

Document document_of_program(std::string_view text, std::string file) {
  check_size(text, file);
  script::Heap heap(size_t{1} << 28);
  script::Names names;
  const auto parsed = [&] {
    try {
      return script::parse(text, file, names);
    } catch (const script::SyntaxError& e) {
      fail("{}:{}: {}", file, e.line, e.text + (e.hint.empty() ? "" : ": " + e.hint));
    }
  };
  const script::Program program = parsed();
  Document made;
  made.id = file.substr(file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1);
  made.title = made.id;
  made.file = std::move(file);
  made.written = text;
  made.understand = "what this program computes";
  made.minutes = 1;
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    check_text(line, made.file, lines.size() + 1);
    lines.emplace_back(line);
    at = end + 1;
  }
  for (const auto& s : program.body) {
    const int first = s->decorators.empty() ? s->where.line : s->decorators[0]->where.line;
    const int last = std::max(s->last_line, s->where.end_line);
    // Several statements on one line are one step.
    if (!made.steps.empty() && made.steps.back().id == fmt::format("line-{}", first)) continue;
    FencedCode block;
    block.line = first;
    block.lines.assign(lines.begin() + first - 1,
                       lines.begin() + std::min<ptrdiff_t>(last, std::ssize(lines)));
    DocumentStep step{.id = fmt::format("line-{}", first),
                      .title = block.lines[0],
                      .part = {},
                      .aliases = {},
                      .items = {},
                      .hints = {},
                      .expected = {},
                      .line = first};
    if (std::string said = comment_above(lines, first); !said.empty())
      step.items.emplace_back(Paragraph{.text = std::move(said), .line = first});
    step.items.emplace_back(std::move(block));
    made.steps.push_back(std::move(step));
  }
  check(!made.steps.empty(), "{}:1: there is no statement in this program", made.file);
  return made;
}

}  // namespace glassgrad::learn

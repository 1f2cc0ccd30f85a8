#include <fmt/core.h>

#include "apps/lesson/document_words.h"
#include "engine/core/error.h"

namespace glassgrad::learn {

AskedInFile read_ask(std::span<const std::string_view> lines, size_t& at, const std::string& file) {
  constexpr size_t kLeastChoices = 2, kMostChoices = 8;
  const auto refuse = [&](size_t line, std::string_view text) { fail("{}:{}: {}", file, line + 1, text); };
  const auto number = [](size_t line) { return static_cast<int>(line) + 1; };
  const size_t begin = at;
  AskedInFile asked;
  asked.line = number(begin);
  asked.question = {.text = std::string(trimmed(trimmed(lines[at].substr(3)).substr(3))), .line = number(at)};
  if (asked.question.text.empty()) refuse(at, "::: ask QUESTION");
  Paragraph answer;
  std::string* last = &asked.question.text;  // the text that the next line continues
  const auto begin_with = [&](Paragraph& p, std::string_view text) {
    if (!p.text.empty()) refuse(at, "this stands in the question already");
    p = {.text = std::string(trimmed(text)), .line = number(at)};
    last = &p.text;
  };
  for (++at; at < lines.size() && trimmed(lines[at]) != ":::"; ++at) {
    const std::string_view line = lines[at];
    if (line.find('\t') != line.npos) refuse(at, "there is a tab here: write spaces");
    if (line.starts_with("```") || line.starts_with("#") || line.starts_with(":::") || starts_directive(line))
      break;
    if (line.starts_with("- "))
      begin_with(asked.choices.emplace_back(), line.substr(2));
    else if (line.starts_with("answer: "))
      begin_with(answer, line.substr(8));
    else if (line.starts_with("hint: "))
      begin_with(asked.hints.emplace_back(), line.substr(6));
    else if (line.starts_with("why: "))
      begin_with(asked.why, line.substr(5));
    else if (const std::string_view more = trimmed(line); !more.empty())
      *last += fmt::format(" {}", more);
  }
  if (at == lines.size() || trimmed(lines[at]) != ":::") refuse(begin, "this ::: has no end");
  if (asked.choices.size() < kLeastChoices || asked.choices.size() > kMostChoices)
    refuse(begin, fmt::format("a question has {} to {} choices: - CHOICE", kLeastChoices, kMostChoices));
  if (answer.text.empty()) refuse(begin, "a question has an answer: answer: EXPRESSION");
  if (asked.hints.size() != kHints)
    refuse(begin, fmt::format("a question has {} hints: the formula, the numbers that go in, the arithmetic "
                              "but for the last step",
                              kHints));
  if (asked.why.text.empty()) refuse(begin, "a question says why: why: SENTENCES");
  asked.answer = std::move(answer.text);
  asked.answer_line = answer.line;
  return asked;
}

}  // namespace glassgrad::learn

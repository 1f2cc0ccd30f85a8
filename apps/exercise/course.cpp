#include "apps/exercise/course.h"

#include <algorithm>

#include <fmt/core.h>

#include "apps/lesson/document_words.h"
#include "engine/core/error.h"

namespace glassgrad::exercise {
namespace {

using learn::FencedCode, learn::DocumentStep, learn::Paragraph;

bool is_empty(std::string_view line) { return learn::trimmed(line).empty(); }

size_t indent_of(std::string_view line) {
  const size_t at = line.find_first_not_of(' ');
  return at == std::string_view::npos ? 0 : at;
}

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  lines.insert(lines.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// True if the block is part of the program. Blocks on which no other lines depend are not.
bool is_run(const FencedCode& b) { return b.inside.empty() && b.raises.empty(); }

class Reader {
 public:
  explicit Reader(const learn::Document& document) : document_(document) {
    made_.file = document.file;
    made_.id = document.id;
    made_.written = document.written;
    made_.title = document.title;
    made_.understand = document.understand;
    made_.minutes = document.minutes;
    made_.group = document.group;
    made_.place = document.place;
    made_.sizes = document.sizes;
  }

  Course read() {
    for (const FencedCode& b : document_.opening) append(made_.opening, b.shown({}));
    for (const DocumentStep& step : document_.steps) read(step);
    if (has_block(document_.steps.back()) && !between_.empty()) end_with(document_.steps.back());
    if (made_.exercises.empty()) refuse(1, "a course has a blank: lines that end with #: blank");
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(int line, std::string_view text) const {
    fail("{}:{}: {}", document_.file, line, text);
  }

  void read(const DocumentStep& step) {
    if (step.mistake().wrong) return append(between_, right_lines_of(step));
    Exercise made;
    made.id = step.id;
    made.title = step.title;
    made.line = step.line;
    for (const learn::Item& item : step.items)
      if (const auto* b = std::get_if<FencedCode>(&item)) read(*b, made);
    if (made.solution.empty()) {
      if (!step.hints.empty() || !step.expected.empty() || !made.mistakes.empty())
        refuse(step.line, "hints, mistakes and expect: belong to a step with a blank");
      append(between_, std::move(made.setup));
      return;
    }
    if (step.hints.size() != made.hints.size()) refuse(step.line, "an exercise has three hints");
    for (size_t k = 0; k < made.hints.size(); ++k) made.hints[k] = plain(step.hints[k]);
    made.prose = prose_of(step);
    made.expected = step.expected;
    made.setup.insert(made.setup.begin(), between_.begin(), between_.end());
    between_.clear();
    made_.exercises.push_back(std::move(made));
  }

  void read(const FencedCode& b, Exercise& made) const {
    if (!is_run(b)) return;
    std::vector<std::string> lines = b.shown({});
    if (!b.mistake.empty()) {
      if (made.solution.empty()) refuse(b.line, "mistake: stands below the block with the blank");
      made.mistakes.push_back({.sentence = b.mistake, .lines = std::move(lines), .line = b.line});
      return;
    }
    if (!made.solution.empty()) refuse(b.line, "the block with the blank is the last of its step");
    if (b.blank.empty()) return append(made.setup, std::move(lines));
    const auto begin = lines.begin() + ptrdiff_t(b.blank.front()),
               end = lines.begin() + ptrdiff_t(b.blank.back()) + 1;
    made.block_line = b.line;
    made.indent = indent_of(*begin);
    made.before.assign(lines.begin(), begin);
    made.after.assign(end, lines.end());
    made.solution = lines_of(text_of(std::span(lines).subspan(b.blank.front(), size_t(end - begin))));
  }

  static bool has_block(const DocumentStep& step) {
    return std::any_of(step.items.begin(), step.items.end(),
                       [](const learn::Item& item) { return std::holds_alternative<FencedCode>(item); });
  }

  // A step that shows a mistake is not an exercise: only its right lines run.
  static std::vector<std::string> right_lines_of(const DocumentStep& step) {
    std::vector<std::string> lines;
    for (const learn::Item& item : step.items)
      if (const auto* b = std::get_if<FencedCode>(&item); b && is_run(*b) && b->mistake.empty())
        append(lines, b->shown({}));
    return lines;
  }

  void end_with(const DocumentStep& step) {
    made_.ending = std::move(between_);
    made_.ending_title = step.title;
    made_.ending_prose = prose_of(step);
  }

  std::vector<std::string> prose_of(const DocumentStep& step) const {
    std::vector<std::string> prose;
    for (const learn::Item& item : step.items)
      if (const auto* p = std::get_if<Paragraph>(&item))
        append(prose, lines_of(plain(*p)));  // a list has a line for each item
      else if (const auto* m = std::get_if<learn::Math>(&item))
        prose.push_back(m->text);
    return prose;
  }

  // Readers see an exercise's prose before anything runs, so it contains no values; {{ and }} are brackets.
  std::string plain(const Paragraph& p) const {
    std::string text;
    for (size_t k = 0; k < p.text.size(); ++k) {
      const char c = p.text[k];
      if (c == '{' || c == '}') {
        if (k + 1 == p.text.size() || p.text[k + 1] != c)
          refuse(p.line, "the prose of an exercise has no values: they would tell the answer");
        ++k;
      }
      text += c;
    }
    return text;
  }

  const learn::Document& document_;
  Course made_;
  std::vector<std::string> between_;  // lines of steps without a blank since the last exercise
};

}  // namespace

std::vector<std::string> Exercise::with(std::span<const std::string> answer) const {
  std::vector<std::string> all = before;
  for (const std::string& own : answer) all.push_back(is_empty(own) ? "" : std::string(indent, ' ') + own);
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

const Exercise* Course::find(std::string_view name) const {
  for (const Exercise& e : exercises)
    if (e.id == name || std::to_string(index(e) + 1) == name) return &e;
  return nullptr;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  size_t least = std::string::npos;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find_last_not_of(" \r") + 1);
    if (line.empty() && lines.empty()) continue;
    if (!line.empty()) least = std::min(least, indent_of(line));
    lines.emplace_back(line);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (std::string& line : lines) line.erase(0, std::min(least, line.size()));
  return lines;
}

std::string text_of(std::span<const std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Course course_of(const learn::Document& document) { return Reader(document).read(); }

}  // namespace glassgrad::exercise

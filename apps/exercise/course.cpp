#include "apps/exercise/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "apps/lesson/document_words.h"
#include "engine/core/error.h"

namespace glassgrad::exercise {
namespace {

using learn::trimmed;

constexpr std::string_view kBlank = "#: blank", kEnd = "#: end";

bool is_empty(std::string_view line) { return trimmed(line).empty(); }

size_t indent_of(std::string_view line) {
  const size_t at = line.find_first_not_of(' ');
  return at == std::string_view::npos ? 0 : at;
}

class Reader {
 public:
  Reader(std::string_view text, std::string file) {
    made_.file = std::move(file);
    made_.written = text;
    made_.id = made_.file.substr(made_.file.rfind('/') + 1);
    if (made_.id.ends_with(".md")) made_.id.resize(made_.id.size() - 3);
    learn::check_size(text, made_.file);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      lines_.push_back(text.substr(at, end - at));
      learn::check_text(lines_.back(), made_.file, lines_.size());
      at = end + 1;
    }
  }

  Course read() {
    if (lines_.empty() || !lines_[0].starts_with("# ")) refuse(0, "a course begins with its title: # Title");
    made_.title = trimmed(lines_[0].substr(2));
    for (at_ = 1; at_ < lines_.size(); ++at_) {
      const std::string_view line = lines_[at_];
      if (line.find('\t') != std::string_view::npos) refuse(at_, "there is a tab here: write spaces");
      if (line.starts_with("```"))
        block(line.substr(3));
      else if (line.starts_with("## "))
        heading(trimmed(line.substr(3)));
      else if (const auto rest = after(line, "hint: "); !rest.empty())
        hint(paragraph(rest));
      else if (const auto sentence = after(line, "mistake: "); !sentence.empty())
        mistake(paragraph(sentence));
      else if (const auto named = after(line, "expect: "); !named.empty())
        expect(named);
      else if (!is_empty(line))
        prose(paragraph(line));
    }
    finish_exercise();
    if (made_.understand.empty()) refuse(0, "a course has a header: a block ```course");
    if (made_.exercises.empty()) refuse(0, "a course has an exercise: ## Title {#address}");
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(size_t at, const std::string& text) const {
    fail("{}:{}: {}", made_.file, at + 1, text);
  }
  static std::string_view after(std::string_view line, std::string_view word) {
    return line.starts_with(word) ? trimmed(line.substr(word.size())) : std::string_view();
  }
  Exercise& here() {
    if (made_.exercises.empty()) refuse(at_, "this stands before the first exercise: ## Title {#address}");
    return made_.exercises.back();
  }

  // It and the lines that follow it, up to an empty one.
  std::string paragraph(std::string_view first) {
    std::string text(first);
    while (at_ + 1 < lines_.size() && !is_empty(lines_[at_ + 1]) && !lines_[at_ + 1].starts_with("```"))
      text.append(" ").append(trimmed(lines_[++at_]));
    return text;
  }

  void heading(std::string_view text) {
    finish_exercise();
    const size_t open = text.rfind("{#");
    if (open == std::string_view::npos || !text.ends_with('}'))
      refuse(at_, "an exercise has an address: ## Title {#address}");
    Exercise made;
    made.id = text.substr(open + 2, text.size() - open - 3);
    made.title = trimmed(text.substr(0, open));
    made.line = static_cast<int>(at_) + 1;
    if (!learn::is_address(made.id)) refuse(at_, "an address has a-z, 0-9, - and .");
    if (made_.find(made.id)) refuse(at_, fmt::format("#{} is taken", made.id));
    hints_ = 0;
    has_blank_ = false;
    made_.exercises.push_back(std::move(made));
  }

  void prose(std::string text) { here().prose.push_back(std::move(text)); }
  void hint(std::string text) {
    if (hints_ == here().hints.size()) refuse(at_, "an exercise has three hints");
    here().hints[hints_++] = std::move(text);
  }
  void mistake(std::string sentence) {
    here().mistakes.push_back({.sentence = std::move(sentence), .lines = {}});
  }
  void expect(std::string_view text) {
    const size_t equals = text.find(" = ");
    if (equals == std::string_view::npos) refuse(at_, "expect: NAME = EXPRESSION");
    here().expected.emplace_back(trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 3)));
  }

  void block(std::string_view info) {
    const size_t begin = at_;
    std::vector<std::string> body;
    for (++at_; at_ < lines_.size() && lines_[at_] != "```"; ++at_) body.emplace_back(lines_[at_]);
    if (at_ == lines_.size()) refuse(begin, "this block has no end");
    const int line = static_cast<int>(begin) + 2;
    if (info == "course") return header(begin, body);
    if (info == "python hidden") {
      if (made_.exercises.empty()) {
        made_.opening = std::move(body);
        made_.opening_line = line;
      } else {
        here().setup = std::move(body);
        here().setup_line = line;
      }
      return;
    }
    if (info != "python")
      refuse(begin, fmt::format("a block is course, python or python hidden, not {}", info));
    Exercise& exercise = here();
    if (!exercise.mistakes.empty()) {
      Mistake& m = exercise.mistakes.back();
      if (!m.lines.empty()) refuse(begin, "mistake: SENTENCE stands before its block");
      m.lines = std::move(body);
      m.line = line;
      return;
    }
    if (exercise.block_line) refuse(begin, "an exercise has one block with a blank");
    exercise.block_line = line;
    split(exercise, body, begin + 1);
  }

  // Before, right lines, after.
  void split(Exercise& exercise, std::vector<std::string>& body, size_t at) {
    const auto is = [](std::string_view what) {
      return [what](const std::string& l) { return trimmed(l) == what; };
    };
    const auto blank = std::find_if(body.begin(), body.end(), is(kBlank)),
               end = std::find_if(blank, body.end(), is(kEnd));
    if (blank == body.end()) {
      exercise.before = std::move(body);  // what ends the course
      return;
    }
    if (end == body.end() || end == blank + 1)
      refuse(at, "the right lines stand between #: blank and #: end");
    has_blank_ = true;
    exercise.before.assign(body.begin(), blank);
    exercise.after.assign(end + 1, body.end());
    exercise.indent = indent_of(*blank);
    exercise.solution = lines_of(text_of(std::vector<std::string>(blank + 1, end)));
  }

  void header(size_t at, const std::vector<std::string>& body) {
    for (size_t k = 0; k < body.size(); ++k) {
      const size_t line = at + 1 + k, colon = body[k].find(": ");
      if (colon == std::string::npos) refuse(line, "KEY: VALUE");
      const std::string key = body[k].substr(0, colon);
      const std::string_view value = trimmed(std::string_view(body[k]).substr(colon + 2));
      const auto number = [&](std::string_view text) {
        long long x = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
        if (error != std::errc() || end != text.data() + text.size())
          refuse(line, "this takes whole numbers");
        return x;
      };
      if (key == "understand") {
        made_.understand = value;
      } else if (key == "minutes") {
        made_.minutes = static_cast<int>(number(value));
      } else {
        const size_t comma = value.find(", ");
        if (!learn::is_name(key) || comma == std::string_view::npos)
          refuse(line, "understand, minutes, or NAME: SIZE, SECOND SIZE");
        made_.sizes.push_back({key, number(value.substr(0, comma)), number(value.substr(comma + 2))});
      }
    }
  }

  void finish_exercise() {
    if (made_.exercises.empty()) return;
    Exercise& e = made_.exercises.back();
    if (!has_blank_ && e.block_line) {
      made_.ending = std::move(e.before);
      made_.ending_line = e.block_line;
      made_.ending_title = e.title;
      for (const std::string& p : e.prose) made_.ending_prose += (made_.ending_prose.empty() ? "" : " ") + p;
      made_.exercises.pop_back();
      return;
    }
    const size_t at = static_cast<size_t>(e.line) - 1;
    if (!made_.ending.empty()) refuse(at, "what has no blank ends the course");
    if (!e.block_line) refuse(at, "an exercise has a block ```python with a blank");
    if (hints_ != e.hints.size()) refuse(at, "an exercise has three hints");
    for (const Mistake& m : e.mistakes)
      if (m.lines.empty()) refuse(at, fmt::format("this mistake has no lines: {}", m.sentence));
  }

  Course made_;
  std::vector<std::string_view> lines_;
  size_t at_ = 0, hints_ = 0;
  bool has_blank_ = false;
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

Course read_course(std::string_view text, std::string file) { return Reader(text, std::move(file)).read(); }

}  // namespace glassgrad::exercise

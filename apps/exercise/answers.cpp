#include "apps/exercise/answers.h"

#include <algorithm>

#include <fmt/core.h>

#include "apps/cli/text_width.h"
#include "apps/lesson/document_words.h"
#include "engine/core/error.h"

namespace glassgrad::exercise {
namespace {

constexpr std::string_view kHeading = "# == ", kSolved = "[solved]";

}  // namespace

Answers::Answers(const Course& course, std::string_view text) : course_(&course) {
  glassgrad::check(text.size() <= kMostOfAnswers, "it has {} bytes, and answers have at most {}", text.size(),
                   kMostOfAnswers);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Answer* now = nullptr;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    std::string spaced(line);
    for (size_t tab; (tab = spaced.find('\t')) != std::string::npos;) spaced.replace(tab, 1, 4, ' ');
    glassgrad::check(printable(spaced) == spaced,
                     "line {} has a control character, or bytes that are no UTF-8", number);
    if (spaced.starts_with(kHeading)) {
      const std::string_view heading = learn::trimmed(std::string_view(spaced).substr(kHeading.size()));
      const Exercise* const exercise = course.find(heading.substr(0, heading.find_first_of(": ")));
      now = exercise ? &answers_[exercise->id] : nullptr;
      if (now) *now = {.text = {}, .solved = heading.ends_with(kSolved)};
    } else if (now) {
      now->text += spaced + "\n";
    }
  }
  glassgrad::check(!answers_.empty(),
                   "it has no answer to an exercise of {}: a line `# == {}` stands before each", course.id,
                   course.exercises.front().id);
  for (auto& [id, answer] : answers_) answer.text = text_of(lines_of(answer.text));
}

const std::string& Answers::of(const Exercise& exercise) const {
  static const std::string none;
  const auto at = answers_.find(exercise.id);
  return at == answers_.end() ? none : at->second.text;
}

bool Answers::is_solved(const Exercise& exercise) const {
  const auto at = answers_.find(exercise.id);
  return at != answers_.end() && at->second.solved;
}

void Answers::set(const Exercise& exercise, std::string text, bool solved) {
  if (text.empty())
    answers_.erase(exercise.id);
  else
    answers_[exercise.id] = {std::move(text), solved};
}

size_t Answers::solved() const {
  size_t n = 0;
  for (const auto& [id, answer] : answers_) n += answer.solved;
  return n;
}

const Exercise* Answers::first_open() const {
  for (const Exercise& e : course_->exercises)
    if (!is_solved(e)) return &e;
  return nullptr;
}

std::vector<std::string> Answers::right_ones() const {
  std::vector<std::string> all;
  for (const Exercise& e : course_->exercises) all.push_back(is_solved(e) ? of(e) : "");
  return all;
}

std::string Answers::text() const {
  std::string all = fmt::format("# glassgrad build {}\n", course_->id);
  for (const Exercise& e : course_->exercises)
    if (!of(e).empty())
      all += fmt::format("\n{}{}: {}{}\n{}", kHeading, e.id, e.title, is_solved(e) ? " [solved]" : "",
                         text_of(lines_of(of(e))));
  return all;
}

}  // namespace glassgrad::exercise

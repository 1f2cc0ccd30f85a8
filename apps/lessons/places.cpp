#include "apps/lessons/places.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/exercise/course.h"
#include "apps/lesson/document.h"
#include "apps/lesson/glossary.h"
#include "apps/lesson/lesson_files.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kMostSteps = 3, kMostLessons = 2;

using Words = std::vector<std::string>;

bool has(const Words& all, const Words& some) {
  return std::search(all.begin(), all.end(), some.begin(), some.end()) != all.end();
}

// A lesson's step that fits the words best. rank: 3 if they are its name, 2 part of it, 1 part of its title.
struct Found {
  int rank = 0;
  const Lesson* lesson = nullptr;
  size_t step = 0;
};
Found best_step(const Lesson& lesson, const Words& words) {
  Found best{0, &lesson, 0};
  for (size_t k = 0; k < lesson.document->steps.size(); ++k) {
    const DocumentStep& step = lesson.document->steps[k];
    const Words id = bare_words(step.id);
    const int rank = id == words                                       ? 3
                     : has(id, words)                                  ? 2
                     : has(bare_words(plain_words(step.title)), words) ? 1
                                                                       : 0;
    if (rank > best.rank) best = {rank, &lesson, k};
  }
  return best;
}

// Returns the term of that name, or the first term with a name that contains the words, or null.
const GlossaryTerm* term_about(std::string_view name, const Words& words) {
  if (const GlossaryTerm* term = term_called(name)) return term;
  for (const GlossaryTerm& term : glossary())
    for (const std::string& known : term.names)
      if (has(bare_words(known), words)) return &term;
  return nullptr;
}

std::string title_of(const DocumentStep& step) {
  const bool is_computed = step.title.find('{') != step.title.npos;
  return is_computed ? step.id : plain_words(step.title);
}

}  // namespace

std::vector<Place> places_of(std::string_view text) {
  const Words words = bare_words(text);
  if (words.empty()) return {};
  if (is_lesson_file(text)) return {{fmt::format("glassgrad learn {}", text), "a lesson of your own"}};
  if (const Lesson* lesson = lesson_called(text))
    return {{fmt::format("glassgrad learn {}", lesson->id), lesson->source}};

  std::vector<Place> places;
  std::vector<Found> steps;
  size_t about = 0;
  for (const Lesson* lesson : lessons()) {
    if (const Found step = best_step(*lesson, words); step.rank > 0) steps.push_back(step);
    if (has(bare_words(lesson->id), words) && about++ < kMostLessons)
      places.push_back({fmt::format("glassgrad learn {}", lesson->id), lesson->source});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Found& a, const Found& b) { return a.rank > b.rank; });
  if (steps.size() > kMostSteps) steps.resize(kMostSteps);
  for (size_t k = 0; k < steps.size(); ++k) {
    const Document& document = *steps[k].lesson->document;
    const DocumentStep& step = document.steps[steps[k].step];
    places.insert(places.begin() + std::ptrdiff_t(k),
                  {fmt::format("glassgrad learn {} --from {}", document.id, step.id), title_of(step)});
  }
  if (const exercise::Course* course = exercise::course_called(text))
    places.insert(places.begin(), {fmt::format("glassgrad build {}", course->id), "write it yourself"});
  if (const GlossaryTerm* term = term_about(text, words))
    places.push_back({fmt::format("glassgrad docs glossary#{}", term->anchor), "what the word means"});
  return places;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Lesson* lesson : lessons()) names.emplace_back(lesson->id);
  for (const exercise::Course* course : exercise::courses()) names.push_back(course->id);
  for (const GlossaryTerm& term : glossary())
    for (const std::string& name : term.names)
      if (name.find(' ') == name.npos) names.push_back(name);
  return names;
}

}  // namespace glassgrad::learn

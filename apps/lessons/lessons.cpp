// The program's lessons, one file each. A file is parsed when its lesson is first used.
#include <algorithm>
#include <map>
#include <tuple>

#include "apps/lesson/program.h"
#include "apps/lessons/lesson_texts.h"

namespace glassgrad::learn {
namespace {

const Lesson& read(const EmbeddedFile& file) {
  static std::map<std::string_view, DocumentLesson> read_already;
  auto found = read_already.find(file.name);
  if (found == read_already.end())
    found = read_already.try_emplace(file.name, read_document(file.bytes, std::string(file.name))).first;
  return found->second.lesson();
}

}  // namespace

std::span<const Lesson* const> lessons() {
  static const auto all = [] {
    std::vector<const Lesson*> made;
    for (const EmbeddedFile& file : lesson_texts()) made.push_back(&read(file));
    std::ranges::sort(made, {}, [](const Lesson* lesson) {
      return std::tuple(lesson->group, lesson->document->place, std::string_view(lesson->id));
    });
    return made;
  }();
  return all;
}

const Lesson* lesson_called(std::string_view id) {
  const auto files = lesson_texts();
  const auto found = std::ranges::find(files, std::string(id) + ".md", &EmbeddedFile::name);
  return found == files.end() ? nullptr : &read(*found);
}

}  // namespace glassgrad::learn

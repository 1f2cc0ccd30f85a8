// The program's courses, one file each. A file is parsed when its course is first used.
#include <algorithm>
#include <map>
#include <utility>

#include "apps/exercise/course.h"
#include "apps/exercise/course_texts.h"

namespace glassgrad::exercise {
namespace {

const Course& read(const EmbeddedFile& file) {
  static std::map<std::string_view, Course> read_already;
  auto found = read_already.find(file.name);
  if (found == read_already.end())
    found = read_already
                .try_emplace(file.name, course_of(learn::read_document(file.bytes, std::string(file.name))))
                .first;
  return found->second;
}

}  // namespace

std::span<const Course* const> courses() {
  static const auto all = [] {
    std::vector<const Course*> made;
    for (const EmbeddedFile& file : course_texts()) made.push_back(&read(file));
    std::ranges::sort(made, {}, [](const Course* course) { return std::pair(course->group, course->place); });
    return made;
  }();
  return all;
}

const Course* course_called(std::string_view id) {
  const auto files = course_texts();
  const auto found = std::ranges::find(files, std::string(id) + ".md", &EmbeddedFile::name);
  return found == files.end() ? nullptr : &read(*found);
}

}  // namespace glassgrad::exercise

// The courses that there are. A file is read when first asked for.
#include <algorithm>
#include <array>
#include <memory>

#include "apps/exercise/course.h"
#include "apps/exercise/course_texts.h"

namespace glassgrad::exercise {
namespace {

constexpr std::string_view kOrder[] = {"attention", "gpt", "autograd"};
constexpr size_t kCourses = std::size(kOrder);

const Course& read(size_t k) {
  static std::array<std::unique_ptr<Course>, kCourses> read_already;
  if (!read_already[k]) {
    const std::string name = std::string(kOrder[k]) + ".md";
    const EmbeddedFile& file = *std::ranges::find(course_texts(), name, &EmbeddedFile::name);
    read_already[k] = std::make_unique<Course>(course_of(learn::read_document(file.bytes, name)));
  }
  return *read_already[k];
}

}  // namespace

std::span<const Course* const> courses() {
  static const auto all = [] {
    std::array<const Course*, kCourses> made{};
    for (size_t k = 0; k < kCourses; ++k) made[k] = &read(k);
    return made;
  }();
  return all;
}

const Course* course_called(std::string_view id) {
  const auto at = std::find(std::begin(kOrder), std::end(kOrder), id);
  return at == std::end(kOrder) ? nullptr : &read(static_cast<size_t>(at - std::begin(kOrder)));
}

}  // namespace glassgrad::exercise

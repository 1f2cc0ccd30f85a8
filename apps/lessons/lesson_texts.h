// The lessons' files, as the program carries them.
#pragma once
#include <span>
#include <string_view>

namespace glassgrad::learn {

struct LessonText {
  std::string_view id, text;
};
std::span<const LessonText> lesson_texts();

}  // namespace glassgrad::learn

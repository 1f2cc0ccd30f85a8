#include "apps/ask/diff/side.h"

#include <fmt/core.h>

#include "apps/ask/lesson_flags.h"
#include "apps/cli/arguments.h"
#include "apps/lesson/axes.h"
#include "apps/lesson/lesson_files.h"
#include "engine/ops.h"

namespace glassgrad::diff {
namespace {

using learn::Lesson, learn::Recording, learn::Settings;

struct LessonRequest {
  const Lesson* lesson;
  Settings settings;
};
LessonRequest parse(const std::string& text) {
  const std::vector<std::string> words = shell_words(text);
  check<UsageError>(!words.empty(), "diff takes two lessons or two classes, not ''");
  const Lesson& lesson = learn::find_lesson_or_file(words.front());
  FlagParser parser("glassgrad learn");
  learn::LessonFlags flags(parser.app());
  flags.prepare(words);
  parser.parse({words.begin() + 1, words.end()});
  return {&lesson, flags.settings(lesson)};
}

// Adds or removes a batch dimension, so that `other` fits a lesson with inputs like `own`.
Tensor inputs_for(const Tensor& own, const Tensor& other) {
  if (own.dim() == other.dim()) return other;
  return own.dim() == 3 ? stack({other, other}, 0) : other[0];
}

Side side_of(const std::string& title, const Recording& recording) {
  Side side{title, {}};
  // dim: counted from the last dimension, which is 1.
  const auto tokens = [&](const learn::Entry& entry, int dim) {
    const int at = entry.value->shape().n - dim;
    return at >= 0 && learn::named_by_tokens(recording, entry, at) ? recording.tokens
                                                                   : std::vector<std::string>();
  };
  for (const learn::Step& step : recording.steps)
    for (const learn::Entry& entry : step.entries)
      if (entry.value)
        side.values.push_back({step.id, entry.name, meaning_of(entry.name, step.id), entry.value->tensor(),
                               tokens(entry, 2), tokens(entry, 1)});
  return side;
}

}  // namespace

Sides run_lessons(const std::string& left, const std::string& right) {
  const LessonRequest a = parse(left);
  LessonRequest b = parse(right);
  Sides sides;
  sides.left = side_of(left, learn::record(*a.lesson, a.settings));
  const bool shared = a.settings.inputs && b.settings.inputs && !b.settings.own_inputs &&
                      (a.lesson != b.lesson || a.settings.own_inputs);
  if (!shared) {
    sides.right = side_of(right, learn::record(*b.lesson, b.settings));
    return sides;
  }
  b.settings.inputs = inputs_for(b.settings.inputs, a.settings.inputs);
  b.settings.own_inputs = true;
  b.settings.tokens = a.settings.tokens;
  sides.notes.push_back(
      fmt::format("Both read the inputs of the left one, {}.", to_string(a.settings.inputs.shape())));
  try {
    sides.right = side_of(right, learn::record(*b.lesson, b.settings));
  } catch (const UsageError& e) {
    fail<UsageError>("'{}' cannot read the inputs {} of '{}': {}", right,
                     to_string(a.settings.inputs.shape()), left, e.what());
  }
  return sides;
}

}  // namespace glassgrad::diff

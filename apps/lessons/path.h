// The list of all that can be learned here: the path first, then what stands beside it. Lessons and courses
// say in their headers where they stand; a new one is its file alone.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/exercise/course.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

struct DocumentStep;

// The id of what the path begins with, which is a command of its own.
inline constexpr const char* kStart = "start";

struct Stop {
  std::string id;                  // in the progress: "start", "journey", "build.attention"
  std::string name;                // "start", "journey", "build attention"
  std::vector<std::string> words;  // behind `glassgrad`: {"learn", "journey"}
  std::string title;
  Group group = Group::Path;
  int minutes = 0;
  // Neither: it is kStart.
  const Lesson* lesson = nullptr;
  const exercise::Course* course = nullptr;

  size_t steps() const;                            // that are not inside others, or exercises; 0: unknown
  size_t steps_to(const DocumentStep* end) const;  // of a lesson, those before this one
};

// In their order: the path begins with kStart.
std::span<const Stop> stops();
// By id or name, or by what is typed: "journey", "build attention", "learn journey"; null: there is none.
const Stop* stop_called(std::string_view name);
// The stop after (before) the one of that id; null: there is none, or nobody knows the id.
const Stop* stop_beside(std::string_view id, bool after);
// Where the path goes on behind the stop of that id; null: the stop is off the path, or its last.
const Stop* path_after(std::string_view id);

// Where a link of a lesson or a typed address leads: "rnn.why.md#fixed-size-state",
// "rnn.why#fixed-size-state", "#inputs", "rnn.why", "build gpt". Empty stop: a step of the lesson that has
// the link.
struct Target {
  const Stop* stop = nullptr;
  std::string step;  // empty: where the learner is there
};
// Without a stop and a step: it leads to nothing that is known here.
Target target_of(std::string_view link);

}  // namespace glassgrad::learn

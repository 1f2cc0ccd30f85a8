// The list of everything that can be learned here: first the path, then the lessons and courses beside it.
// Each file's header says its place, so a new lesson needs only its file.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/exercise/course.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

struct DocumentStep;

// The id of the path's first stop, which is a command of its own.
inline constexpr const char* kStart = "start";

struct Stop {
  std::string id;                  // in the progress: "start", "journey", "build.attention"
  std::string name;                // "start", "journey", "build attention"
  std::vector<std::string> words;  // the command line after `glassgrad`: {"learn", "journey"}
  std::string title;
  Group group = Group::Path;
  int minutes = 0;
  // Both are null for kStart.
  const Lesson* lesson = nullptr;
  const exercise::Course* course = nullptr;

  size_t steps() const;                            // without steps inside others; or exercises; 0: unknown
  size_t steps_to(const DocumentStep* end) const;  // a lesson's steps before `end`
};

// All stops in order: the path begins with kStart.
std::span<const Stop> stops();
// Returns the stop of that id, name or command line: "journey", "build attention", "learn journey"; or null.
const Stop* stop_called(std::string_view name);
// Returns the stop after (or before) the stop of that id; null if there is none, or if the id is unknown.
const Stop* stop_beside(std::string_view id, bool after);
// Returns the path's stop after the stop of that id; null if that stop is off the path or its last.
const Stop* path_after(std::string_view id);

// The target of a link in a lesson, or of a typed address: "rnn.why.md#fixed-size-state",
// "rnn.why#fixed-size-state", "#inputs", "rnn.why", "build gpt". A null stop means the link's own lesson.
struct Target {
  const Stop* stop = nullptr;
  std::string step;  // empty: the learner's last place in the stop
};
// Returns a Target without a stop and a step if the link leads to nothing known here.
Target target_of(std::string_view link);

}  // namespace glassgrad::learn

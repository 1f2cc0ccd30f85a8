// The learner's progress, kept from one session to the next in one readable file.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/lessons/path.h"
#include "apps/stepper/day.h"

namespace glassgrad::learn {

struct GivenReply {
  Day on;
  bool right = false;
};

// A question's replies, the oldest first. A missed question comes back after 1, 3 and 7 days: a right reply
// on its day starts the next interval, after the last interval the question is done; a wrong reply starts
// again with 1 day.
struct History {
  std::vector<GivenReply> replies;

  std::optional<Day> due() const;  // none if it was never missed, or has come back often enough
  // Returns the day on which it would be due after this reply.
  std::optional<Day> due_after(GivenReply reply) const;
};

struct LessonProgress {
  std::string step;                          // where the learner is; empty: nowhere yet
  std::set<std::string> seen;                // ids of steps
  std::map<std::string, History> questions;  // by Quantity::text()
  std::string guess;                         // the word that was guessed in `start`; empty: none
  bool done = false;                         // the last step was shown, or every exercise is solved

  size_t right() const;  // questions whose last reply was right
  size_t wrong() const;
};

// Returns ${XDG_STATE_HOME:-$HOME/.local/state}/glassgrad, the folder of the learner's progress; empty if
// neither variable names a folder.
std::string state_folder();

// progress.json in that folder:
//   {"last": LESSON, "path": LESSON, "lessons": {LESSON: {"step": STEP, "seen": [STEP, …], "done": true,
//    "questions": {QUESTION: ["2026-11-25 wrong", "2026-11-26 right"]}, "guess": WORD}}}
// Besides lessons there are "start" and courses, "build.attention", whose "seen" lists the solved exercises.
// In files of older versions LESSON has only the text STEP. A file that cannot be read is never overwritten:
// it is kept under a different name.
class Progress {
 public:
  enum class Access : uint8_t { None, Read, ReadWrite };
  explicit Progress(Access access);
  explicit Progress(bool keep) : Progress(keep ? Access::ReadWrite : Access::None) {}

  // Returns once what became of a file that could not be read, a sentence; empty if there was none.
  std::string take_remark() const { return std::exchange(remark_, {}); }
  const std::string& path() const { return path_; }  // empty: nothing is kept

  const std::string& last_lesson() const { return last_; }  // empty: none
  // Returns the path's present stop: where the learner was last on it, or the next stop that is not done.
  // Null if that stop and all after it are done.
  const Stop* present() const;
  // Returns where the path goes on after the stop with that id: the next stop that is not done, or the next
  // stop if all are done; after the last stop, the first stop that is not done. Null if the stop is off the
  // path, or all is done.
  const Stop* next_after(std::string_view id) const;
  std::optional<std::string> step_of(const std::string& lesson) const;
  const LessonProgress& of(const std::string& lesson) const;
  const std::map<std::string, LessonProgress>& lessons() const { return lessons_; }

  // Notes that the learner is at a step of a lesson, or a page of `start`; is_end: it is the last one.
  void note(const std::string& lesson, const std::string& step, bool is_end);
  // Notes that the learner is at an exercise of a course, and which exercises are solved; all: every one is.
  void note_course(const std::string& course, const std::string& exercise,
                   const std::set<std::string>& solved, bool all);
  void guessed(const std::string& lesson, const std::string& word);
  void answered(const std::string& lesson, const std::string& question, GivenReply reply);
  // Removes a question that is no longer asked.
  void forget(const std::string& lesson, const std::string& question);
  // Writes what was noted since the last save, and keeps what other sessions have written meanwhile. Returns
  // why that was impossible, or empty; the next save tries again.
  std::string save();

  std::string text() const;  // as written to the file
  // Empties the file. Returns why that was impossible, or empty.
  std::string reset();

 private:
  struct Noted {
    std::string lesson;
    bool is_visit = false;  // the learner is at this lesson
    std::function<void(LessonProgress&)> change;
  };
  void read();
  void take(const nlohmann::json& json);
  void keep_aside(const std::string& why);
  void note(Noted noted);
  void apply(const Noted& noted);
  std::string write(const std::string& text) const;

  std::string path_;
  std::string last_, on_path_;
  std::map<std::string, LessonProgress> lessons_;
  std::vector<Noted> noted_;
  mutable std::string remark_;
  std::string refused_;  // why nothing can be written
};

}  // namespace glassgrad::learn

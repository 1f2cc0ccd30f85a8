// What the learner has done, from one session to the next, in one file that can be read.
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

// A question's replies, the oldest first. What was missed comes back after 1, 3 and 7 days: a right reply on
// its day leads to the next of these, and after the last to the end; a wrong one back to 1 day.
struct History {
  std::vector<GivenReply> replies;

  std::optional<Day> due() const;  // none: it was never missed, or has come back often enough
  // The day after a reply of that day.
  std::optional<Day> due_after(GivenReply reply) const;
};

struct LessonProgress {
  std::string step;                          // where the learner is; empty: nowhere yet
  std::set<std::string> seen;                // ids of steps
  std::map<std::string, History> questions;  // by Quantity::text()
  std::string guess;                         // the word that was guessed in `start`; empty: none
  bool done = false;                         // the last step was there, or every exercise is solved

  size_t right() const;  // questions whose last reply was right
  size_t wrong() const;
};

// ${XDG_STATE_HOME:-$HOME/.local/state}/glassgrad, where what a learner has done is kept; empty: there is no
// such folder.
std::string state_folder();

// progress.json in that folder:
//   {"last": LESSON, "path": LESSON, "lessons": {LESSON: {"step": STEP, "seen": [STEP, …], "done": true,
//    "questions": {QUESTION: ["2026-11-25 wrong", "2026-11-26 right"]}, "guess": WORD}}}
// Besides lessons there are "start" and courses, "build.attention", of which the solved exercises are seen.
// In files of older versions LESSON has the text STEP alone. What cannot be read is never written over: the
// file is kept aside under another name.
class Progress {
 public:
  enum class Keep : uint8_t { Nothing, Known, All };  // nothing is known; what was done is known; and written
  explicit Progress(Keep keep);
  explicit Progress(bool keep) : Progress(keep ? Keep::All : Keep::Nothing) {}

  // What became of a file that could not be read, a sentence, once; empty: nothing.
  std::string take_remark() const { return std::exchange(remark_, {}); }
  const std::string& path() const { return path_; }  // empty: nothing is kept

  const std::string& last_lesson() const { return last_; }  // empty: none
  // What the path goes on with: where the learner was last on it, or what follows if that is done. Null: all
  // of it is done.
  const Stop* present() const;
  // Where the path goes on behind the stop of that id: its next stop that is not done, or the next one where
  // all are; behind the last one its first stop that is not done. Null: the stop is off the path, or all is
  // done.
  const Stop* next_after(std::string_view id) const;
  std::optional<std::string> step_of(const std::string& lesson) const;
  const LessonProgress& of(const std::string& lesson) const;
  const std::map<std::string, LessonProgress>& lessons() const { return lessons_; }

  // The learner is at a step of a lesson, or a page of `start`; is_end: it is the last one.
  void note(const std::string& lesson, const std::string& step, bool is_end);
  // At an exercise of a course, of which these are solved.
  void note_course(const std::string& course, const std::string& exercise, std::set<std::string> solved,
                   bool all);
  void guessed(const std::string& lesson, const std::string& word);
  void answered(const std::string& lesson, const std::string& question, GivenReply reply);
  // The question is no longer asked.
  void forget(const std::string& lesson, const std::string& question);
  // Writes what was noted since the last time, beside what other sessions have written meanwhile. Why that
  // was impossible, or empty; the next save tries again.
  std::string save();

  std::string text() const;  // as it stands in the file
  // Empties the file. Why that was impossible, or empty.
  std::string reset();

 private:
  struct Noted {
    std::string lesson;
    bool is_visit = false;  // the learner is there
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

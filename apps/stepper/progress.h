// What the learner has done, from one session to the next, in one file that can be read.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

  size_t right() const;  // questions whose last reply was right
  size_t wrong() const;
};

// ${XDG_STATE_HOME:-$HOME/.local/state}/glassgrad, where what a learner has done is kept; empty: there is no
// such folder.
std::string state_folder();

// progress.json in that folder:
//   {"last": LESSON, "lessons": {LESSON: {"step": STEP, "seen": [STEP, …],
//    "questions": {QUESTION: ["2026-11-25 wrong", "2026-11-26 right"]}, "guess": WORD}}}
// In files of older versions LESSON has the text STEP alone. What cannot be read is never written over: the
// file is kept aside under another name.
class Progress {
 public:
  // keep: read and write it; without, nothing is known and nothing is written.
  explicit Progress(bool keep);

  // What became of a file that could not be read, a sentence, once; empty: nothing.
  std::string take_remark() const { return std::exchange(remark_, {}); }
  const std::string& path() const { return path_; }  // empty: nothing is kept

  const std::string& last_lesson() const { return last_; }  // empty: none
  std::optional<std::string> step_of(const std::string& lesson) const;
  const LessonProgress& of(const std::string& lesson) const;
  const std::map<std::string, LessonProgress>& lessons() const { return lessons_; }

  // Also of what is no lesson, as "start": its place is known, and last_lesson() stays.
  void note(const std::string& lesson, const std::string& step);
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
    std::string lesson, step, question, guess;  // a step, a question, or a guess
    std::optional<GivenReply> reply;            // none: the question is forgotten
  };
  void read();
  void take(const nlohmann::json& json);
  void keep_aside(const std::string& why);
  void apply(const Noted& noted);
  std::string write(const std::string& text) const;

  std::string path_;
  std::string last_;
  std::map<std::string, LessonProgress> lessons_;
  std::vector<Noted> noted_;
  mutable std::string remark_;
  std::string refused_;  // why nothing can be written
};

}  // namespace glassgrad::learn

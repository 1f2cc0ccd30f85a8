// A learner's session in a course: the place, the answers, and the file that keeps them.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/exercise/answers.h"
#include "apps/exercise/verdict.h"
#include "apps/stepper/progress.h"

namespace glassgrad::practice {

// Returns ${XDG_STATE_HOME:-$HOME/.local/state}/glassgrad/build/COURSE.py, or "" if there is no such folder.
std::string path_of_answers(const exercise::Course& course);
// Reads the answers of a file, if it exists. Throws Error if it cannot be read or has no answer.
exercise::Answers read_answers(const exercise::Course& course, const std::string& path);

class Session {
 public:
  // keep: read and write the file. A file that cannot be understood is renamed, and remark() reports it.
  Session(const exercise::Course& course, uint64_t seed, bool keep);

  const exercise::Course& course() const { return course_; }
  const exercise::Exercise& exercise() const { return course_.exercises[at_]; }
  size_t index() const { return at_; }
  bool is_last() const { return at_ + 1 == course_.exercises.size(); }
  bool is_solved() const { return answers_.is_solved(exercise()); }
  const exercise::Answers& answers() const { return answers_; }
  const std::string& remark() const { return remark_; }

  std::string stop() const { return "build." + course_.id; }  // its id in learn::stops()
  const learn::Progress& progress() const { return progress_; }

  bool next();  // false at the last exercise
  bool back();
  bool go_to(std::string_view id_or_number);  // false if unknown

  const std::vector<std::string>& given();  // the values that the answer can use
  // The text in the blank.
  const std::string& text() const { return text_; }
  exercise::Verdict check(const std::string& text) const {
    return exercise::check(course_, exercise(), text, seed_);
  }
  // Puts the text into the blank, with its verdict.
  void take(std::string text, exercise::Verdict verdict);
  const exercise::Verdict* verdict() const { return verdict_ ? &*verdict_ : nullptr; }

  bool hint();  // shows one more hint; false: all are shown
  size_t hints() const { return hints_; }
  void show_solution() { solution_ = true; }
  bool solution() const { return solution_; }
  bool undo();   // restores the previous answer; false: there is none
  void reset();  // empties the blank

  // Runs the whole program with the learner's lines and passes on its output. Throws Error.
  void run_ending(const std::function<void(std::string_view)>& print) const {
    exercise::run_ending(course_, answers_.right_ones(), 123, print);
  }

  // Saves the place and the answers. Returns why it could not, or "".
  std::string save();

 private:
  void arrive();
  void put(std::string text, bool solved);

  const exercise::Course& course_;
  uint64_t seed_;
  bool keep_;
  std::string path_, remark_;
  exercise::Answers answers_;
  size_t at_ = 0;
  std::string text_;
  std::optional<exercise::Verdict> verdict_;
  std::vector<std::pair<std::string, bool>> before_;  // earlier answers to this exercise, for undo
  std::optional<std::vector<std::string>> given_;
  size_t hints_ = 0;
  bool solution_ = false;
  bool changed_ = false;
  learn::Progress progress_;
};

}  // namespace glassgrad::practice

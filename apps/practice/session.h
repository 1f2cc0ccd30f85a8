// A learner in a course: where they are, what they have answered, and the file that keeps it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/exercise/answers.h"
#include "apps/exercise/verdict.h"
#include "apps/stepper/progress.h"

namespace glassgrad::practice {

// Where answers are kept: ${XDG_STATE_HOME:-$HOME/.local/state}/glassgrad/build/COURSE.py. Empty: nowhere.
std::string path_of_answers(const exercise::Course& course);
// Answers that a file holds; none if there is no such file. Error: it cannot be read, or holds none.
exercise::Answers read_answers(const exercise::Course& course, const std::string& path);

class Session {
 public:
  // keep: read and write the file. One that cannot be understood is set aside, which remark() says.
  Session(const exercise::Course& course, uint64_t seed, bool keep);

  const exercise::Course& course() const { return course_; }
  const exercise::Exercise& exercise() const { return course_.exercises[at_]; }
  size_t index() const { return at_; }
  bool is_last() const { return at_ + 1 == course_.exercises.size(); }
  bool is_solved() const { return answers_.is_solved(exercise()); }
  const exercise::Answers& answers() const { return answers_; }
  const std::string& remark() const { return remark_; }

  std::string stop() const { return "build." + course_.id; }  // of the list of all that can be learned
  const learn::Progress& progress() const { return progress_; }

  bool next();  // false: this is the last
  bool back();
  bool go_to(std::string_view id_or_number);  // false: there is none

  const std::vector<std::string>& given();  // what the answer can use
  // What stands in the blank now.
  const std::string& text() const { return text_; }
  exercise::Verdict check(const std::string& text) const {
    return exercise::check(course_, exercise(), text, seed_);
  }
  // Puts it into the blank, with what was said of it.
  void take(std::string text, exercise::Verdict verdict);
  const exercise::Verdict* verdict() const { return verdict_ ? &*verdict_ : nullptr; }

  bool hint();  // one more; false: all are shown
  size_t hints() const { return hints_; }
  void show_solution() { solution_ = true; }
  bool solution() const { return solution_; }
  bool undo();   // the answer before; false: there is none
  void reset();  // empties the blank

  // After the last exercise: what the whole program prints, with the learner's lines. Error.
  void run_ending(const std::function<void(std::string_view)>& print) const {
    exercise::run_ending(course_, answers_.right_ones(), 123, print);
  }

  // Writes the place and the answers; why that was impossible, or empty.
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
  std::vector<std::pair<std::string, bool>> before_;  // answers of this exercise, for undo
  std::optional<std::vector<std::string>> given_;
  size_t hints_ = 0;
  bool solution_ = false;
  bool changed_ = false;
  learn::Progress progress_;
};

}  // namespace glassgrad::practice

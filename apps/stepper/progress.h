// Where the learner stopped, from one session to the next.
#pragma once
#include <map>
#include <optional>
#include <string>

namespace glassgrad::learn {

// A small file, ${XDG_STATE_HOME:-$HOME/.local/state}/glassgrad/progress.json: {"last": LESSON, "lessons":
// {LESSON: STEP}}. One that is missing or damaged counts as empty.
class Progress {
 public:
  // keep: read and write it; without, nothing is known and nothing is written.
  explicit Progress(bool keep);

  const std::string& last_lesson() const { return last_; }  // empty: none
  std::optional<std::string> step_of(const std::string& lesson) const;
  void note(const std::string& lesson, const std::string& step);
  // Writes what was noted, beside what other sessions have written meanwhile. Why that was impossible, or
  // empty.
  std::string save() const;

 private:
  void read();

  std::string path_;  // empty: nowhere
  std::string last_;
  std::map<std::string, std::string> steps_, noted_;
};

}  // namespace glassgrad::learn

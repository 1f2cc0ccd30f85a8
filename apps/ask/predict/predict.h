// Asks for a number before it is shown.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/ask/predict/attempt.h"
#include "apps/ask/predict/questions.h"
#include "apps/cli/command_line.h"

namespace glassgrad {
class Input;
}

namespace glassgrad::learn {

// How many questions were answered, and how many of them correctly.
struct Score {
  size_t right = 0, answered = 0, of = 0;

  double percent() const { return of == 0 ? 0 : 100.0 * double(right) / double(of); }
  std::string text() const;  // "7 of 10 right (70 %); 2 not answered."
};

// Writes one question and reads answers, a line each. Returns whether the answer was right; none if the input
// has ended.
std::optional<bool> ask_by_lines(const Recording& recording, const Question& question, size_t number,
                                 size_t of, Input& input, bool terminal, Output& out);

// Called for each question that has been answered.
using Answered = std::function<void(const Quantity& asked, bool right)>;

// Writes questions and reads answers, a line each, until the last question or the end of the input. Throws
// Interrupted.
Score predict_by_lines(const Recording& recording, const std::vector<Question>& questions, Input& input,
                       bool terminal, Output& out, const Answered& answered = {});

constexpr const char* kNothingToPredict =
    "these steps have nothing to predict: choose others with --from and --to";

// Writes a sheet to print: the questions and, on a page of their own, the solutions in the form of an answers
// file.
void render_sheet(const Recording& recording, const std::vector<Question>& questions, Output& out);

// The flags --predict, --answers and --pass of a command that shows a lesson.
class PredictFlags {
 public:
  explicit PredictFlags(CLI::App& app);

  bool are_given() const;
  std::optional<QuizMode> quiz_mode() const;  // throws UsageError for an unknown way of asking
  bool checks_a_file() const { return bool(given(answers_)); }

  // Throws UsageError for flags that do not go together.
  void check(bool sheet) const;
  // Asks the questions, checks the answers file, or writes the sheet. Throws UsageError if the steps have
  // nothing to predict; Error if the score is below --pass or a file cannot be read.
  void run(const Recording& recording, Steps steps, bool sheet, bool terminal, Output& out) const;
  // Throws Error if the score is below --pass. Without the flag, the limit is 100 for a file and 0 otherwise.
  void check_pass(const Score& score, Output& out) const;

 private:
  Score check_file(const Recording& recording, Steps steps, Output& out) const;

  CLI::Option *predict_, *answers_, *pass_;
};

}  // namespace glassgrad::learn

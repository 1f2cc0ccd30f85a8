#include "apps/ask/predict/predict.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/predict/answers_file.h"
#include "apps/ask/predict/hints.h"
#include "apps/ask/predict/question_page.h"
#include "apps/ask/predict/slips.h"
#include "apps/cli/arguments.h"
#include "apps/terminal/input.h"
#include "engine/core/error.h"

namespace glassgrad::learn {
namespace {

std::string with_space(const std::string& sentence) { return sentence.empty() ? "" : " " + sentence; }

}  // namespace

std::string Score::text() const {
  std::string text = fmt::format("{} of {} right ({:.0f} %)", right, of, percent());
  if (answered < of) text += fmt::format("; {} not answered", of - answered);
  return text + ".";
}

// ---- all questions
std::optional<bool> ask_by_lines(const Recording& recording, const Question& question, size_t number,
                                 size_t of, Input& input, bool terminal, Output& out) {
  out.write(question_text(recording, question, number, of));
  Attempt attempt(recording, question.asked);
  while (!attempt.is_over()) {
    if (terminal) out.write("(? gives a hint) = ");
    out.flush();
    const std::optional<std::string> line = input.line();
    if (!line) {
      out.write(terminal ? "\n\n" : "\n");
      return {};
    }
    out.write(wrapped(attempt.reply(*line)) + "\n");
    if (const std::string why = attempt.explanation(); !why.empty()) out.write(fmt::format("\n{}\n", why));
  }
  return attempt.is_right();
}

Score predict_by_lines(const Recording& recording, const std::vector<Question>& questions, Input& input,
                       bool terminal, Output& out, const Answered& answered) {
  Score score{.of = questions.size()};
  for (size_t i = 0; i < questions.size(); ++i) {
    const auto right = ask_by_lines(recording, questions[i], i + 1, questions.size(), input, terminal, out);
    if (!right) break;
    out.write("\n");
    if (answered) answered(questions[i].asked, *right);
    ++score.answered;
    score.right += *right;
  }
  out.write(score.text() + "\n");
  return score;
}

// ---- flags
PredictFlags::PredictFlags(CLI::App& app) {
  const char* group = "How to predict";
  predict_ =
      add_value(app, "--predict", "HOW", "Ask before showing: first, cells (several a step) or exam", group);
  answers_ = add_value(app, "--answers", "FILE", "Check answers, STEP:TENSOR[i,j]=VALUE a line", group);
  pass_ =
      add_value(app, "--pass", "PERCENT", "Exit with 1 below this score (100 with --answers, else 0)", group);
}

bool PredictFlags::are_given() const { return given(predict_) || given(answers_) || given(pass_); }

std::optional<QuizMode> PredictFlags::quiz_mode() const {
  const auto how = given(predict_);
  if (!how) return {};
  constexpr std::pair<std::string_view, QuizMode> kWays[] = {
      {"first", QuizMode::First}, {"cells", QuizMode::Cells}, {"exam", QuizMode::Exam}};
  for (const auto& [name, mode] : kWays)
    if (name == *how) return mode;
  fail<UsageError>("--predict is first, cells or exam, not '{}'", *how);
}

void PredictFlags::check_pass(const Score& score, Output& out) const {
  const double least = given_number(pass_, 0, 100).value_or(checks_a_file() ? 100 : 0);
  out.flush();
  glassgrad::check(score.percent() >= least, "{:.0f} % of the answers are right, and --pass asks for {:g} %",
                   score.percent(), least);
}

void PredictFlags::check(bool sheet) const {
  given_number(pass_, 0, 100);
  glassgrad::check<UsageError>(quiz_mode() || checks_a_file(),
                               "--pass goes with --predict or --answers: which answers?");
  glassgrad::check<UsageError>(
      !sheet || (!checks_a_file() && !given(pass_)),
      "--format markdown makes a sheet of --predict: leave --answers and --pass out");
}

void PredictFlags::run(const Recording& recording, Steps steps, bool sheet, bool terminal,
                       Output& out) const {
  if (checks_a_file()) return check_pass(check_file(recording, steps, out), out);
  const std::vector<Question> asked = questions(recording, steps, *quiz_mode());
  glassgrad::check<UsageError>(!asked.empty(), kNothingToPredict);
  if (sheet) return render_sheet(recording, asked, out);
  SignalQueue signals;
  Input input(signals);
  check_pass(predict_by_lines(recording, asked, input, terminal, out), out);
}

Score PredictFlags::check_file(const Recording& recording, Steps steps, Output& out) const {
  const std::string path = *given(answers_);
  const std::vector<GivenAnswer> answers = load_answers(recording, path);
  Score score{.answered = answers.size(), .of = answers.size()};
  if (const auto how = quiz_mode()) {
    const std::vector<Question> asked = questions(recording, steps, *how);
    score.of = asked.size();
    const auto answers_it = [](const Quantity& question) {
      return [&question](const GivenAnswer& a) { return a.asked == question; };
    };
    for (const GivenAnswer& a : answers)
      glassgrad::check(
          std::any_of(asked.begin(), asked.end(), [&](const Question& q) { return q.asked == a.asked; }),
          "{}: line {}: {} is no question of --predict {}: without --predict every number can be answered",
          path, a.line, a.asked.text(), *given(predict_));
    for (const Question& q : asked)
      if (std::none_of(answers.begin(), answers.end(), answers_it(q.asked)))
        out.write(q.asked.text() + ": not answered\n");
  }
  for (const GivenAnswer& a : answers) {
    if (judge(recording, a.asked, a.answer) == Verdict::Right) {
      ++score.right;
      continue;
    }
    const auto number = a.asked.is_number() ? parse_answer(a.answer) : std::nullopt;
    out.write(fmt::format("{}: {} is wrong, it is {}.{}\n", a.asked.text(), a.answer,
                          answer_text(recording, a.asked),
                          with_space(number ? recognised(recording, a.asked, *number) : "")));
  }
  out.write(score.text() + "\n");
  return score;
}

}  // namespace glassgrad::learn

#include "apps/stepper/stepper.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/selection.h"
#include "apps/screen/loading_screen.h"
#include "apps/screen/screen.h"
#include "apps/stepper/full_screen.h"
#include "apps/stepper/line_mode.h"
#include "apps/stepper/progress.h"

namespace glassgrad::learn {
namespace {

// Returns why the full screen is impossible; empty if it is possible.
std::string why_lines(const Output& out) {
  const auto [lines, columns] = out.screen();
  if (!terminal_can_draw())
    return "This terminal cannot place a cursor (TERM), so the steps come line by line.";
  if (lines >= kLeastLines && columns >= kLeastColumns) return {};
  if (lines == 0 || columns == 0) return "This terminal has no known size, so the steps come line by line.";
  return fmt::format("The full screen needs {} x {}, this terminal has {} x {}: the steps come line by line.",
                     kLeastColumns, kLeastLines, columns, lines);
}

// Returns false, and stays, if there is no such step.
bool go_to_known(Navigator& navigator, const std::optional<std::string>& step) {
  if (!step || !navigator.has_step(*step)) return false;
  navigator.go_to(*step);
  return true;
}

class Stepper {
 public:
  Stepper(const Lesson& lesson, Navigator navigator, const StepOptions& how, NavigationHistory& history,
          Output& out)
      : navigator_(std::move(navigator)),
        how_(how),
        out_(out),
        progress_(!how.terminal || !how.knows ? Progress::Access::None
                  : how.keep                  ? Progress::Access::ReadWrite
                                              : Progress::Access::Read),
        context_{.history = history,
                 .own = lesson,
                 .progress = progress_,
                 .arrived = [this] { arrived(); },
                 .resume = [this] { resume(); }} {
    quiz_.when_answered([this](const Quantity& asked, bool right) { keep(asked, right); });
    if (how.backward) navigator_.turn_over_all();
    const bool has_come_back = go_to_known(navigator_, std::exchange(history.here.at, {}));
    if (has_come_back) return;
    if (how.from || how.to)
      navigator_.limit_to(select_steps(navigator_.recording(), how.from, how.to));
    else if (how.at_end && !how.backward)
      navigator_.go_to_last();
    else if (!how.backward)
      resume();
  }

  Score score() const { return score_; }

  void run(Input& input) {
    try {
      step(input);
    } catch (...) {
      progress_.save();
      throw;
    }
    const std::string problem = progress_.save();
    if (const std::string remark = progress_.take_remark(); !remark.empty())
      out_.write(printable(remark) + "\n");
    if (!problem.empty()) out_.write(fmt::format("Your place is not remembered: {}\n", printable(problem)));
  }

 private:
  void keep(const Quantity& asked, bool right) {
    if (navigator_.is_backward()) return;
    progress_.answered(navigator_.recording().lesson->id, asked.text(), {today(), right});
    progress_.save();  // a problem is reported at the end
  }
  bool resume() {
    if (!how_.keep) return false;
    return go_to_known(navigator_, progress_.step_of(navigator_.recording().lesson->id));
  }

  void arrived() {
    if (navigator_.is_backward()) return;
    progress_.note(navigator_.recording().lesson->id, navigator_.step().id, navigator_.is_end());
  }

  void step(Input& input) {
    if (how_.predict) return predict(input);
    const bool in_the_middle = !how_.from && !how_.to && !how_.at_end && !navigator_.is_first();
    std::string message = progress_.take_remark();
    if (message.empty() && in_the_middle) message = "Going on where you stopped; g 1 goes to the first step.";
    const bool asked = !how_.terminal || how_.lines || how_.speak;
    const std::string why = asked ? "" : why_lines(out_);
    if (!asked && why.empty()) return step_on_screen(navigator_, quiz_, context_, input, out_, message);
    for (const std::string& line : {why, message})
      if (!line.empty()) out_.write(line + "\n");
    step_by_lines(navigator_, context_, {.speak = how_.speak, .terminal = how_.terminal}, input, out_);
  }

  void predict(Input& input) {
    const Recording& recording = navigator_.recording();
    std::vector<Question> asked =
        questions(recording, select_steps(recording, how_.from, how_.to), *how_.predict);
    check<UsageError>(!asked.empty(), kNothingToPredict);
    const std::string why = why_lines(out_);
    if (!why.empty()) {
      out_.write(why + "\n");
      score_ = predict_by_lines(recording, asked, input, true, out_,
                                [this](const Quantity& q, bool right) { keep(q, right); });
      return;
    }
    quiz_.ask_on_arrival(recording, std::move(asked));
    step_on_screen(navigator_, quiz_, context_, input, out_, progress_.take_remark());
    score_ = quiz_.score();
    out_.write(score_.text() + "\n");
  }

  Navigator navigator_;
  StepQuiz quiz_;
  Score score_;
  const StepOptions& how_;
  Output& out_;
  Progress progress_;
  const LessonContext context_;
};

}  // namespace

Score step_through(const Lesson& lesson, const Navigator::Open& open, const StepOptions& how,
                   NavigationHistory& history, Output& out) {
  const auto step = [&](WhatIf opened, Input& input) {
    Stepper stepper(lesson, Navigator(std::move(opened), open), how, history, out);
    stepper.run(input);
    return stepper.score();
  };
  const bool on_screen = how.terminal && !how.lines && !how.speak && can_show_screen(out);
  if (!on_screen || lesson.own_file || lesson.run_by) {  // the reader's own programs have their own wait
    WhatIf opened = open(lesson);
    SignalQueue signals;
    Input input(signals);
    return step(std::move(opened), input);
  }
  SignalQueue signals;
  Input input(signals);
  std::optional<WhatIf> opened;
  const LoadingScreenText text{.title = lesson.source,
                               .words = fmt::format("Computing the lesson {} ...", lesson.id)};
  const LoadingEnd end = run_loading_screen(
      text, [&] { opened.emplace(open(lesson)); }, input, out);
  if (end == LoadingEnd::Whole) return step(*std::move(opened), input);
  if (end == LoadingEnd::Stopped) history.go_back();
  return {};
}

}  // namespace glassgrad::learn

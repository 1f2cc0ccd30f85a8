#include "apps/stepper/stepper.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/lesson_files.h"
#include "apps/lesson/selection.h"
#include "apps/screen/screen.h"
#include "apps/stepper/full_screen.h"
#include "apps/stepper/lesson_list.h"
#include "apps/stepper/line_mode.h"
#include "apps/stepper/progress.h"

namespace glassgrad::learn {
namespace {

// Why the full screen is impossible; empty if it is not.
std::string why_lines(const Output& out) {
  const auto [lines, columns] = out.screen();
  if (!terminal_can_draw())
    return "This terminal cannot place a cursor (TERM), so the steps come line by line.";
  if (lines >= kLeastLines && columns >= kLeastColumns) return {};
  if (lines == 0 || columns == 0) return "This terminal has no known size, so the steps come line by line.";
  return fmt::format("The full screen needs {} x {}, this terminal has {} x {}: the steps come line by line.",
                     kLeastColumns, kLeastLines, columns, lines);
}

bool go_to_known(Navigator& navigator, const std::optional<std::string>& step) {
  const auto& steps = navigator.recording().steps;
  if (!step || std::none_of(steps.begin(), steps.end(), [&](const Step& s) { return s.id == *step; }))
    return false;
  navigator.go_to(*step);
  return true;
}

class Stepper {
 public:
  Stepper(Navigator navigator, const Stepping& how, Output& out)
      : navigator_(std::move(navigator)), how_(how), out_(out), progress_(how.terminal && how.keep) {
    question_.when_answered([this](const Quantity& asked, bool right) { keep(asked, right); });
    if (how.backward) navigator_.turn_over_all();
    if (how.from || how.to)
      navigator_.limit_to(select_steps(navigator_.recording(), how.from, how.to));
    else if (how.at_end && !how.backward)
      navigator_.go_to_last();
    else if (!how.backward)
      resume();
  }

  const Navigator& navigator() const { return navigator_; }
  Score score() const { return score_; }

  void run(SignalQueue& signals) {
    Input input(signals);
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
    progress_.save();  // a problem is told at the end
  }
  bool resume() { return go_to_known(navigator_, progress_.step_of(navigator_.recording().lesson->id)); }

  void step(Input& input) {
    const auto arrived = [this] {
      if (!navigator_.is_backward()) progress_.note(navigator_.recording().lesson->id, navigator_.step().id);
    };
    if (how_.predict) return predict(input, arrived);
    const bool in_the_middle = !how_.from && !how_.to && !how_.at_end && !navigator_.is_first();
    std::string message = progress_.take_remark();
    if (message.empty() && in_the_middle) message = "Going on where you stopped; g 1 goes to the first step.";
    const bool asked = !how_.terminal || how_.lines || how_.speak;
    const std::string why = asked ? "" : why_lines(out_);
    if (!asked && why.empty())
      return step_on_screen(navigator_, question_, input, out_, message, arrived, [this] { resume(); });
    for (const std::string& line : {why, message})
      if (!line.empty()) out_.write(line + "\n");
    step_by_lines(navigator_, {.speak = how_.speak, .terminal = how_.terminal}, input, out_, arrived);
  }

  void predict(Input& input, const std::function<void()>& arrived) {
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
    question_.ask_on_arrival(recording, std::move(asked));
    step_on_screen(navigator_, question_, input, out_, progress_.take_remark(), arrived,
                   [this] { resume(); });
    score_ = question_.score();
    out_.write(score_.text() + "\n");
  }

  Navigator navigator_;
  StepQuestion question_;
  Score score_;
  const Stepping& how_;
  Output& out_;
  Progress progress_;
};

}  // namespace

Score step_through(const Lesson& lesson, const Navigator::Open& open, const Stepping& how, Output& out) {
  Stepper stepper(Navigator(open(lesson), open), how, out);
  SignalQueue signals;
  stepper.run(signals);
  return stepper.score();
}

void list_lessons(const Stepping& how, Output& out) {
  const Progress progress(how.keep);
  if (const std::string remark = progress.take_remark(); !remark.empty()) out.write(printable(remark) + "\n");
  out.write(lesson_list(progress) + what_comes_next(progress, today()));
}

void offer_lessons(const Navigator::Open& open, const Stepping& how, Output& out) {
  const Progress progress(how.keep);
  const std::string last = progress.last_lesson();
  const auto all = lessons();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Lesson* l) { return l->id == last; });
  if (const std::string remark = progress.take_remark(); !remark.empty()) out.write(printable(remark) + "\n");
  out.write(lesson_list(progress));
  if (found == all.end()) return out.write(what_comes_next(progress, today()));

  Stepper stepper(Navigator(open(**found), open), how, out);
  const Step& step = stepper.navigator().step();
  out.write(what_is_due(progress, today()));
  out.write(fmt::format(
      "Continue with {} at step {} of {}, {}?\nEnter = yes, q = no, or the name of a lesson: ", last,
      step.number, stepper.navigator().recording().steps.size(), step.id));
  out.flush();
  SignalQueue signals;
  std::optional<std::string> answer = Input(signals).line();
  if (!answer) return out.write("\n");
  if (answer->ends_with('\r')) answer->pop_back();
  if (answer->empty() || *answer == "y" || *answer == "yes") return stepper.run(signals);
  if (*answer == "q" || *answer == "n" || *answer == "no") return;
  Stepper(Navigator(open(find_lesson_or_file(*answer)), open), how, out).run(signals);
}

}  // namespace glassgrad::learn

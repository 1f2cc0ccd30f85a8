#include "apps/stepper/review.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "apps/ask/predict/choices.h"
#include "apps/ask/predict/predict.h"
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/phrases.h"
#include "apps/terminal/input.h"

namespace glassgrad::learn {
namespace {

std::string in_days(Day day, Day today) {
  const auto days = (day - today).count();
  return days == 1 ? "tomorrow" : fmt::format("in {}", counted(days, "day"));
}

std::string what_is_next(const Progress& progress, Day today) {
  std::optional<Day> next;
  size_t count = 0, missed = 0;
  for (const auto& [id, lesson] : progress.lessons())
    for (const auto& [question, history] : lesson.questions) {
      const auto due = lesson_called(id) ? history.due() : std::nullopt;
      if (!due) continue;
      ++missed;
      if (*due <= today || (next && *due > *next)) continue;
      count = next == due ? count + 1 : 1;
      next = due;
    }
  if (!missed)
    return "Nothing has to come back. Questions that you miss, with p in a lesson or learn LESSON --predict, "
           "are asked again after 1, 3 and 7 days.";
  if (!next) return {};
  return fmt::format("Next: {} on {}, {}.", counted(int64_t(count), "question"), text_of(*next),
                     in_days(*next, today));
}

// Returns the question as the lesson asks it now; none if it no longer does.
std::optional<Question> found(const Recording& recording, const std::vector<Question>& all,
                              const std::string& text) {
  const auto same = [&](const Question& q) { return q.asked.text() == text; };
  if (const auto known = std::find_if(all.begin(), all.end(), same); known != all.end()) return *known;
  try {
    Question question{.asked = find_quantity(recording, text), .given = {}};
    if (!question.asked.is_choice() || choices_of(recording, question.asked)) return question;
  } catch (const UsageError&) {  // the step or the tensor no longer exists
  }
  return {};
}

class Review {
 public:
  Review(Progress& progress, Day today, bool terminal, Input& input, Output& out)
      : progress_(progress), today_(today), terminal_(terminal), input_(input), out_(out) {}

  Score ask(const std::vector<DueQuestion>& due) {
    score_.of = due.size();
    std::vector<Question> all;
    for (const DueQuestion& one : due) {
      ++number_;
      if (one.lesson != lesson_) {
        lesson_ = one.lesson;
        const Lesson& lesson = find_lesson(lesson_);
        recording_ = record(lesson, Settings(lesson, {}), Keep::Calls);
        all = questions(recording_, recording_.steps, QuizMode::Cells);
      }
      if (const auto question = found(recording_, all, one.question)) {
        if (!ask(*question)) break;
      } else {
        out_.write(
            fmt::format("{}: the lesson {} no longer asks this.\n\n", printable(one.question), lesson_));
        progress_.forget(lesson_, one.question);
        --score_.of;
      }
    }
    return score_;
  }

 private:
  // Returns false if the input has ended.
  bool ask(const Question& question) {
    out_.write(fmt::format("From the lesson {}: glassgrad learn {} --from {}\n", lesson_, lesson_,
                           question.asked.address.step->id));
    const auto right = ask_by_lines(recording_, question, number_, score_.of, input_, terminal_, out_);
    if (!right) return false;
    ++score_.answered;
    score_.right += *right;
    const std::string text = question.asked.text();
    progress_.answered(lesson_, text, {today_, *right});
    progress_.save();  // a problem is reported at the end
    const auto due = progress_.of(lesson_).questions.at(text).due();
    out_.write(due ? fmt::format("It comes back on {}, {}.\n\n", text_of(*due), in_days(*due, today_))
                   : "You know it now: it does not come back.\n\n");
    return true;
  }

  Progress& progress_;
  const Day today_;
  const bool terminal_;
  Input& input_;
  Output& out_;
  Recording recording_;
  std::string lesson_;
  size_t number_ = 0;
  Score score_;
};

}  // namespace

std::vector<DueQuestion> due_questions(const Progress& progress, Day today) {
  std::vector<DueQuestion> due;
  for (const Lesson* lesson : lessons())
    for (const auto& [question, history] : progress.of(lesson->id).questions)
      if (const auto day = history.due(); day && *day <= today) due.push_back({lesson->id, question});
  return due;
}

void review(Progress& progress, Day today, bool terminal, Output& out) {
  const auto say = [&](const std::string& text) {
    if (text.empty()) return;
    for (const std::string& line : filled(text, 0, kWidth)) out.write(line + "\n");
  };
  say(printable(progress.take_remark()));
  const std::vector<DueQuestion> due = due_questions(progress, today);
  if (due.empty()) {
    const std::string next = what_is_next(progress, today);
    return say(next.starts_with("Next") ? "Nothing is due today. " + next : next);
  }
  SignalQueue signals;
  Input input(signals);
  Review asking(progress, today, terminal, input, out);
  std::string problem;
  try {
    if (const Score score = asking.ask(due); score.of > 0) say(score.text());
    problem = progress.save();
  } catch (...) {
    progress.save();
    throw;
  }
  say(what_is_next(progress, today));
  if (!problem.empty()) say("Your answers are not kept: " + printable(problem));
}

}  // namespace glassgrad::learn

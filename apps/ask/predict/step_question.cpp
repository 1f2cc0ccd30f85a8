#include "apps/ask/predict/step_question.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/ask/predict/question_page.h"

namespace glassgrad::learn {

void StepQuestion::be_about(const Recording& recording, std::vector<Question> questions) {
  trace_ = recording.trace;
  first_ = recording.steps.data();
  questions_ = std::move(questions);
  answers_.clear();
}

void StepQuestion::ask_on_arrival(const Recording& recording, std::vector<Question> questions) {
  on_arrival_ = true;
  be_about(recording, std::move(questions));
}

void StepQuestion::arrive(const Recording& recording, const Step& step) {
  recording_ = &recording;
  step_ = &step;
  attempt_.reset();
  note_.clear();
  at_ = 0;
}

bool StepQuestion::ask() {
  if (!is_about(*recording_)) {
    if (on_arrival_ || !recording_->trace) return false;
    be_about(*recording_, questions(*recording_, recording_->steps, Ask::Cells));
  }
  for (size_t far = 0; far < questions_.size(); ++far) {
    const size_t i = (at_ + far) % questions_.size();
    if (on_arrival_ ? !is_open_here(i) : questions_[i].asked.address.step != step_) continue;
    open_ = i;
    at_ = i + 1;
    attempt_.emplace(*recording_, questions_[i].asked);
    note_ = fmt::format("Predict {}. An empty line gives up.", words_of(*recording_, questions_[i].asked));
    return true;
  }
  return false;
}

std::string StepQuestion::prompt() const { return questions_[open_].asked.name() + " = "; }

void StepQuestion::reply(std::string_view line) {
  note_ = attempt_->reply(line);
  if (!attempt_->is_over()) return;
  answers_[open_] = attempt_->is_right();
  attempt_.reset();
  note_ += fmt::format(" {} of {} so far.", right(), answers_.size());
  const std::string so_far = note_;
  if (on_arrival_ && ask()) note_ = so_far + " " + note_;
}

bool StepQuestion::is_open_here(size_t i) const {
  return questions_[i].asked.address.step == step_ && !answers_.contains(i);
}

void StepQuestion::put_off() {
  attempt_.reset();
  note_.clear();
}

void StepQuestion::show_on(StepPageView& view) const {
  if (!note_.empty()) view.note = note_;
  if (!attempt_) return;
  view.quiet = true;
  view.exact = false;
  for (size_t i = 0; i < questions_.size(); ++i)
    if (i == open_ || (on_arrival_ && is_open_here(i))) hide_answer(view, questions_[i].asked);
}

size_t StepQuestion::right() const {
  return size_t(std::count_if(answers_.begin(), answers_.end(), [](const auto& a) { return a.second; }));
}

Score StepQuestion::score() const {
  return {.right = right(), .answered = answers_.size(), .of = questions_.size()};
}

}  // namespace glassgrad::learn

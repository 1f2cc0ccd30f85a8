#include "apps/ask/predict/step_quiz.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/predict/question_page.h"
#include "apps/cli/text_width.h"

namespace glassgrad::learn {

void StepQuiz::be_about(const Recording& recording, std::vector<Question> questions) {
  trace_ = recording.trace;
  first_ = recording.steps.data();
  questions_ = std::move(questions);
  answers_.clear();
}

void StepQuiz::ask_on_arrival(const Recording& recording, std::vector<Question> questions) {
  on_arrival_ = true;
  be_about(recording, std::move(questions));
}

void StepQuiz::arrive(const Recording& recording, const Step& step) {
  recording_ = &recording;
  step_ = &step;
  attempt_.reset();
  note_.clear();
  at_ = 0;
}

bool StepQuiz::ask() {
  if (!is_about(*recording_) || (is_program() && !on_arrival_)) {
    if (on_arrival_ || !recording_->trace) return false;
    const Steps all = is_program() ? Steps(step_, 1) : Steps(recording_->steps);
    be_about(*recording_, questions(*recording_, all, QuizMode::Cells));
  }
  for (size_t far = 0; far < questions_.size(); ++far) {
    const size_t i = (at_ + far) % questions_.size();
    if (on_arrival_ ? !is_open_here(i) : questions_[i].asked.address.step != step_) continue;
    open_ = i;
    at_ = i + 1;
    attempt_.emplace(*recording_, questions_[i].asked);
    note_.clear();
    return true;
  }
  return false;
}

bool StepQuiz::may_ask() const {
  if (!recording_->trace) return false;
  if (is_about(*recording_) && !is_program())
    return std::any_of(questions_.begin(), questions_.end(),
                       [&](const Question& q) { return q.asked.address.step == step_; });
  const auto is_computed = [&](const Entry& e) {
    return e.value && !e.value->is_parameter && recording_->trace->writer(*e.value).has_value();
  };
  return !step_->asks.empty() || std::any_of(step_->entries.begin(), step_->entries.end(), is_computed);
}

std::string StepQuiz::prompt() const {
  const Quantity& asked = questions_[open_].asked;
  return asked.is_choice() ? "A letter: " : asked.name() + " = ";
}

void StepQuiz::reply(std::string_view line) {
  note_ = attempt_->reply(line);
  if (!attempt_->is_over()) return;
  const bool right = attempt_->is_right();
  answers_[open_] = right;
  if (answered_) answered_(questions_[open_].asked, right);
  const std::string why = attempt_->explanation();
  attempt_.reset();
  note_ += fmt::format(" {} of {} so far.", this->right(), answers_.size());
  if (!why.empty()) note_ += "\n\n" + why;
  const std::string so_far = note_;
  if (on_arrival_ && ask()) note_ = so_far;
}

bool StepQuiz::is_open_here(size_t i) const {
  return questions_[i].asked.address.step == step_ && !answers_.contains(i);
}

void StepQuiz::put_off() {
  at_ = open_;
  attempt_.reset();
  note_.clear();
}

Lines StepQuiz::page(size_t columns) const {
  const Question& question = questions_[open_];
  Lines lines;
  const auto add = [&](const std::string& text, Style style, bool fill) {
    for (size_t start = 0; start < text.size();) {
      const size_t end = std::min(text.find('\n', start), text.size());
      const std::string line = text.substr(start, end - start);
      for (std::string& part : fill ? filled(line, 0, std::min(columns, kWidestText)) : broken(line, columns))
        lines.push_back({{std::move(part), style}});
      start = end + 1;
    }
  };
  // Add the reply as prose, then the arithmetic unfilled: its spaces count.
  const size_t first = std::min(note_.find('\n'), note_.size());
  add(note_.substr(0, first), Style::Bold, true);
  if (first < note_.size()) add(note_.substr(first + 1), Style::Plain, false);
  if (!note_.empty()) lines.push_back({});
  add("Predict: " + question_sentence(*recording_, question.asked), Style::Bold, true);
  add(choices_text(*recording_, question.asked), Style::Plain, false);
  lines.push_back({});
  add(material_text(*recording_, question), Style::Plain, false);
  return lines;
}

size_t StepQuiz::right() const {
  return size_t(std::count_if(answers_.begin(), answers_.end(), [](const auto& a) { return a.second; }));
}

Score StepQuiz::score() const {
  return {.right = right(), .answered = answers_.size(), .of = questions_.size()};
}

}  // namespace glassgrad::learn

// The questions that `p` asks in the full screen: while one is open, its page replaces the step's page.
#pragma once
#include <map>
#include <optional>

#include "apps/ask/predict/predict.h"
#include "apps/show/step_page.h"

namespace glassgrad::learn {

class StepQuiz {
 public:
  // From now on, asks these questions when the reader reaches their step.
  void ask_on_arrival(const Recording& recording, std::vector<Question> questions);
  bool asks_on_arrival() const { return on_arrival_; }

  // Call it when the reader reaches a different step of the recording that was opened last.
  void arrive(const Recording& recording, const Step& step);
  // Asks the next question about the step; after the last one, the first again. When questions are asked on
  // arrival, asks only unanswered ones. Returns false if there is none.
  bool ask();
  // False if ask() certainly has no question. Before the first question, true is a guess, because finding
  // questions takes time.
  bool may_ask() const;
  bool is_open() const { return attempt_.has_value(); }

  std::string prompt() const;         // "attn_weights[1,0] = "
  void reply(std::string_view line);  // may lead to the next question
  void put_off();                     // the same question comes next
  // Sets a function that is called for each question that is over.
  void when_answered(Answered answered) { answered_ = std::move(answered); }

  // Returns the page of the open question: its text, the last reply, and the material for the answer.
  Lines page(size_t columns) const;
  // Returns the last reply, to stand above the step.
  const std::string& note() const { return note_; }
  Score score() const;

 private:
  bool is_about(const Recording& recording) const {
    return trace_ == recording.trace && first_ == recording.steps.data();
  }
  void be_about(const Recording& recording, std::vector<Question> questions);
  // True if the lesson is the reader's own program. Its run may be long, so questions are found step by step.
  bool is_program() const { return recording_->lesson->run_by != nullptr; }
  bool is_open_here(size_t i) const;  // true if question i is about the current step and unanswered
  size_t right() const;

  bool on_arrival_ = false;
  const Recording* recording_ = nullptr;
  std::shared_ptr<const Recorder> trace_;  // of the recording that the questions are about
  const Step* first_ = nullptr;
  const Step* step_ = nullptr;
  std::vector<Question> questions_;
  std::map<size_t, bool> answers_;  // true if answered correctly; by the question's index
  size_t at_ = 0, open_ = 0;
  std::optional<Attempt> attempt_;
  std::string note_;
  Answered answered_;
};

}  // namespace glassgrad::learn

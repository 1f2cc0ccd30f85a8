// What `p` asks in the full screen: while a question is open, its page stands in place of the step's.
#pragma once
#include <map>
#include <optional>

#include "apps/ask/predict/predict.h"
#include "apps/show/step_page.h"

namespace glassgrad::learn {

class StepQuestion {
 public:
  // From now on these are asked when one comes to their step.
  void ask_on_arrival(const Recording& recording, std::vector<Question> questions);
  bool asks_on_arrival() const { return on_arrival_; }

  // The step is another one, of the recording that was opened last.
  void arrive(const Recording& recording, const Step& step);
  // Asks the next question about the step: the first one again after the last, or, on arrival, none that is
  // answered. false: there is none.
  bool ask();
  // Whether ask() may have a question. false: it has none. Before the first question it is a guess, because
  // finding them takes time.
  bool may_ask() const;
  bool is_open() const { return attempt_.has_value(); }

  std::string prompt() const;         // "attn_weights[1,0] = "
  void reply(std::string_view line);  // may lead to the next question
  void put_off();                     // it is the next one asked
  // Is told of each question that is over.
  void when_answered(Answered answered) { answered_ = std::move(answered); }

  // Of the open question: its words, what has been said since, what it is answered from.
  Lines page(size_t columns) const;
  // What was said last, to stand above the step.
  const std::string& note() const { return note_; }
  Score score() const;

 private:
  bool is_about(const Recording& recording) const {
    return trace_ == recording.trace && first_ == recording.steps.data();
  }
  void be_about(const Recording& recording, std::vector<Question> questions);
  // Of a program of the reader's, whose run is long: it is asked about step by step.
  bool is_program() const { return recording_->lesson->run_by != nullptr; }
  bool is_open_here(size_t i) const;  // a question of the step that is not answered
  size_t right() const;

  bool on_arrival_ = false;
  const Recording* recording_ = nullptr;
  std::shared_ptr<const Recorder> trace_;  // of the recording that the questions are about
  const Step* first_ = nullptr;
  const Step* step_ = nullptr;
  std::vector<Question> questions_;
  std::map<size_t, bool> answers_;  // rightly, by the question's place
  size_t at_ = 0, open_ = 0;
  std::optional<Attempt> attempt_;
  std::string note_;
  Answered answered_;
};

}  // namespace glassgrad::learn

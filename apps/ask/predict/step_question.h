// What `p` asks in the full screen: a number of the step, hidden on the page until it is answered.
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
  bool is_open() const { return attempt_.has_value(); }

  std::string prompt() const;         // "attn_weights[1,0] = "
  void reply(std::string_view line);  // may lead to the next question
  void put_off();                     // it can be asked again

  // The question or the last reply above the step; while it is open, what could tell the answer is left out.
  void show_on(StepPageView& view) const;
  Score score() const;

 private:
  bool is_about(const Recording& recording) const {
    return trace_ == recording.trace && first_ == recording.steps.data();
  }
  void be_about(const Recording& recording, std::vector<Question> questions);
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
};

}  // namespace glassgrad::learn

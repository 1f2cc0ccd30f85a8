// What `p` asks in the full screen: a number of the step, hidden on the page until it is answered.
#pragma once
#include <optional>
#include <set>

#include "apps/learn/page.h"
#include "apps/learn/predict.h"

namespace glassgrad::learn {

class StepQuestion {
 public:
  // Asks by itself on arriving at a step; without it only when it is asked to.
  void ask_on_arrival(Ask ask, Steps steps);
  bool asks_on_arrival() const { return on_arrival_.has_value(); }

  // The step is another one. true: it has a question that is asked now.
  bool arrive(const Recording& recording, const Step& step);
  // The step's next question, the first one again after the last. false: it has none.
  bool ask();
  bool is_open() const { return attempt_.has_value(); }

  std::string prompt() const;                   // "attn_weights[1,0] = "
  std::string reply(std::string_view line);     // closes the question when it is over
  void put_off() { attempt_.reset(); }          // it counts as not asked
  void hide_answer(PageView& view) const;       // while the question is open
  Score score() const;

 private:
  void prepare(const Recording& recording);

  struct OnArrival {
    Ask ask;
    Steps steps;
  };
  std::optional<OnArrival> on_arrival_;
  const Recorder* trace_ = nullptr;  // that the questions are about
  const Recording* recording_ = nullptr;
  const Step* step_ = nullptr;
  std::vector<Question> questions_;
  std::set<size_t> answered_, right_;  // their places
  size_t at_ = 0, next_ = 0;
  std::optional<Attempt> attempt_;
};

}  // namespace glassgrad::learn

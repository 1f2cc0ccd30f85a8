// A question being answered.
#pragma once
#include <string>
#include <string_view>

#include "apps/ask/predict/quantity.h"

namespace glassgrad::learn {

enum class Verdict : uint8_t { Right, Wrong, NoAnswer };  // NoAnswer: it cannot be read as one
Verdict judge(const Recording& recording, const Quantity& asked, std::string_view answer);
// "number: write digits like 0.25, …": what can be read as an answer.
std::string forms_of(const Quantity& asked);

constexpr std::string_view kHintKey = "?";

// Two tries, one where there are few choices; `?` asks for a hint, an empty line gives up.
class Attempt {
 public:
  // tries: how many answers were wrong before.
  Attempt(const Recording& recording, const Quantity& asked, int tries = 0)
      : recording_(recording), asked_(asked), tries_(tries) {}

  // What there is to say about the line.
  std::string reply(std::string_view line);
  // After a miss the arithmetic of the answer, in lines; empty otherwise.
  std::string opened() const;
  bool is_over() const { return over_; }
  bool is_right() const { return right_; }

 private:
  std::string solution() const;
  std::string hint();
  int most_tries() const;

  const Recording& recording_;
  const Quantity& asked_;
  int tries_;
  size_t hints_ = 0;
  bool over_ = false, right_ = false;
};

}  // namespace glassgrad::learn

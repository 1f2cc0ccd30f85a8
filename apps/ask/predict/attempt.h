// An attempt to answer a question.
#pragma once
#include <string>
#include <string_view>

#include "apps/ask/predict/quantity.h"

namespace glassgrad::learn {

enum class Verdict : uint8_t { Right, Wrong, NoAnswer };  // NoAnswer: the text cannot be read as an answer
Verdict judge(const Recording& recording, const Quantity& asked, std::string_view answer);
// Describes the accepted forms of an answer: "number: write digits like 0.25, …".
std::string forms_of(const Quantity& asked);

constexpr std::string_view kHintKey = "?";

// Allows two tries, or one if there are few choices; `?` asks for a hint, an empty line gives up.
class Attempt {
 public:
  // tries: the number of wrong answers so far.
  Attempt(const Recording& recording, const Quantity& asked, int tries = 0)
      : recording_(recording), asked_(asked), tries_(tries) {}

  // Returns the reply to a line.
  std::string reply(std::string_view line);
  // Returns the arithmetic of the answer, in lines, if the attempt is over without a right answer; else
  // empty.
  std::string explanation() const;
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

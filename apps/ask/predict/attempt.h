// A number asked for, and what somebody answers.
#pragma once
#include <string>
#include <string_view>

#include "apps/ask/predict/quantity.h"

namespace glassgrad::learn {

// One question being answered: two tries, an empty line gives up.
class Attempt {
 public:
  // tries: how many answers were wrong before.
  Attempt(const Recording& recording, const Quantity& asked, int tries = 0)
      : recording_(recording), asked_(asked), tries_(tries) {}

  // What there is to say about the line.
  std::string reply(std::string_view line);
  bool is_over() const { return over_; }
  bool is_right() const { return right_; }

 private:
  std::string solution() const;

  const Recording& recording_;
  const Quantity& asked_;
  int tries_;
  bool over_ = false, right_ = false;
};

}  // namespace glassgrad::learn

// Finds the end of a sentence in a growing text.
#pragma once
#include <string_view>

#include "tokenizer.h"

namespace glassgrad {

class SentenceEnd {
 public:
  // lines: each line is a sentence; otherwise `.`, `!` or `?` before white space, and an empty line, end one.
  explicit SentenceEnd(bool lines) : lines_(lines) {}

  // Returns whether the sentence is complete, so that `next` is not part of it. Text before the first word
  // ends no sentence.
  bool comes_before(std::string_view next) const;
  void add(std::string_view text);

 private:
  bool lines_, begun_ = false, closed_ = false, new_line_ = false;
};

// Returns whether the text that these tokens were made for has a full stop.
bool has_full_stop(const Tokenizer& tokenizer);

}  // namespace glassgrad

// Where a text that grows ends a sentence.
#pragma once
#include <string_view>

#include "tokenizer.h"

namespace glassgrad {

class SentenceEnd {
 public:
  // lines: each line is a sentence; otherwise `.`, `!` or `?` before white space, and an empty line, end one.
  explicit SentenceEnd(bool lines) : lines_(lines) {}

  // Is the sentence whole, so that `next` is no part of it? What was added before any word ends none.
  bool comes_before(std::string_view next) const;
  void add(std::string_view text);

 private:
  bool lines_, begun_ = false, closed_ = false, new_line_ = false;
};

// Did the text that these tokens were made for have one?
bool has_full_stop(const Tokenizer& tokenizer);

}  // namespace glassgrad

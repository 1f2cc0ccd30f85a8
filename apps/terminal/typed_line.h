// A line that is being typed at the foot of a full screen.
#pragma once
#include <string>

#include "apps/terminal/keys.h"

namespace glassgrad {

class TypedLine {
 public:
  enum class State : uint8_t { Typing, Done, Left };

  // `words` stand before what is typed; `purpose` is the caller's.
  TypedLine(std::string words, char purpose) : words_(std::move(words)), purpose_(purpose) {}

  // Enter ends it; Escape, or Backspace where nothing is left, leaves it. Other keys are text, or rub some
  // out.
  State press(const Key& key);

  const std::string& typed() const { return typed_; }
  char purpose() const { return purpose_; }
  std::string shown() const { return words_ + typed_; }

 private:
  void drop_last_character();

  std::string words_, typed_;
  char purpose_;
};

}  // namespace glassgrad

// A line that is being typed, or edited, at the foot of a full screen.
#pragma once
#include <string>

#include "apps/terminal/keys.h"

namespace glassgrad {

class TypedLine {
 public:
  enum class State : uint8_t { Typing, Done, Left };

  // `words` stand before what is typed; `purpose` is the caller's.
  // typed: what is there already.
  TypedLine(std::string words, char purpose, std::string typed = "")
      : words_(std::move(words)), typed_(std::move(typed)), at_(typed_.size()), purpose_(purpose) {}

  // Enter ends it, Escape leaves it. Left, Right, Home, End move the cursor; other keys are text, or rub some
  // out. A line holds 64 KiB, and what is typed beyond them is lost.
  State press(const Key& key);

  const std::string& typed() const { return typed_; }
  char purpose() const { return purpose_; }
  // As much of both as so many columns hold, with the cursor in it.
  struct Shown {
    std::string text;
    size_t cursor = 0;  // the column where the next letter goes, from 0
  };
  Shown shown(size_t columns) const;

 private:
  static constexpr size_t kMost = 64 << 10;
  size_t before(size_t at) const;  // where the character before this place begins
  size_t after(size_t at) const;

  std::string words_, typed_;
  size_t at_;  // the cursor, in bytes
  char purpose_;
};

}  // namespace glassgrad

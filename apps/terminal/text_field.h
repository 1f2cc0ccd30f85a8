// A few lines of text that are being typed.
#pragma once
#include <string>
#include <vector>

#include "apps/terminal/keys.h"

namespace glassgrad {

class TextField {
 public:
  explicit TextField(const std::string& text = "");

  // Arrows, Home and End move, Backspace, Delete and Ctrl-U rub out, Tab indents, letters are typed. false:
  // another key. What is typed beyond 64 KiB is lost; so much is more than an answer may have, and says so
  // when it runs.
  bool press(const Key& key);
  // A new line at the cursor, indented as the one before it, further after a colon, less after a return.
  void break_line();
  void trim_line();  // a line of nothing but spaces becomes empty

  const std::vector<std::string>& lines() const { return lines_; }
  std::string text() const;
  size_t row() const { return row_; }
  size_t column() const;  // of the screen

  // As much of the cursor's line behind `words` as so many columns hold, with the cursor in it.
  struct Shown {
    std::string text;
    size_t cursor = 0;  // the column where the next letter goes, from 0
  };
  Shown shown(const std::string& words, size_t columns) const;

 private:
  std::string& line() { return lines_[row_]; }
  size_t before() const;  // where the character to the left begins
  size_t after() const;
  void move_to_row(size_t row);
  void rub_out();  // the character to the left
  void type(const std::string& text);

  std::vector<std::string> lines_;
  size_t row_ = 0, at_ = 0;  // at_: bytes
  size_t size_ = 0;          // bytes of all lines
};

}  // namespace glassgrad

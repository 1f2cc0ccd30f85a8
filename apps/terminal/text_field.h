// A few lines of text that are being typed.
#pragma once
#include <string>
#include <vector>

#include "apps/terminal/keys.h"

namespace glassgrad {

class TextField {
 public:
  explicit TextField(const std::string& text = "");

  // Arrows, Home and End move, Backspace, Delete and Ctrl-U delete, Tab indents, letters are typed. Returns
  // false for any other key. Text beyond 64 KiB is lost: so much is more than an answer may have, and running
  // it says so.
  bool press(const Key& key);
  // Adds a line at the cursor, indented like the line before it, more after a colon, less after a return.
  void break_line();
  void trim_line();  // a line of nothing but spaces becomes empty

  const std::vector<std::string>& lines() const { return lines_; }
  std::string text() const;
  size_t row() const { return row_; }
  size_t column() const;  // of the screen

  // The part of the cursor's line, after `words`, that fits into so many columns with the cursor.
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
  void rub_out();  // deletes the character to the left
  void type(const std::string& text);

  std::vector<std::string> lines_;
  size_t row_ = 0, at_ = 0;  // at_: bytes
  size_t size_ = 0;          // bytes of all lines
};

}  // namespace glassgrad

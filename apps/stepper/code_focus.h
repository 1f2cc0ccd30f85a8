// The mode that E switches on in the full screen: the arrows choose a line of the step's code to edit.
#pragma once
#include <algorithm>

#include "apps/lesson/patch.h"
#include "apps/terminal/keys.h"

namespace glassgrad::learn {

class CodeFocus {
 public:
  bool is_on() const { return !lines_.empty(); }
  // Chooses the line with a kept text, or else the first. Returns false if the step has no line that can be
  // edited.
  bool enter(const Step& step);
  void leave() { lines_.clear(); }

  // Moves by Down and Up, Home and End.
  void move(const Key& key);
  const CodeLine& line() const { return lines_[at_]; }
  size_t place() const { return line().block->first + line().k; }  // index in the step's code

  // Keeps a text that was typed for a line and did not run, so that the next edit starts from it.
  void keep(int line, const std::string& typed) { kept_ = {line, typed}; }
  void forget() { kept_ = {}; }
  std::string text() const { return kept_.first == line().line() ? kept_.second : line().text(); }

 private:
  std::vector<CodeLine> lines_;
  size_t at_ = 0;
  std::pair<int, std::string> kept_;
};

}  // namespace glassgrad::learn

// What E switches on in the full screen: a line of the step's code that the arrows choose, to be edited.
#pragma once
#include <algorithm>

#include "apps/lesson/patch.h"
#include "apps/terminal/keys.h"

namespace glassgrad::learn {

class CodeFocus {
 public:
  bool is_on() const { return !lines_.empty(); }
  // To the line of the file that was chosen last, or the first. false, and nowhere: the step has none that
  // can be edited.
  bool enter(const Step& step);
  void leave() { lines_.clear(); }

  // Down and Up, Home and End.
  void move(const Key& key);
  const CodeLine& line() const { return lines_[at_]; }
  size_t place() const { return line().block->first + line().k; }  // in the step's code

  // What was typed for a line and did not run, to go on from; empty: its own text.
  void keep(int line, const std::string& typed) { kept_ = {line, typed}; }
  void forget() { kept_ = {}; }
  std::string text() const { return kept_.first == line().line() ? kept_.second : line().text(); }

 private:
  std::vector<CodeLine> lines_;
  size_t at_ = 0;
  std::pair<int, std::string> kept_;
};

}  // namespace glassgrad::learn

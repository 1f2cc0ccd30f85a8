// What changes the run that the full screen shows: another number, another line of its code. It is computed
// beside the keys, and takes the step's place when it is there.
#pragma once
#include <string>

#include "apps/screen/screen.h"
#include "apps/stepper/code_focus.h"
#include "apps/stepper/step_view.h"

namespace glassgrad::learn {

class Changing : public Screen {
 protected:
  Changing(Navigator& navigator, StepQuestion& question, Input& input, Output& out, std::string message,
           const std::function<void()>& arrived)
      : Screen(input, out, std::move(message), "back to the lesson"),
        navigator_(navigator),
        question_(question),
        arrived_(arrived) {}

  // ---- what if
  void edit();  // the cell in brackets, or one that is named
  void take_back();

  // ---- the code
  void choose_line();
  bool has_lines() const { return !navigator_.is_backward() && !editable_lines(navigator_.step()).empty(); }
  // While a line is chosen.
  static KeyTable code_keys();

  Navigator& navigator_;
  StepQuestion& question_;
  CellFocus cells_;
  CodeFocus code_;
  StepView view_{navigator_, question_, cells_, scroll()};
  const std::function<void()>& arrived_;

 private:
  void set(const std::string& typed);
  void move_line(const Key& key);
  void edit_line();
  void run_line(const std::string& typed);
  void leave_code();
  bool leave_code_for(const Key& other);
  void change_to(WhatIf::Changes changes, std::function<void(const std::string&)> failed = {});
  void show_change(Navigator::Outcome outcome);
};

}  // namespace glassgrad::learn

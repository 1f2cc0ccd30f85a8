// What changes the run that the full screen shows: another number, another line of its code. It is computed
// beside the keys, and takes the step's place when it is there.
#pragma once
#include <optional>
#include <string>

#include "apps/stepper/background.h"
#include "apps/stepper/code_focus.h"
#include "apps/stepper/step_view.h"
#include "apps/terminal/typed_line.h"

namespace glassgrad::learn {

class Changing {
 protected:
  Changing(Navigator& navigator, StepQuestion& question, const std::function<void()>& arrived)
      : navigator_(navigator), question_(question), arrived_(arrived) {}

  // ---- what takes its time
  // A short work is done before the screen is drawn again, a long one goes on beside the keys.
  void compute(const std::string& what, Background::Work work);
  void finish();
  void stop();

  // ---- what if
  void edit();  // the cell in brackets, or one that is named
  void set(const std::string& typed);
  void take_back();

  // ---- the code
  void choose_line();
  // What the chosen line does with the key; false: nothing, and it is left.
  bool pick_line(const Key& key);
  void run_line(const std::string& typed);

  Navigator& navigator_;
  StepQuestion& question_;
  Background background_;  // the terminal is given back before anybody waits for it
  std::string at_work_;    // on what
  CellFocus cells_;
  CodeFocus code_;
  StepView view_{navigator_, question_, cells_};
  std::optional<TypedLine> prompt_;
  std::string message_;
  const std::function<void()>& arrived_;

 private:
  void change_to(WhatIf::Changes changes, bool edited = false);
  void show_change(Navigator::Outcome outcome);

  bool edited_ = false;  // what is at work runs a line that was typed
};

}  // namespace glassgrad::learn

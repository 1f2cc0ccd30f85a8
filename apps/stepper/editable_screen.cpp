#include "apps/stepper/editable_screen.h"

#include <fmt/core.h>

#include <memory>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/address.h"
#include "apps/lesson/difference.h"

namespace glassgrad::learn {

// ---- what if
void EditableScreen::edit() {
  const auto spot = cells_.spot();
  if (cells_.is_open()) return say("Backspace closes this page; in the step, e sets the number in brackets.");
  ask({.words = spot ? fmt::format("{}{} = ", spot->tensor, cell_text(spot->cell))
                     : "Set a number, TENSOR[i,j]=V: ",
       .enter = [this](const std::string& typed) {
         finish_if_done();
         if (!typed.empty()) set(typed);
       }});
}

void EditableScreen::set(const std::string& typed) {
  const auto spot = cells_.spot();
  const std::string cell = spot ? fmt::format("{}{}=", spot->tensor, cell_text(spot->cell)) : "";
  try {
    change_to(navigator_.with(cell + typed));
  } catch (const UsageError& e) {
    say(e.what());
  }
}

void EditableScreen::take_back() {
  if (navigator_.is_changed())
    change_to(navigator_.without_last());
  else
    say("Nothing is set.");
}

void EditableScreen::change_to(const WhatIf::Changes& changes,
                               std::function<void(const std::string&)> failed) {
  const bool backward = navigator_.has_backward();
  const auto work = [this, &navigator = navigator_, changes, backward]() -> BackgroundWork::Continuation {
    const auto outcome = std::make_shared<Navigator::Outcome>(navigator.run(changes, backward));
    return [this, outcome] { show_change(std::move(*outcome)); };
  };
  compute("Computing ...", work, std::move(failed));
}

void EditableScreen::show_change(Navigator::Outcome outcome) {
  const auto spot = cells_.spot();
  code_.leave();
  code_.forget();
  view_.put_note("");
  view_.choose_line({});
  navigator_.adopt(std::move(outcome));
  cells_.replace(navigator_.recording(), navigator_.step(), spot);
  quiz_.arrive(navigator_.recording(), navigator_.step());
  say(brief_differences(navigator_.recording()));
  view_.forget_recording();
  view_.renew_and_follow_cursor();
  context_.arrived();
}

// ---- the code
KeyTable EditableScreen::code_keys() {
  static constexpr KeyRow kRows[] = {
      {"Down Up Home End | j k",
       {},
       does<&EditableScreen::move_line>,
       Hint("choose a line", 0, nullptr, "arrows")},
      {"Enter | E e i", {}, does<&EditableScreen::edit_line>, "edit it"},
      {"Esc", {}, does<&EditableScreen::leave_code>, "back to the step"},
      {"any", {}, does<&EditableScreen::leave_code_for>},
  };
  return kRows;
}

void EditableScreen::choose_line() {
  if (navigator_.is_backward())
    say("The backward pass has no lines of the lesson: B turns back to them.");
  else if (!code_.enter(navigator_.step()))
    say("This step has no line of the lesson's program that can be edited.");
  if (!code_.is_on()) return;
  cells_.leave();
  view_.choose_line(code_.place());
}

void EditableScreen::move_line(const Key& key) {
  code_.move(key);
  view_.choose_line(code_.place());
}

void EditableScreen::edit_line() {
  const auto enter = [this](const std::string& typed) {
    finish_if_done();
    if (code_.is_on()) run_line(typed);
  };
  ask({.words = fmt::format("{}: ", code_.line().at()),
       .enter = enter,
       .typed = code_.text(),
       .hints = {{"Enter", "run the lesson with it"}, {"Esc", "never mind"}, {"<- -> Home End", "move"}}});
}

void EditableScreen::leave_code() {
  code_.leave();
  view_.choose_line({});
}

bool EditableScreen::leave_code_for(const Key&) {
  leave_code();
  return false;
}

// The error of a program may take several lines, so the page shows it in a note.
void EditableScreen::run_line(const std::string& typed) {
  const int line = code_.line().line();
  code_.keep(line, typed);
  try {
    change_to(navigator_.with_line(line, typed), [this](const std::string& why) {
      view_.put_note(printable(why));
      say("It did not run, and nothing has changed. E tries again.");
    });
  } catch (const UsageError& e) {
    say(e.what());
  }
}

}  // namespace glassgrad::learn

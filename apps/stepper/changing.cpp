#include "apps/stepper/changing.h"

#include <fmt/format.h>

#include <memory>

#include "apps/cli/arguments.h"
#include "apps/cli/complain.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/address.h"
#include "apps/lesson/difference.h"

namespace glassgrad::learn {

void Changing::compute(const std::string& what, Background::Work work) {
  if (background_.is_at_work()) {
    message_ = "Not yet: " + at_work_;
    return;
  }
  at_work_ = what + " Esc stops it.";
  background_.start(std::move(work));
  constexpr int kShort = 4;  // milliseconds: nobody sees them
  if (background_.is_done(kShort)) finish();
}

void Changing::finish() {
  try {
    if (!background_.finish()) message_ = "Stopped: nothing has changed.";
  } catch (const std::exception& e) {
    message_ = told(e);
    if (edited_) {  // where a program ended may take more than a line
      view_.put_note(printable(message_));
      message_ = "It did not run, and nothing has changed. E tries again.";
    }
  }
  edited_ = false;
}

void Changing::stop() {
  background_.stop();
  at_work_ = "Stopping ...";
}

// ---- what if
void Changing::edit() {
  const auto spot = cells_.spot();
  if (cells_.is_open())
    message_ = "Backspace closes this page; in the step, e sets the number in brackets.";
  else if (spot)
    prompt_.emplace(fmt::format("{}{} = ", spot->tensor, cell_text(spot->cell)), 'e');
  else
    prompt_.emplace("Set a number, TENSOR[i,j]=V: ", 'e');
}

void Changing::set(const std::string& typed) {
  const auto spot = cells_.spot();
  const std::string cell = spot ? fmt::format("{}{}=", spot->tensor, cell_text(spot->cell)) : "";
  try {
    change_to(navigator_.with(cell + typed));
  } catch (const UsageError& e) {
    message_ = e.what();
  }
}

void Changing::take_back() {
  if (navigator_.is_changed())
    change_to(navigator_.without_last());
  else
    message_ = "Nothing is set.";
}

void Changing::change_to(WhatIf::Changes changes, bool edited) {
  const bool backward = navigator_.has_backward();
  if (!background_.is_at_work()) edited_ = edited;
  compute("Computing ...", [this, changes, backward]() -> Background::Rest {
    const auto outcome = std::make_shared<Navigator::Outcome>(navigator_.run(changes, backward));
    return [this, outcome] { show_change(std::move(*outcome)); };
  });
}

void Changing::show_change(Navigator::Outcome outcome) {
  const auto spot = cells_.spot();
  code_.leave();
  code_.forget();
  view_.put_note("");
  view_.choose_line({});
  navigator_.adopt(std::move(outcome));
  cells_.replace(navigator_.recording(), navigator_.step(), spot);
  question_.arrive(navigator_.recording(), navigator_.step());
  message_ = brief_differences(navigator_.recording());
  view_.forget_recording();
  view_.renew_and_follow_cursor();
  arrived_();
}

// ---- the code
void Changing::choose_line() {
  if (navigator_.is_backward())
    message_ = "The backward pass has no lines of the lesson: B turns back to them.";
  else if (!code_.enter(navigator_.step()))
    message_ = "This step has no line of the lesson's program that can be edited.";
  if (!code_.is_on()) return;
  if (cells_.is_on()) cells_.press({Key::Kind::Tab}, view_.is_folded());
  view_.choose_line(code_.place());
}

bool Changing::pick_line(const Key& key) {
  if (!code_.is_on()) return false;
  const bool edits = key.kind == Key::Kind::Enter || key.is('E') || key.is('e') || key.is('i');
  const bool mine = edits || code_.press(key);
  if (edits)
    prompt_.emplace(fmt::format("{}: ", code_.line().at()), 'E', code_.text());
  else if (!mine)
    code_.leave();
  view_.choose_line(code_.is_on() ? std::optional(code_.place()) : std::nullopt);
  return mine;
}

void Changing::run_line(const std::string& typed) {
  const int line = code_.line().line();
  code_.keep(line, typed);
  try {
    change_to(navigator_.with_line(line, typed), /*edited=*/true);
  } catch (const UsageError& e) {
    message_ = e.what();
  }
}

}  // namespace glassgrad::learn

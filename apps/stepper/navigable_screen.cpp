#include "apps/stepper/navigable_screen.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "apps/cli/arguments.h"
#include "apps/show/sentences.h"

namespace glassgrad::learn {

// ---- by its address
void NavigableScreen::ask_for_step() {
  ask({.words = "Go to step (number, id, section) or LESSON#STEP: ",
       .enter = [this](const std::string& typed) {
         finish_if_done();
         if (!typed.empty()) go_to(typed);
       }});
}

void NavigableScreen::go_to(const std::string& typed) {
  const Target target = is_program() ? Target() : target_of(typed);
  if (target.stop && !navigator_.has_step(typed)) return travel({target.stop->words, target.step});
  const Visit here{history_.here.words, place()};
  if (!leads_to(typed)) return;
  history_.behind.push_back(here);
  arrive();
}

bool NavigableScreen::leads_to(const std::string& step) {
  try {
    navigator_.go_to(step);
    return true;
  } catch (const UsageError& e) {
    say(e.what());
    return false;
  }
}

// ---- searching
void NavigableScreen::ask_for_words() {
  ask({.words = "/", .enter = [this](const std::string& text) {
         finish_if_done();
         search(text, true);
       }});
}

void NavigableScreen::search(const std::string& text, bool forward) {
  if (text.empty() && navigator_.searched().empty()) {
    say("Nothing has been searched for yet: / and a text.");
  } else if (const int before = navigator_.step().number; navigator_.search(text, forward)) {
    searching_ = true;
    show_step();
    view_.to_words(navigator_.searched());
    const int here = navigator_.step().number;
    if (here == before)
      say("No other step has it.");
    else if ((here < before) == forward)
      say(forward ? "Past the last step: on from the first." : "Past the first step: on from the last.");
  } else {
    searching_ = false;
    say(fmt::format("No step has '{}'.", navigator_.searched()));
  }
}

// ---- links
KeyTable NavigableScreen::link_keys() {
  static constexpr KeyRow kRows[] = {
      {"o Down Right Tab Up Left | j k", {}, does<&NavigableScreen::move_link>, "next link"},
      {"Enter", {}, does<&NavigableScreen::follow_link>, "follow it"},
      {"Esc", {}, does<&NavigableScreen::leave_links>, "back to the step"},
      {"any", {}, does<&NavigableScreen::leave_links_for>},
  };
  return kRows;
}

std::vector<std::string> NavigableScreen::links() const {
  return is_program() ? std::vector<std::string>() : links_of(navigator_.step().sentences);
}

void NavigableScreen::choose_link() {
  if (!has_links()) return say("This step has no link.");
  link_ = 0;
  cells_.leave();
  view_.choose_link(link_);
}

void NavigableScreen::move_link(const Key& key) {
  const size_t all = links().size();
  const bool is_back = key.kind == Key::Kind::Up || key.kind == Key::Kind::Left || key.is('k');
  link_ = (*link_ + (is_back ? all - 1 : 1)) % all;
  view_.choose_link(link_);
}

std::string NavigableScreen::link_text() const {
  const std::vector<std::string> all = links();
  return fmt::format("link {} of {}: {}", *link_ + 1, all.size(), all[*link_]);
}

void NavigableScreen::follow_link() {
  const std::string link = links()[*link_];
  leave_links();
  const Target target = target_of(link);
  const size_t behind = history_.behind.size();
  if (target.stop)
    travel({target.stop->words, target.step});
  else if (!target.step.empty())
    go_to(target.step);
  else
    return say(fmt::format("{} is no place in this program.", link));
  if (!target.stop && history_.behind.size() > behind) say(back_text());
}

void NavigableScreen::leave_links() {
  link_.reset();
  view_.choose_link({});
}

bool NavigableScreen::leave_links_for(const Key&) {
  leave_links();
  return false;
}

// ---- travelling
std::string NavigableScreen::stop() const {
  const Lesson& lesson = *navigator_.recording().lesson;
  return is_program() || lesson.own_file ? "" : lesson.id;
}

void NavigableScreen::open(Visit to, std::vector<Visit> behind) {
  const bool is_lesson = to.words.size() == 2 && to.words[0] == "learn";
  const Lesson* const lesson = to.words == own_ ? &context_.own
                               : is_lesson      ? lesson_called(to.words[1])
                                                : nullptr;
  if (!lesson) return PathScreen::open(std::move(to), std::move(behind));
  if (std::string_view(lesson->id) == navigator_.recording().lesson->id && !navigator_.is_backward())
    return arrive_by({history_.here.words, to.at.empty() ? place() : to.at}, behind);
  const auto work = [this, &navigator = navigator_, lesson, to, behind]() -> BackgroundWork::Continuation {
    const auto opened = std::make_shared<WhatIf>(navigator.open(*lesson));
    return [this, opened, to, behind] {
      navigator_.change_to(std::move(*opened));
      view_.forget_recording();
      arrive_by(to, behind);
    };
  };
  compute(fmt::format("Computing the lesson {} ...", lesson->id), work);
}

void NavigableScreen::arrive_by(const Visit& to, const std::vector<Visit>& behind) {
  const bool can_return = behind.size() > history_.behind.size();
  history_.here = {to.words};
  history_.behind = behind;
  if (can_return) say(back_text());
  if (!to.at.empty()) {
    leads_to(to.at);
  } else {
    context_.resume();
    if (!navigator_.is_first()) say("Going on where you stopped; g 1 goes to the first step.");
  }
  arrive();
}

}  // namespace glassgrad::learn

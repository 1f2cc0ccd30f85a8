#include "apps/explorer/engine.h"

#include <fmt/format.h>

#include "apps/arguments.h"
#include "apps/explorer/flags_data.h"
#include "apps/explorer/graph_data.h"
#include "apps/explorer/questions_data.h"
#include "apps/learn/backward.h"
#include "apps/learn/lesson.h"
#include "apps/learn/predict/attempt.h"
#include "engine/error.h"

namespace glassgrad::explorer {

using learn::Recording;

std::string Engine::told(const std::function<Json()>& what) {
  try {
    return to_text(what());
  } catch (const std::exception& e) {
    return to_text({{"error", e.what()}});
  }
}

const Recording& Engine::forward() const {
  check<UsageError>(what_if_ != nullptr, "no lesson is open");
  return what_if_->recording();
}

void Engine::changed() {
  cells_.reset();
  backward_.reset();
}

Json Engine::data() const { return data_json({.forward = forward(), .settings = &*settings_}); }

const Recording* Engine::backward_side() {
  if (!backward_ && !forward().losses.empty()) backward_ = learn::backward_steps(forward());
  return backward_ ? &*backward_ : nullptr;
}

const Cells& Engine::cells() {
  if (!cells_) cells_ = std::make_unique<Cells>(Run{.forward = forward(), .backward = backward_side()});
  return *cells_;
}

std::string Engine::open(std::string_view lesson, std::string_view flags) {
  return told([&] {
    const learn::Lesson& found = learn::find_lesson(lesson);
    learn::Settings settings = settings_of(found, Json::parse(flags));
    if (found.check) found.check(settings);
    auto what_if = std::make_unique<learn::WhatIf>(learn::runner(found, settings),
                                                   flags_as_typed(found, settings), learn::Keep::Backward);
    changed();
    settings_ = std::move(settings);
    what_if_ = std::move(what_if);
    return data();
  });
}

std::string Engine::set(std::string_view change) {
  return told([&] {
    forward();
    what_if_->set(change);
    changed();
    return data();
  });
}

std::string Engine::take_back() {
  return told([&] {
    forward();
    check<UsageError>(what_if_->take_back(), "nothing was set");
    changed();
    return data();
  });
}

std::string Engine::backward() {
  return told([&] {
    learn::check_losses(forward());
    return backward_json(forward(), *backward_side());
  });
}

std::string Engine::graph() {
  return told([&] { return graph_json(forward()); });
}

std::string Engine::questions() {
  return told([&] { return questions_json(forward()); });
}

std::string Engine::cell(std::string_view address) {
  return told([&] { return cells().of(address); });
}

std::string Engine::tensor(std::string_view address) {
  return told([&] {
    const auto [recording, found] = cells().find_tensor(address);
    Numbers numbers;
    Json entry = entry_json(*recording, *found.entry, numbers, true);
    return Json{{"numbers", numbers.take()}, {"entry", std::move(entry)}};
  });
}

std::string Engine::judge(std::string_view question, std::string_view answer, int tries) {
  return told([&] {
    const learn::Asked asked = learn::find_asked(forward(), question);
    learn::Attempt attempt(forward(), asked, tries);
    const std::string text = attempt.reply(answer);
    return Json{{"right", attempt.is_right()}, {"over", attempt.is_over()}, {"text", text}};
  });
}

}  // namespace glassgrad::explorer

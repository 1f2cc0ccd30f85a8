#include "apps/page/answers.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/backward.h"
#include "apps/ask/predict/attempt.h"
#include "apps/cli/arguments.h"
#include "apps/lesson/lesson.h"
#include "apps/page/flags_data.h"
#include "apps/page/json_or_error.h"
#include "apps/page/picture_data.h"
#include "apps/page/questions_data.h"
#include "engine/core/error.h"

namespace glassgrad::explorer {

using learn::Recording;

namespace {

// Returns whether the step of "STEP:TENSOR…" belongs to the forward side.
bool is_forward(const Recording& forward, std::string_view address) {
  const size_t sign = address.starts_with('#');
  const std::string_view id = address.substr(sign, address.find(':') - sign);
  return id == forward.given.id || std::any_of(forward.steps.begin(), forward.steps.end(),
                                               [&](const learn::Step& s) { return s.id == id; });
}

}  // namespace

struct Engine::RunWithBackward {
  explicit RunWithBackward(learn::WhatIf run) : what_if(std::move(run)) {
    if (!forward().passes.empty()) backward = learn::backward_steps(forward());
    cells.emplace(Run{.forward = forward(), .backward = backward ? &*backward : nullptr});
  }
  const Recording& forward() const { return what_if.recording(); }

  learn::WhatIf what_if;
  std::optional<Recording> backward;
  std::optional<CellJson> cells;
};

Engine::Engine() = default;
Engine::~Engine() = default;

void Engine::check_open() const { check<UsageError>(what_if_ != nullptr, "no lesson is open"); }

const Recording& Engine::forward() const {
  check_open();
  return what_if_->recording();
}

Json Engine::data() const {
  return data_json({.forward = forward(),
                    .settings = &*settings_,
                    .text_cache = text_cache_.get(),
                    .most_cells = most_cells_});
}

Engine::RunWithBackward& Engine::run_with_backward() {
  check_open();
  if (run_with_backward_) return *run_with_backward_;
  learn::WhatIf again(learn::runner(*lesson_, *settings_), "", learn::Keep::Backward);
  if (what_if_->is_changed()) again.adopt(what_if_->changes(), again.run(what_if_->changes()));
  run_with_backward_ = std::make_unique<RunWithBackward>(std::move(again));
  return *run_with_backward_;
}

const CellJson& Engine::cells(std::string_view address) {
  if (run_with_backward_ || !is_forward(forward(), address)) return *run_with_backward().cells;
  if (!cells_) cells_.emplace(Run{.forward = forward()});
  return *cells_;
}

void Engine::forget() {
  cells_.reset();
  run_with_backward_.reset();
}

std::string Engine::open(std::string_view lesson, std::string_view flags, int64_t most_cells) {
  return json_or_error([&] {
    const learn::Lesson& found = learn::find_lesson(lesson);
    learn::Settings settings = settings_of(found, Json::parse(flags));
    auto what_if = std::make_unique<learn::WhatIf>(learn::runner(found, settings),
                                                   flags_as_typed(found, settings), learn::Keep::Calls);
    forget();
    lesson_ = &found;
    settings_ = std::move(settings);
    what_if_ = std::move(what_if);
    most_cells_ = most_cells;
    return data();
  });
}

std::string Engine::set(std::string_view change) {
  return json_or_error([&] {
    check_open();
    what_if_->set(change);
    forget();
    return data();
  });
}

std::string Engine::edit(int line, std::string_view text) {
  return json_or_error([&] {
    check_open();
    what_if_->edit(line, std::string(text));
    forget();
    return data();
  });
}

std::string Engine::take_back() {
  return json_or_error([&] {
    check_open();
    check<UsageError>(what_if_->take_back(), "nothing was set");
    forget();
    return data();
  });
}

std::string Engine::backward() {
  return json_or_error([&] {
    const RunWithBackward& run = run_with_backward();
    learn::check_losses(run.forward());
    return backward_json(run.forward(), *run.backward, most_cells_);
  });
}

std::string Engine::picture() {
  return json_or_error([&] { return picture_json(forward()); });
}

std::string Engine::questions() {
  return json_or_error([&] { return questions_json(forward()); });
}

std::string Engine::cell(std::string_view address) {
  return json_or_error([&] {
    const CellJson& side = cells(address);
    Json json = side.of(address);
    json["product"] = side.product_of(address);
    json["softmax"] = side.softmax_of(address);
    return json;
  });
}

std::string Engine::tensor(std::string_view address) {
  return json_or_error([&] {
    const auto [recording, found] = cells(address).find_tensor(address);
    TensorList numbers;
    Json entry = entry_json(*recording, *found.entry, numbers, true);
    return Json{{"numbers", numbers.take()}, {"entry", std::move(entry)}};
  });
}

std::string Engine::judge(std::string_view question, std::string_view answer, int tries) {
  return json_or_error([&] {
    const learn::Quantity asked = learn::find_quantity(forward(), question);
    learn::Attempt attempt(forward(), asked, tries);
    const std::string text = attempt.reply(answer);
    return Json{{"right", attempt.is_right()}, {"over", attempt.is_over()}, {"text", text}};
  });
}

}  // namespace glassgrad::explorer

// The backward passes of lessons: their steps, and their gradients against measured slopes.
#include <doctest/doctest.h>

#include <cmath>
#include <regex>

#include "apps/ask/backward.h"
#include "apps/ask/slope.h"
#include "apps/lesson/address.h"
#include "apps/lesson/selection.h"
#include "apps/prove/gradcheck.h"
#include "engine/core/default_float64.h"
#include "engine/glass/why.h"
#include "engine/literal.h"
#include "engine/ops.h"
#include "tests/thorough.h"

using namespace glassgrad;
using namespace glassgrad::learn;

namespace {

// Returns all lessons; with sanitizers a fifth of them, without the lessons that train for most of a minute.
std::vector<const Lesson*> lessons_to_run_often() {
  std::vector<const Lesson*> run;
  size_t looked_at = 0;
  for (const Lesson* lesson : lessons()) {
    const std::string_view id = lesson->id;
    if (kSanitized && (id == "training" || id == "gpt" || id == "gpt.scalars")) continue;
    if (looked_at++ % one_in(1) == 0) run.push_back(lesson);
  }
  return run;
}

// Returns the default settings, except for a small model where the lesson has one of GPT-2's size, and short
// trainings.
Settings small_settings(const Lesson& lesson) {
  std::vector<Settings::GivenFlag> given;
  if (std::string_view(lesson.id) == "gpt-attention")
    given = {{"--context", "16"}, {"--width", "24"}, {"--heads", "2"}};
  if (std::string_view(lesson.id) == "gpt") given = {{"--steps", "5"}};
  if (std::string_view(lesson.id) == "training") given = {{"--steps", "20"}};
  if (std::string_view(lesson.id) == "gpt.scalars") given = {{"--steps", "1"}, {"--width", "2"}};
  return Settings(lesson, given);
}

// Fewer cells with sanitizers, for which more cells would find nothing new, and for the slow loss of
// gpt.scalars.
int cells_to_move(const Lesson& lesson) {
  return kSanitized ? 8 : std::string_view(lesson.id) == "gpt.scalars" ? 10 : 100;
}

// Returns every value of the recording that has a gradient of a loss.
std::vector<Value> values_with_gradient(const Recording& recording) {
  std::vector<Value> values;
  for (const Entry& given : recording.given.entries)
    if (gradient_of(recording, *given.value)) values.push_back(*given.value);
  for (const Step& step : recording.steps)
    for (const Entry& entry : step.entries)
      if (entry.value && gradient_of(recording, *entry.value)) values.push_back(*entry.value);
  return values;
}

double number(const Snapshot& x, const Dims& cell) { return to_double(element(x.tensor(), cell)); }

}  // namespace

TEST_CASE("a gradient of any cell of a lesson is the slope of its loss") {
  constexpr double kStep = 1e-5, kRelative = 1e-7, kRounding = 1e-10;
  for (const Lesson* lesson : lessons_to_run_often()) {
    const Rerun rerun(runner(*lesson, small_settings(*lesson)));
    if (rerun.recording().passes.empty()) {
      CHECK(std::string_view(lesson->id) == "rnn.why");  // the only lesson without a loss
      continue;
    }
    const std::vector<Value> values = values_with_gradient(rerun.recording());
    INFO(lesson->id);
    REQUIRE(!values.empty());
    Generator g(11);
    int not_zero = 0;
    const int cells = cells_to_move(*lesson);
    for (int i = 0; i < cells; ++i) {
      const Value& x = values[g.r32() % values.size()];
      const Dims cell = index_of(x.shape(), int64_t(g.r32()) % x.shape().numel());
      const Gradient found = *gradient_of(rerun.recording(), x);
      const double expected = number(found.value, cell);
      // Where the loss curves sharply, a shorter step measures the slope better.
      double off = 0, allowed = -1, slope = 0;
      for (double step = kStep, rounding = kRounding; off > allowed && step > kStep / 50;
           step /= 10, rounding *= 10) {
        const auto moved = rerun.move(found.loss, x, cell, step);
        REQUIRE(moved);
        slope = moved->slope();
        off = std::abs(slope - expected);
        allowed = kRelative * std::abs(expected) + rounding * (1 + std::abs(moved->above));
      }
      INFO(lesson->id, ": ", rerun.recording().passes[found.loss].name, ", ", x.grad_fn, ", ", expected,
           " and ", slope);
      CHECK(off <= allowed);
      not_zero += expected != 0;
    }
    CHECK(not_zero > cells / 4);
  }
}

TEST_CASE("a cell is given its gradient and the slope beside it") {
  const Lesson& journey = find_lesson("journey");
  const Settings settings(journey, {});
  const Recording forward = record(journey, settings, Keep::Backward);
  const auto at = [&](const char* text) {
    return slope_of(runner(journey, settings), forward, find_cell(forward, text));
  };

  const CellSlope weight = at("causal-weights:attn_weights[0,2,1]");
  CHECK(weight.loss == "sum(context_vecs)");
  CHECK(*weight.gradient == doctest::Approx(*weight.precise).epsilon(1e-5));
  CHECK(weight.moved->slope() == doctest::Approx(*weight.precise).epsilon(1e-8));

  const CellSlope input = at("inputs:inputs[1,2]");  // has no gradient, but can be moved
  CHECK_FALSE(input.gradient);
  CHECK(std::abs(input.moved->slope()) > 1e-3);
  const CellSlope unused = at("scores:attn_scores[0,0]");
  CHECK_FALSE(unused.gradient);
}

TEST_CASE("backward steps are the nodes in the order in which they ran") {
  const Lesson& journey = find_lesson("journey");
  const Recording forward = record(journey, Settings(journey, {}), Keep::Backward);
  const Recording backward = backward_steps(forward);
  std::vector<std::string> ran, told;
  for (const BackwardPass& pass : forward.passes)
    for (size_t i = pass.first.backward; i < pass.last.backward; ++i)
      ran.push_back(forward.trace->backwards()[i].name);
  for (const Step& step : backward.steps)
    if (const size_t colon = step.title.find(": from "); colon != std::string::npos)
      told.push_back(step.title.substr(0, colon));
  CHECK(told == ran);
  CHECK(backward.steps.size() == ran.size() + 2 * forward.passes.size());

  const Step& weights = find_steps(forward, "causal-weights").front();
  const Step* there = counterpart_step(weights, backward);
  REQUIRE(there);
  CHECK(there->title == "SoftmaxBackward0: from attn_weights to scaled_scores");
  CHECK(counterpart_step(*there, forward) == &weights);
  CHECK_FALSE(counterpart_step(find_steps(forward, "scores").front(), backward));
}

TEST_CASE("what a gradient is said to mean is what happens to the loss") {
  const Lesson& climb = find_lesson("climb");
  const Rerun rerun(runner(climb, small_settings(climb)));
  const Recording& forward = rerun.recording();
  const std::regex meaning(
      R"(Raising `?(\S+?)\[([\d,]+)\]`? by a little (raises|lowers) the loss by (\S+) times)");
  int said = 0;
  for (const Entry& given : forward.given.entries)
    for (const Step& step : backward_steps(forward).steps)
      for (const std::string& sentence : step.sentences) {
        std::smatch found;
        if (!step.title.starts_with("What has arrived") || !std::regex_search(sentence, found, meaning) ||
            found[1] != given.name)
          continue;
        const Dims cell = find_cell(forward, "given:" + given.name + "[" + found[2].str() + "]").cell;
        const auto moved = rerun.move(forward.passes.size() - 1, *given.value, cell, 1e-5);
        REQUIRE(moved);
        INFO(sentence, moved->slope());
        CHECK((moved->slope() > 0) == (found[3] == "raises"));
        CHECK(std::abs(moved->slope()) == doctest::Approx(std::stod(found[4])).epsilon(1e-2));
        ++said;
      }
  CHECK(said >= 3);
}

TEST_CASE("a recording with backward passes shows what one without them shows") {
  for (const Lesson* lesson : lessons_to_run_often()) {
    const Settings settings = small_settings(*lesson);
    const Recording plain = record(*lesson, settings), with = record(*lesson, settings, Keep::Backward);
    REQUIRE(plain.steps.size() == with.steps.size());
    for (size_t s = 0; s < plain.steps.size(); ++s) {
      CHECK(plain.steps[s].sentences == with.steps[s].sentences);
      for (size_t e = 0; e < plain.steps[s].entries.size(); ++e)
        CHECK(plain.steps[s].entries[e].print_text() == with.steps[s].entries[e].print_text());
    }
  }
}

TEST_CASE("in double precision a program computes at its float32 point") {
  const auto drawn = [] {
    manual_seed(5);
    const Tensor x = uniform_(empty({20}), -2, 3), z = randn({20}), mask = bernoulli(full({20}, Tensor(0.3)));
    return cat(
        {x, z, mask, rand({3}), tensor({0.5, 1}), ones({2}), arange(0.0, 2.0), to(arange(2), boolean) * 0.5});
  };
  const Tensor single = drawn();
  const DefaultFloat64 precise;
  const Tensor wide = drawn();
  CHECK(wide.dtype() == float64);
  CHECK(equal(to(single, float64), wide));
}

TEST_CASE("gradcheck finds a gradient that is off and one that is NaN") {
  using namespace gradcheck;
  const auto with = [](double gradient) {
    return check_cells("w", {2, 2}, {}, 1, [&](const Dims& cell) {
      return Pair{cell[0] == 1 && cell[1] == 0 ? gradient : 0.25, 0.25};
    });
  };
  CHECK(with(0.25).ok);
  for (const double off : {0.2501, -0.25, double(NAN)}) {
    const ParameterCheck found = with(off);
    CHECK_FALSE(found.ok);
    CHECK(found.worst == Dims{1, 0});
    CHECK(found.cells == 4);
  }
  for (const ModuleClass& model : classes())
    for (const ParameterCheck& found : check_class(model, {.cells = 6})) {
      INFO(model.name, " ", found.name, " ", found.pair.gradient, " ", found.pair.difference);
      CHECK(found.ok);
    }
}

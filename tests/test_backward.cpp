// The backward passes of lessons: what they show, and that gradients are slopes.
#include <doctest/doctest.h>

#include <map>

#include "apps/learn/backward.h"
#include "apps/learn/difference.h"
#include "engine/ops.h"

using namespace glassgrad;
using namespace glassgrad::learn;

namespace {

// The defaults, but a small model for the step of GPT-2's size.
Settings small_settings(const Lesson& lesson) {
  std::vector<Settings::Given> given;
  if (std::string_view(lesson.id) == "gpt-attention")
    given = {{"--context", "16"}, {"--width", "24"}, {"--heads", "2"}};
  return Settings(lesson, given);
}

// Every value of the recording that a loss has a gradient for.
std::vector<Value> values_with_gradient(const Recording& recording) {
  std::vector<Value> values;
  for (const auto& [name, snapshot] : recording.given)
    if (const Value value{snapshot, {}}; gradient_of(recording, value)) values.push_back(value);
  for (const Step& step : recording.steps)
    for (const Entry& entry : step.entries)
      if (entry.value && gradient_of(recording, *entry.value)) values.push_back(*entry.value);
  return values;
}

double number(const Snapshot& x, const Dims& cell) { return to_double(element(x.tensor(), cell)); }

}  // namespace

TEST_CASE("a gradient of any cell of a lesson is the slope of its loss") {
  // Lessons that draw much before they come to a loss take a twentieth of a second a run.
  const std::map<std::string_view, int> cells{
      {"journey", 200}, {"gpt-attention", 200}, {"single-and-multi", 60}};
  constexpr double kStep = 1e-5, kRelative = 1e-7, kRounding = 1e-10;
  for (const Lesson* lesson : lessons()) {
    const Rerun rerun(*lesson, small_settings(*lesson));
    const std::vector<Value> values = values_with_gradient(rerun.recording());
    REQUIRE(!values.empty());
    const int n = cells.contains(lesson->id) ? cells.at(lesson->id) : 10;
    Generator g(11);
    int not_zero = 0;
    for (int i = 0; i < n; ++i) {
      const Value& x = values[g.r32() % values.size()];
      const Dims cell = index_of(x.shape, int64_t(g.r32()) % x.shape.numel());
      const auto [loss, gradient] = *gradient_of(rerun.recording(), x);
      const auto moved = rerun.move(loss, x, cell, kStep);
      REQUIRE(moved);
      const double expected = number(gradient, cell), off = std::abs(moved->slope() - expected);
      INFO(lesson->id, ": ", rerun.recording().losses[loss].name, ", ", x.grad_fn, ", ", expected, " and ",
           moved->slope());
      CHECK(off <= kRelative * std::abs(expected) + kRounding * (1 + std::abs(moved->above)));
      not_zero += expected != 0;
    }
    CHECK(not_zero > n / 4);
  }
}

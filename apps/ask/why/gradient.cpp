#include "apps/ask/why/gradient.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "apps/ask/backward.h"
#include "apps/ask/cell_names.h"
#include "apps/ask/slope.h"
#include "apps/cli/arguments.h"
#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "engine/core/error.h"

namespace glassgrad::why {
namespace {

using learn::Address, learn::Recording;

// Returns where the number was computed, because a leaf's .grad may be a copy.
learn::SnapshotElement computed(const Recorder& trace, learn::SnapshotElement place) {
  for (;;) {
    const auto writer = trace.writer(place.x, place.index);
    if (!writer || trace.calls()[writer->call].op->name != std::string_view("clone")) return place;
    place = {trace.calls()[writer->call].in[0], trace.open(*writer).expression->index};
  }
}

// The gradient's cell in a backward step, and how many levels below it the arithmetic is: a leaf's .grad is a
// copy if several parts were summed before.
struct GradientCell {
  Address address;
  int64_t above = 0;
};
GradientCell gradient_cell(const GradientQuery& asked) {
  const auto gradient = learn::gradient_of(asked.forward, *asked.address.entry->value);
  check<UsageError>(gradient.has_value(), "{} has no gradient: no loss depends on it through the graph",
                    learn::to_text(asked.address));
  const learn::CellNames names(asked.backward);
  const learn::SnapshotElement place{gradient->value, asked.address.cell};
  learn::CellName name = names.name(computed(*asked.forward.trace, place), nullptr);
  const bool is_copy = !name.entry;
  if (is_copy) name = names.name(place, nullptr);
  check(name.entry != nullptr, "no backward step shows the gradient of {}", learn::to_text(asked.address));
  return {{name.step, name.entry, name.cell}, is_copy};
}

std::vector<std::string> about(const learn::CellSlope& slope) {
  if (!slope.moved) return {"This number cannot be moved by itself, so there is no central difference."};
  const learn::CentralDifference& m = *slope.moved;
  return {"Central difference, in float64:",
          fmt::format("  {} with the number + {:g}   {:.12g}", slope.loss, m.step, m.above),
          fmt::format("  {} with the number - {:g}   {:.12g}", slope.loss, m.step, m.below),
          fmt::format("  their difference / {:g} = {:.6g}", 2 * m.step, m.slope())};
}

}  // namespace

Explanation explain_gradient(const GradientQuery& asked, const ExplainOptions& how) {
  const auto [cell, above] = gradient_cell(asked);
  const learn::CellSlope slope = learn::slope_of(asked.runner, asked.forward, asked.address);
  const std::string number = learn::to_text(asked.address);
  Explanation all = explain(asked.backward, cell, {.writing = how.writing, .depth = how.depth + above});
  std::vector<Text> heading;
  for (std::string& line :
       filled(fmt::format("The gradient of {} by {}", slope.loss, number), 0, how.writing.columns))
    heading.push_back({{std::move(line)}});
  all.lines.insert(all.lines.begin(), heading.begin(), heading.end());
  all.lines.emplace_back();
  for (std::string& line : about(slope)) all.lines.push_back({{std::move(line)}});
  return all;
}

nlohmann::ordered_json gradient_json(const GradientQuery& asked, int64_t depth) {
  const auto [cell, above] = gradient_cell(asked);
  nlohmann::ordered_json json = cell_json(asked.backward, cell, depth + above);
  const learn::CellSlope slope = learn::slope_of(asked.runner, asked.forward, asked.address);
  json["gradient_of"] = learn::to_text(asked.address);
  json["loss"] = slope.loss;
  json["difference"] = nullptr;
  if (slope.moved) json["difference"] = json_number(slope.moved->slope());
  return json;
}

}  // namespace glassgrad::why

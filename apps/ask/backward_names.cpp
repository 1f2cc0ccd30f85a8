#include "apps/ask/backward_names.h"

#include <fmt/core.h>

#include "apps/ask/backward_code.h"
#include "engine/print.h"

namespace glassgrad::learn {

BackwardNames::BackwardNames(const Recording& forward, const BackwardPass& pass, int first_number)
    : forward_(forward), pass_(pass) {
  const Recorder& trace = *forward.trace;
  for (size_t i = pass.first.backward; i < pass.last.backward; ++i)
    numbers_[trace.backwards()[i].node] = first_number++;
  for (const RecordedCall& c : trace.calls())
    if (numbers_.contains(c.node)) calls_.emplace(c.node, &c);
  std::map<std::string, int> turns;
  for (size_t s = 0; s < forward.steps.size(); ++s)
    for (size_t e = 0; e < forward.steps[s].entries.size(); ++e) {
      const Entry& entry = forward.steps[s].entries[e];
      if (!entry.value || !numbers_.contains(entry.value->made_by)) continue;
      const Result result{entry.value->made_by, entry.value->nr};
      if (!shown_.contains(result)) shown_[result] = {s, e, ++turns[entry.name]};
    }
}

const BackwardNames::Shown* BackwardNames::shown(const Result& result) const {
  const auto found = shown_.find(result);
  return found == shown_.end() ? nullptr : &found->second;
}

int BackwardNames::number(uint64_t node) const {
  const auto found = numbers_.find(node);
  return found == numbers_.end() ? 0 : found->second;
}

const RecordedCall* BackwardNames::call(uint64_t node) const {
  const auto found = calls_.find(node);
  return found == calls_.end() ? nullptr : found->second;
}

std::string BackwardNames::of(const Result& result) const {
  if (const Shown* at = shown(result)) {
    const std::string& name = forward_.steps[at->step].entries[at->entry].name;
    return at->turn > 1 ? fmt::format("{}#{}", name, at->turn) : name;
  }
  const RecordedCall* made_by = call(result.first);
  std::string_view op = made_by ? made_by->op->name : "written";
  while (op.starts_with('_')) op.remove_prefix(1);
  const std::string part = result.second > 0 ? fmt::format(".{}", result.second) : "";
  return fmt::format("{}{}@{}", op, part, number(result.first));
}

const Entry* BackwardNames::shown_leaf(const Snapshot& leaf) const {
  for (const Step& step : forward_.steps)
    for (const Entry& entry : step.entries)
      if (entry.value && entry.value->made_by == 0 && same_elements(*entry.value, leaf)) return &entry;
  return nullptr;
}

std::string BackwardNames::of_leaf(const Snapshot& leaf) const {
  for (const Entry& entry : forward_.given.entries)
    if (same_elements(*entry.value, leaf)) return entry.name;
  if (const Entry* entry = shown_leaf(leaf)) return entry->name;
  for (const Entry& entry : forward_.leaves)
    if (same_elements(*entry.value, leaf)) return entry.name;
  const auto& gradients = forward_.trace->gradients();
  for (size_t i = pass_.first.gradient; i < pass_.last.gradient; ++i)
    if (same_elements(gradients[i].leaf, leaf)) return fmt::format("leaf#{}", i - pass_.first.gradient + 1);
  return {};
}

std::string BackwardNames::made_by(const RecordedCall& call, int levels) const {
  std::vector<std::string> inputs;
  for (const Snapshot& x : call.in) inputs.push_back(of(x, levels));
  return call_text(call, std::move(inputs));
}

std::string BackwardNames::of(const Snapshot& x, int levels) const {
  if (!x) return {};
  if (x.is_number()) return python_float(x.tensor().item());
  std::optional<Result> unnamed;
  for (const auto& [node, c] : calls_)
    for (size_t k = 0; k < c->out.size(); ++k) {
      const Result result{node, uint32_t(k)};
      if (!same_elements(c->out[k], x)) continue;
      if (shown(result)) return of(result);
      unnamed = result;
    }
  if (unnamed) return of(*unnamed);
  if (const std::string name = of_leaf(x); !name.empty()) return name;
  // Limit the depth, because each step of a training adds a call to the chain that made a weight.
  if (levels == 0) return "x";
  for (const RecordedCall& c : forward_.trace->calls())
    if (!c.out.empty() && !c.in.empty() && same_elements(c.out[0], x) && !same_elements(c.in[0], x))
      return made_by(c, levels - 1);
  return "x";
}

}  // namespace glassgrad::learn

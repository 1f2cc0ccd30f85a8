#include "apps/learn/backward_names.h"

#include <fmt/format.h>

namespace glassgrad::learn {

bool same_elements(const Snapshot& a, const Snapshot& b) {
  return a.buffer && a.buffer == b.buffer && a.offset == b.offset && a.shape == b.shape &&
         a.strides == b.strides;
}

BackwardNames::BackwardNames(const Recording& forward, const Loss& loss, int first_number)
    : forward_(forward) {
  const Recorder& trace = *forward.trace;
  for (size_t i = loss.first_backward; i < loss.last_backward; ++i)
    numbers_[trace.backwards()[i].node] = first_number++;
  for (const RecordedCall& c : trace.calls())
    if (numbers_.contains(c.node)) calls_.emplace(c.node, &c);
  for (size_t s = 0; s < forward.steps.size(); ++s)
    for (size_t e = 0; e < forward.steps[s].entries.size(); ++e) {
      const auto& [name, value] =
          std::tie(forward.steps[s].entries[e].name, forward.steps[s].entries[e].value);
      if (value && numbers_.contains(value->node) &&
          shown_.try_emplace({value->node, value->nr}, Shown{s, e}).second)
        ++uses_[name];
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
    const Step& step = forward_.steps[at->step];
    const std::string& name = step.entries[at->entry].name;
    return uses_.at(name) > 1 ? fmt::format("{}@{}", name, step.id) : name;
  }
  const RecordedCall* made_by = call(result.first);
  const std::string part = result.second > 0 ? fmt::format(".{}", result.second) : "";
  return fmt::format("{}{}@{}", made_by ? made_by->op->name : "written", part, number(result.first));
}

const Entry* BackwardNames::shown_leaf(const Snapshot& leaf) const {
  for (const Step& step : forward_.steps)
    for (const Entry& entry : step.entries)
      if (entry.value && entry.value->node == 0 && same_elements(*entry.value, leaf)) return &entry;
  return nullptr;
}

std::string BackwardNames::of_leaf(const Snapshot& leaf) const {
  for (const auto& [name, value] : forward_.parameters)
    if (same_elements(value, leaf)) return name;
  const Entry* entry = shown_leaf(leaf);
  return entry ? entry->name : "leaf";
}

std::string BackwardNames::of(const Snapshot& x) const {
  if (x.is_number) return fmt::format("{}", x.tensor().item());
  for (const auto& [node, c] : calls_)
    for (size_t k = 0; k < c->out.size(); ++k)
      if (same_elements(c->out[k], x)) return of(Result{node, uint32_t(k)});
  if (const std::string name = of_leaf(x); name != "leaf") return name;
  return "x";
}

}  // namespace glassgrad::learn

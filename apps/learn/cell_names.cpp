#include "apps/learn/cell_names.h"

#include <fmt/format.h>

#include "apps/learn/axes.h"
#include "apps/learn/table.h"

namespace glassgrad::learn {
namespace {

// Which element of `x` lies where the place does; none if none does.
std::optional<Dims> index_in(const Snapshot& x, const Place& place) {
  if (x.buffer != place.x.buffer || x.dtype != place.x.dtype) return {};
  return index_of_place(x.shape, x.strides, place.x.place(place.index) - x.offset);
}

// Is `a` a better place to look than `b`, seen from the step `here`?
bool is_nearer(const Step* a, const Step* b, const Step* here) {
  if (!here) return false;
  const bool a_before = a->number <= here->number, b_before = b->number <= here->number;
  if (a_before != b_before) return a_before;
  return a_before ? a->number > b->number : a->number < b->number;
}

}  // namespace

Place place_of(const Address& address) { return {*address.entry->value, address.cell}; }

CellNames::CellNames(const Recording& recording) : recording_(recording) {
  for (const Step& step : recording.steps)
    for (const Entry& entry : step.entries)
      if (entry.value) shown_[entry.value->buffer.get()].push_back({&step, &entry});
}

std::optional<CellName> CellNames::shown(const Place& place, const Step* here) const {
  std::optional<CellName> best;
  const auto found = shown_.find(place.x.buffer.get());
  if (found == shown_.end()) return {};
  for (const auto& [step, entry] : found->second) {
    if (best && !is_nearer(step, best->step, here)) continue;
    if (const auto cell = index_in(*entry->value, place)) best = CellName{step, entry, entry->name, *cell};
  }
  return best;
}

std::optional<CellName> CellNames::given(const Place& place) const {
  for (const auto& [name, x] : recording_.given)
    if (const auto cell = index_in(x, place)) return CellName{nullptr, nullptr, name, *cell};
  return {};
}

std::optional<Place> CellNames::copied_from(const Place& place) const {
  const auto writer = recording_.trace->writer(place.x, place.index);
  if (!writer) return {};
  const RecordedCall& call = recording_.trace->calls()[writer->call];
  const Expr tree = recording_.trace->open(*writer).expression;
  if (tree->op != "cell") return {};
  return Place{call.in[size_t(tree->input)], tree->index};
}

Place CellNames::source(const Place& place) const {
  Place at = place;
  while (!shown(at, nullptr) && !given(at)) {
    auto from = copied_from(at);
    if (!from) break;
    at = std::move(*from);
  }
  return at;
}

CellName CellNames::name(const Place& place, const Step* here) const {
  const Place at = source(place);
  if (auto name = shown(at, here)) return *name;
  if (auto name = given(at)) return *name;
  const auto writer = recording_.trace->writer(at.x, at.index);
  if (writer)
    return {nullptr,       nullptr, recording_.trace->calls()[writer->call].op->name,
            writer->index, false,   writer->call};
  return {nullptr, nullptr, "number", at.index, at.x.shape.n == 0};
}

std::string meaning(const Recording& recording, const Entry& entry, const Dims& cell) {
  std::string text;
  for (int d = 0; d < cell.n; ++d) {
    const std::string word = entry.axes.empty() ? "" : entry.axes[size_t(d)];
    const Axis axis{word, labels(recording, entry, d), named_by_tokens(recording, entry, d)};
    const bool looks = d > 0 && word == "key" && entry.axes[size_t(d) - 1] == "query";
    text += fmt::format("{}{}", d == 0 ? "" : looks ? " looks at " : ", ", index_name(axis, cell[d]));
  }
  return text;
}

}  // namespace glassgrad::learn

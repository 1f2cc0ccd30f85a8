#include "apps/ask/cell_names.h"

#include <fmt/core.h>

#include <array>

#include "apps/lesson/axes.h"
#include "apps/show/tensor_table.h"

namespace glassgrad::learn {
namespace {

// Returns whether each row is contiguous. The rows of a transposed matrix are not.
bool has_rows(const Snapshot& x) {
  return x.shape().n == 0 || x.shape()[x.shape().n - 1] <= 1 || x.strides()[x.shape().n - 1] == 1;
}

// Ranks an entry as a place to look for a number, seen from the step `here`; the greatest rank is the best.
std::array<int, 4> rank(const Step& step, const Entry& entry, const Step* here) {
  if (!here) return {};
  const int far = here->number - step.number;  // < 0: a later step
  constexpr int kLater = 100'000;
  return {has_rows(*entry.value), far == 0, is_whole(*entry.value), far >= 0 ? -far : far - kLater};
}

}  // namespace

bool is_whole(const Snapshot& x) {
  return x.shape().numel() * item_size(x.dtype()) == static_cast<int64_t>(x.buffer->bytes());
}

SnapshotElement element_of(const Address& address) { return {*address.entry->value, address.cell}; }

CellNames::CellNames(const Recording& recording) : recording_(recording) {
  for (const Step& step : recording.steps)
    for (const Entry& entry : step.entries)
      if (entry.value) shown_[entry.value->buffer.get()].push_back({&step, &entry});
}

std::optional<CellName> CellNames::shown(const SnapshotElement& place, const Step* here) const {
  std::optional<CellName> best;
  std::array<int, 4> best_rank{};
  const auto found = shown_.find(place.x.buffer.get());
  if (found == shown_.end()) return {};
  for (const auto& [step, entry] : found->second) {
    const auto r = rank(*step, *entry, here);
    if (best && r <= best_rank) continue;
    if (const auto cell = index_in(*entry->value, place))
      best = CellName{.step = step, .entry = entry, .tensor = entry->name, .cell = *cell}, best_rank = r;
  }
  return best;
}

std::optional<CellName> CellNames::given(const SnapshotElement& place) const {
  for (const Entry& entry : recording_.given.entries)
    if (const auto cell = index_in(*entry.value, place))
      return CellName{.tensor = entry.name, .cell = *cell, .is_given = true};
  return {};
}

std::optional<SnapshotElement> CellNames::copied_from(const SnapshotElement& place) const {
  const auto writer = recording_.trace->writer(place.x, place.index);
  if (!writer) return {};
  const RecordedCall& call = recording_.trace->calls()[writer->call];
  const Expr tree = recording_.trace->open(*writer).expression;
  if (tree->op != "cell") return {};
  return SnapshotElement{call.in[size_t(tree->input)], tree->index};
}

SnapshotElement CellNames::source(const SnapshotElement& place) const {
  SnapshotElement at = place;
  while (!shown(at, nullptr) && !given(at)) {
    auto from = copied_from(at);
    if (!from) break;
    at = std::move(*from);
  }
  return at;
}

std::vector<CellName> CellNames::names_in(const Step& step, const SnapshotElement& cell) const {
  std::vector<CellName> all;
  const SnapshotElement at = source(cell);
  const auto found = shown_.find(at.x.buffer.get());
  if (found == shown_.end()) return all;
  for (const auto& [shown_by, entry] : found->second)
    if (shown_by == &step)
      if (const auto index = index_in(*entry->value, at))
        all.push_back({.step = shown_by, .entry = entry, .tensor = entry->name, .cell = *index});
  return all;
}

CellName CellNames::name(const SnapshotElement& place, const Step* here) const {
  const SnapshotElement at = source(place);
  if (auto name = shown(at, here)) return *name;
  if (auto name = given(at)) return *name;
  const auto writer = recording_.trace->writer(at.x, at.index);
  if (writer)
    return {.tensor = recording_.trace->calls()[writer->call].op->name,
            .cell = writer->index,
            .call = writer->call};
  return {.tensor = "number", .cell = at.index, .is_value = at.x.shape().n == 0};
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

#include "apps/ask/origin.h"

#include <algorithm>

#include "apps/ask/cell_names.h"
#include "engine/glass/snapshot.h"

namespace glassgrad::learn {
namespace {

bool is_of_a_loss(const Recording& recording, size_t call) {
  return !recording.own_passes &&
         std::any_of(recording.passes.begin(), recording.passes.end(), [&](const BackwardPass& pass) {
           return call >= pass.first.call && call < pass.last.call;
         });
}

std::optional<Origin> at_call(const Recording& recording, const CellOfCall& cell) {
  return is_of_a_loss(recording, cell.call) ? std::nullopt : std::optional(Origin{.call = cell, .given = {}});
}

}  // namespace

std::optional<Origin> origin(const Recording& recording, const SnapshotElement& cell) {
  if (const auto call = recording.trace->writer_before_hand(cell.x, cell.index))
    return at_call(recording, *call);
  for (const Entry& entry : recording.given.entries)
    if (const auto at = index_in(*entry.value, cell))
      return Origin{.call = {}, .given = entry.name, .cell = *at};
  return {};
}

std::optional<Origin> origin_of_tensor(const Recording& recording, const Value& x, const Dims& cell) {
  if (x.made_by == 0) return origin(recording, {x, cell});
  const auto& calls = recording.trace->calls();
  for (size_t c = 0; c < calls.size(); ++c)
    if (calls[c].node == x.made_by && x.nr < calls[c].out.size() && same_elements(calls[c].out[x.nr], x))
      return at_call(recording, {c, x.nr, cell});
  return {};
}

void poke(Patch& patch, const Recording& recording, const Origin& origin, const Scalar& value, PokeKind how) {
  const bool alone = how == PokeKind::AddedAlone;
  if (!origin.call) {
    patch.given.push_back({.name = origin.given, .index = origin.cell, .value = value, .adds = alone});
    return;
  }
  const auto& calls = recording.trace->calls();
  Poke poke{.in_backward = calls[origin.call->call].in_backward,
            .out = origin.call->out,
            .index = origin.call->index,
            .value = value,
            .adds = alone,
            .apart = alone};
  poke.call = poke.in_backward ? recording.before.backward : recording.before.forward;
  for (size_t c = 0; c < origin.call->call; ++c)
    poke.call += calls[c].in_backward == poke.in_backward && !is_of_a_loss(recording, c);
  patch.pokes.push_back(poke);
}

}  // namespace glassgrad::learn

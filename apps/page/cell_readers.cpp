#include "apps/page/cell_readers.h"

#include "apps/ask/predict/provenance.h"
#include "apps/page/tensor_data.h"
#include "engine/glass/snapshot.h"

namespace glassgrad::explorer {
namespace {

using learn::SnapshotElement;

int64_t number_of(const Dims& shape, const Dims& index) {
  int64_t number = 0;
  for (int d = 0; d < shape.n; ++d) number = number * shape[d] + index[d];
  return number;
}

// Returns which element of an input is at the place. In an expanded tensor several elements share one place.
std::optional<Dims> index_of_read(const Snapshot& input, const SnapshotElement& place) {
  if (!input) return {};
  return same_elements(input, place.x) ? place.index : learn::index_in(input, place);
}

}  // namespace

bool reads_too_many(const RecordedCall& call) {
  int64_t read = 0, given = 1;
  for (const Snapshot& x : call.in) read += x ? x.shape().numel() : 0;
  for (const Snapshot& x : call.out) given += x ? x.shape().numel() : 0;
  return read / given > kMostCells;
}

CellReaders::CellReaders(const Recorder& trace, bool in_backward) : trace_(trace) {
  for (size_t c = 0; c < trace.calls().size(); ++c) {
    const RecordedCall& call = trace.calls()[c];
    if (call.in_backward != in_backward || call.is_view || reads_too_many(call)) continue;
    for (const Snapshot& x : call.in) {
      if (!x) continue;
      std::vector<size_t>& readers = readers_[x.buffer.get()];
      if (readers.empty() || readers.back() != c) readers.push_back(c);
    }
  }
}

const CellReaders::Reads& CellReaders::reads(size_t c) const {
  const auto [known, is_new] = reads_.try_emplace(c);
  if (!is_new) return known->second;
  const RecordedCall& call = trace_.calls()[c];
  for (size_t out = 0; out < call.out.size(); ++out) {
    if (!call.out[out] || call.out[out].shape().numel() > kMostCells) continue;
    for (int64_t i = 0; i < call.out[out].shape().numel(); ++i) {
      const Expr tree = trace_.open({c, out, index_of(call.out[out].shape(), i)}).expression;
      for (const ExprNode* node : learn::cells_of(tree, size_t(kMostCells))) {
        const auto input = size_t(node->input);
        auto& cells = known->second[{input, number_of(call.in[input].shape(), node->index)}];
        if (cells.empty() || cells.back() != std::pair(out, i)) cells.emplace_back(out, i);
      }
    }
  }
  return known->second;
}

std::vector<SnapshotElement> CellReaders::of(const SnapshotElement& place) const {
  std::vector<SnapshotElement> cells;
  const auto readers = readers_.find(place.x.buffer.get());
  if (readers == readers_.end()) return cells;
  for (const size_t c : readers->second) {
    const RecordedCall& call = trace_.calls()[c];
    for (size_t k = 0; k < call.in.size(); ++k) {
      const auto index = index_of_read(call.in[k], place);
      if (!index) continue;
      const auto found = reads(c).find({k, number_of(call.in[k].shape(), *index)});
      if (found == reads(c).end()) continue;
      for (const auto& [out, i] : found->second)
        cells.push_back({call.out[out], index_of(call.out[out].shape(), i)});
    }
  }
  return cells;
}

}  // namespace glassgrad::explorer

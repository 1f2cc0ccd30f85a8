// The readers of a number: the cells of results that were computed from it.
#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "apps/ask/cell_names.h"

namespace glassgrad::explorer {

// Returns whether the call reads so many numbers per result, such as a sum of them all, that nobody could
// follow.
bool reads_too_many(const RecordedCall& call);

class CellReaders {
 public:
  // Covers the calls of the forward pass, or those of the backward passes. The trace must outlive this
  // object.
  CellReaders(const Recorder& trace, bool in_backward);

  // Returns the cells computed from a cell in one call, looking through views. Leaves out results with more
  // than kMostCells cells, and calls that read too many.
  std::vector<learn::SnapshotElement> of(const learn::SnapshotElement& cell) const;

 private:
  // For each element of each input, the result elements computed from it: (out, element) in logical order.
  using Reads = std::map<std::pair<size_t, int64_t>, std::vector<std::pair<size_t, int64_t>>>;
  const Reads& reads(size_t call) const;

  const Recorder& trace_;
  std::unordered_map<const Buffer*, std::vector<size_t>> readers_;  // indices of calls
  mutable std::unordered_map<size_t, Reads> reads_;                 // by call, filled at the first request
};

}  // namespace glassgrad::explorer

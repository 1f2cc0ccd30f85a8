// Who reads a number: which cells of which results were computed from it.
#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "apps/ask/cell_names.h"

namespace glassgrad::explorer {

// Reads the call so many numbers for each that it gives, a sum of them all perhaps, that nobody could follow?
bool reads_too_many(const RecordedCall& call);

class Uses {
 public:
  // Of the calls of the forward pass, or of those of the backward passes; the trace outlives it.
  Uses(const Recorder& trace, bool in_backward);

  // The cells that were computed from this one in one call, views looked through; none of a result with more
  // than kMostCells cells, or of a call that reads too many.
  std::vector<learn::Element> of(const learn::Element& cell) const;

 private:
  // By input and element of it, the elements of the results: (out, element) in logical order.
  using Reads = std::map<std::pair<size_t, int64_t>, std::vector<std::pair<size_t, int64_t>>>;
  const Reads& reads(size_t call) const;

  const Recorder& trace_;
  std::unordered_map<const Buffer*, std::vector<size_t>> readers_;  // calls
  mutable std::unordered_map<size_t, Reads> reads_;                 // by call, once asked for
};

}  // namespace glassgrad::explorer

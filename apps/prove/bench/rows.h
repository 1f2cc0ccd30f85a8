// The rows of the table: the measurements of the command `bench`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/prove/bench/reference_gemm.h"
#include "apps/prove/bench/timing.h"

namespace glassgrad::bench {

// A row measures the seconds of a call of `make()`'s result, or bytes. If the row shows a rate, `amount` is
// the number of units per call. If it shows a time or a size, `amount` is the seconds or bytes in one unit.
// If `flops` is given, the row also shows its share of the peak.
struct BenchRow {
  std::string name, what;  // "mm.512", "512×512·512×512"
  const char* unit;        // "GFLOP/s", "tokens/s", "ms", "µs", "MB"
  double amount;
  double flops;  // of one call; 0: unknown
  std::function<Work()> make;
  std::function<double()> bytes = {};   // instead of make: measures memory
  std::optional<Product> product = {};  // for the reference GEMMs, if they can compute it
  bool one_thread = false;              // threads make no difference

  // Converts measured seconds per call, or bytes, to `unit`.
  double rate(double measured) const;
};

const std::vector<BenchRow>& rows();

}  // namespace glassgrad::bench

// The rows of the table: what is measured.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/prove/bench/timing.h"
#include "apps/prove/bench/yardsticks.h"

namespace glassgrad::bench {

// A row measures the seconds of a call of `make()`'s result, or bytes. A rate is `amount` units over the
// seconds; of a time or a size, `amount` is how many seconds or bytes make a unit. Where flops is given it is
// shown as a share of the peak as well.
struct BenchRow {
  std::string name, what;  // "mm.512", "512×512·512×512"
  const char* unit;        // "GFLOP/s", "tokens/s", "ms", "µs", "MB"
  double amount;
  double flops;  // of one call; 0: not known
  std::function<Work()> make;
  std::function<double()> bytes = {};   // instead of make: measures memory
  std::optional<Product> product = {};  // what the yardsticks can do as well
  bool one_thread = false;              // threads make no difference

  // The figure that so many seconds per call, or bytes, make in `unit`.
  double rate(double measured) const;
};

const std::vector<BenchRow>& rows();

}  // namespace glassgrad::bench

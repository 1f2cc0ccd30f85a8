// The rows of the table: what is measured.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/timing.h"
#include "apps/bench/yardsticks.h"

namespace glassgrad::bench {

// A row: one call of `work()`'s result does `amount` units. Where flops is given it is shown as a share of
// the peak as well.
struct Row {
  std::string name, what;  // "mm.512", "512×512·512×512"
  const char* unit;        // "GFLOP/s", "tokens/s", "ms", "µs"
  double amount;           // of units per call; of a time, what the seconds are divided by
  double flops;            // of one call; 0: not known
  std::function<Work()> make;
  std::optional<Product> product = {};  // what the yardsticks can do as well
  bool one_thread = false;              // threads make no difference

  bool is_time() const;
  // The figure that `seconds` per call make, in `unit`.
  double rate(double seconds) const;
};

const std::vector<Row>& rows();

}  // namespace glassgrad::bench

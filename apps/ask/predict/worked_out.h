// Writes out the arithmetic of a number in one line of sums and products of numbers that the lesson shows:
// 0.4300·0.5500 + 0.1500·0.8700 + 0.8900·0.6600.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/ask/cell_names.h"
#include "apps/ask/predict/provenance.h"

namespace glassgrad::learn {

struct WorkedOut {
  std::string line;                  // the arithmetic
  std::vector<std::string> numbers;  // the numbers that go in, each once: "query[0] = 0.5500"
};
// Writes out a cell as seen from the step `here`. Numbers that no step shows are written out in turn. Returns
// none if that takes operations other than + - · / and exp, or more numbers than fit into a line.
std::optional<WorkedOut> worked_out(const Recording& recording, const CellNames& names,
                                    const SnapshotElement& cell, const Step& here);

}  // namespace glassgrad::learn

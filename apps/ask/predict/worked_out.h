// A number worked out in one line of sums and products, from numbers that the lesson shows:
// 0.4300·0.5500 + 0.1500·0.8700 + 0.8900·0.6600.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/ask/cell_names.h"
#include "apps/ask/predict/provenance.h"

namespace glassgrad::learn {

struct WorkedOut {
  std::string line;                  // what has to be computed
  std::vector<std::string> numbers;  // that go in: "query[0] = 0.5500", each once
};
// As seen from the step `here`; what no step shows is worked out in its turn. None: other operations than
// + - · / and exp come in, or more numbers than fit into a line.
std::optional<WorkedOut> worked_out(const Recording& recording, const CellNames& names, const Element& cell,
                                    const Step& here);

}  // namespace glassgrad::learn

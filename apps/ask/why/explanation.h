// A number of a recording with its arithmetic, as data and as text.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/ask/why/opened_cell.h"

namespace glassgrad::why {

// Explains a number and the numbers it was computed from. Throws UsageError if the depth would open more than
// kMostCells numbers.
Explanation explain(const learn::Recording& recording, const learn::Address& address,
                    const ExplainOptions& how);
// Explains a number down to numbers that the lesson shows or was given. If that would open too many, explains
// only the number itself.
Explanation explain_to_shown(const learn::Recording& recording, const learn::CellNames& names,
                             const OpenedCell& cell, const learn::Step* here);
// Returns the cell's page for listening: words instead of signs, one sentence per line.
std::string cell_spoken(const learn::Recording& recording, const learn::Address& address);

// JSON of a number:
//   {"address": "masked-softmax:attn_weights[2,1]", "op": "softmax", "value": …, "dtype": "float32",
//    "rounding": …, "tree": TREE}
// op and tree are null if no call of the run has computed the number. rounding: value minus the result of the
// tree, in which each operation is rounded to its dtype; 0 if the bits are the same.
//   TREE = {"op": …, "value": …, "dtype": …, "label": …, "name": …, "inputs": [TREE, …]}
// op is a name of engine/glass/expression.h: an operation on the inputs, or a leaf: "cell" (name says which:
// an address, a parameter, or the op that computed it), "number", "draw". label: its name in the text. Deeper
// calls stand in the inputs of "cell", with the "rounding" of that cell. An expression or cell that is used
// more than once has an "id" where it is first written; {"op": "same", "id": …} stands for it afterwards.
// Numbers read back exactly; "NaN", "Infinity" and "-Infinity" are strings. Throws UsageError for more than
// kMostNodes expressions.
constexpr size_t kMostNodes = 300'000;
// A cell of any recording. TreeCells returns the number where it was first written, opened if requested.
struct TreeCell {
  SnapshotElement place;
  std::string name;
  bool is_value = false;  // a plain number of the program
  const RecordedCall* call = nullptr;
  std::optional<Opened> opened = {};
};
using TreeCells = std::function<TreeCell(const SnapshotElement& number, bool open)>;
nlohmann::ordered_json cell_json(const TreeCell& root, const Scalar& value, const TreeCells& cells,
                                 int64_t depth);
nlohmann::ordered_json cell_json(const learn::Recording& recording, const learn::Address& address,
                                 int64_t depth);

}  // namespace glassgrad::why

// A number of a recording with its arithmetic, as data; and what makes text of it.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/ask/why/opened_cell.h"

namespace glassgrad::why {

// The lines of a number and of those that it goes back to. UsageError: so deep that it would take more than
// kMostCells numbers.
Explanation explain(const learn::Recording& recording, const learn::Address& address,
                    const ExplainOptions& how);
// The lines of a number down to numbers that the lesson shows or was given; where those would be too many, of
// the number alone.
Explanation explain_to_shown(const learn::Recording& recording, const learn::CellNames& names,
                             const OpenedCell& cell, const learn::Step* here);
// The cell's page with words for signs, a sentence a line.
std::string cell_spoken(const learn::Recording& recording, const learn::Address& address);

// As JSON:
//   {"address": "masked-softmax:attn_weights[2,1]", "op": "softmax", "value": …, "dtype": "float32",
//    "rounding": …, "tree": TREE}
// op: null, and tree with it, where nothing in the run has computed the number. rounding: value minus what
// the tree evaluates to, each operation rounded to its dtype; 0 where it gives the very bits.
//   TREE = {"op": …, "value": …, "dtype": …, "label": …, "name": …, "inputs": [TREE, …]}
// op is a name of engine/glass/expression.h: an operation on the inputs, or a leaf: "cell" (name says which:
// an address, a parameter, or the op that computed it), "number", "draw". label: what the text calls it.
// Deeper calls stand in the inputs of "cell", with the "rounding" of that cell. What is used more than once
// has an "id" where it is first written; {"op": "same", "id": …} stands for it afterwards. Numbers read back
// exactly; "NaN", "Infinity" and "-Infinity" are strings. UsageError: more than kMostNodes of them.
constexpr size_t kMostNodes = 300'000;
// Of any recording: `cell` gives the number where it was first written, opened if asked.
struct TreeCell {
  Element place;
  std::string name;
  bool is_value = false;  // a number that stands for itself
  const RecordedCall* call = nullptr;
  std::optional<Opened> opened = {};
};
using TreeCells = std::function<TreeCell(const Element& number, bool open)>;
nlohmann::ordered_json cell_json(const TreeCell& root, const Scalar& value, const TreeCells& cells,
                                 int64_t depth);
nlohmann::ordered_json cell_json(const learn::Recording& recording, const learn::Address& address,
                                 int64_t depth);

}  // namespace glassgrad::why

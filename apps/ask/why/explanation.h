// A number of a recording with its arithmetic, as data; and what makes text of it.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/ask/why/opened_cell.h"

namespace glassgrad::why {

struct ExplainOptions {
  TextStyle writing;
  int64_t depth = 1;  // calls: 1 is the one that wrote the cell, 2 also those that wrote what it read, …
};

// The lines of a number and of those that it goes back to, and its value.
struct Explanation {
  std::vector<Text> lines;
  std::string value;
};
// UsageError: so deep that it would take more than kMostCells numbers.
constexpr size_t kMostCells = 200;
Explanation explain(const learn::Recording& recording, const learn::Address& address,
                    const ExplainOptions& how);
// The lines, and "= VALUE" as the last one.
std::string text_of(const Explanation& explanation);
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
nlohmann::ordered_json cell_json(const learn::Recording& recording, const learn::Address& address,
                                 int64_t depth);

}  // namespace glassgrad::why

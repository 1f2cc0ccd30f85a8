// What the dimensions of a recording's tensors count; all renderers name rows, columns and shapes by it. In a
// lesson the statement that makes a tensor says it. Only where C++ tells the steps (inspect,
// slips) do tables, by the tensors' names: one that all of them share, and one of each one's own.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// A row of the table. Words for the last dimensions: "query", "key" and "token" are counted by the tokens'
// names where there are as many, "batch" and "head" by numbers; any other word ("d_out", "step") names a
// width. A tensor with fewer dimensions takes the last words; before them stand "batch", or "batch head".
struct Axes {
  const char* tensors;  // names, or STEP:NAME, parted by spaces; heads.0.keys is found as keys too
  const char* words;
  bool row_sums = false;
};
constexpr bool kRowSums = true;

// Names that mean the same wherever a table is asked.
extern const std::span<const Axes> kSharedAxes;

// The words for a tensor of `dims` dimensions, from the first table that has a row for it, STEP:NAME before
// NAME; empty where none has. row_sums: as in that row.
std::vector<std::string> axes_of(std::span<const std::span<const Axes>> tables, std::string_view step,
                                 std::string_view name, int dims, bool& row_sums);

// "(B=2 batch, T=6 queries, T=6 keys)", "(T=6 tokens, d_in=3)", "()". Without words "(6, 3)", "(6,)".
std::string shape_text(const Entry& entry);
// The same with the last dimension's size left to be answered: "(T=6 tokens, d_in=?)".
std::string asked_shape_text(const Entry& entry);

// Do the tokens' names count the elements along dimension `dim`?
bool named_by_tokens(const Recording& recording, const Entry& entry, int dim);
// What stands before the elements along dimension `dim`: tokens' names, "head 0", "0".
std::vector<std::string> labels(const Recording& recording, const Entry& entry, int dim);

}  // namespace glassgrad::learn

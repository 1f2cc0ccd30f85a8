// The meaning of each dimension of a recording's tensors, by which all renderers name rows, columns and
// shapes. In a lesson's file, the statement that makes a tensor names its axes. Where C++ builds the steps
// (inspect, slips), axes are looked up by the tensor's name in tables: a shared one, and one per feature.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// A row of a table: words for the last dimensions. A dimension called "query", "key" or "token" is labelled
// with the tokens' names if there are as many; "batch" and "head" are labelled with numbers; any other word
// ("d_out", "step") names a width. A tensor with fewer dimensions takes the last words. A tensor with more
// has "batch", or "batch head", in front.
struct AxisRule {
  const char* tensors;  // names, or STEP:NAME, separated by spaces; heads.0.keys is found as keys too
  const char* words;
  bool row_sums = false;
};
constexpr bool kRowSums = true;

// The shared table: names that mean the same everywhere.
extern const std::span<const AxisRule> kSharedAxes;

// Returns the words for a tensor of `dims` dimensions, from the first table that has a row for it, STEP:NAME
// before NAME; empty if no table has one. Sets row_sums as in that row.
std::vector<std::string> axes_of(std::span<const std::span<const AxisRule>> tables, std::string_view step,
                                 std::string_view name, int dims, bool& row_sums);

// Returns "(B=2 batch, T=6 queries, T=6 keys)", "(T=6 tokens, d_in=3)", "()"; without words "(6, 3)", "(6,)".
std::string shape_text(const Entry& entry);
// The same with the last dimension's size left to be answered: "(T=6 tokens, d_in=?)".
std::string asked_shape_text(const Entry& entry);

// Returns whether the elements along dimension `dim` are labelled with the tokens' names.
bool named_by_tokens(const Recording& recording, const Entry& entry, int dim);
// Returns the labels of the elements along dimension `dim`: tokens' names, "head 0", "0".
std::vector<std::string> labels(const Recording& recording, const Entry& entry, int dim);

}  // namespace glassgrad::learn

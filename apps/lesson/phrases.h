// Formats numbers of a run for sentences.
#pragma once
#include <string>
#include <vector>

#include "apps/lesson/settings.h"
#include "engine/print.h"

namespace glassgrad::learn {

using glassgrad::digits;
std::string digits(const Tensor& x);  // of a tensor with one element

// Returns "1 number", "3 numbers".
std::string counted(int64_t n, std::string_view noun);
// Returns a token's name as a word of a sentence: "journey" with its quotation marks.
std::string in_quotes(std::string_view name);

// Returns the index of the largest element of a 1-d tensor.
size_t position_of_largest(const Tensor& x);
// Returns the largest difference between two tensors' elements, "0" or like "2.98e-08"; "nan" if one is nan.
// Elements that are both nan are equal.
std::string largest_difference(const Tensor& a, const Tensor& b);

}  // namespace glassgrad::learn

// Numbers of a run as words of a sentence.
#pragma once
#include <string>
#include <vector>

#include "apps/lesson/settings.h"

namespace glassgrad::learn {

std::string digits(double x);         // "0.2379", "1.0000e+30", as PyTorch prints a number by itself
std::string digits(const Tensor& x);  // of a tensor with one element

// "1 number", "3 numbers".
std::string counted(int64_t n, std::string_view noun);
// A token's name as a word of a sentence: "journey" with its quotation marks.
std::string in_quotes(std::string_view name);

// "torch.manual_seed(123)" with the seed that the flag has set.
std::string set_seed(const Settings& settings, std::string_view flag);

// "0.5500 + 0.8700 + ... ": at most `most` of them.
std::string joined(const std::vector<std::string>& words, const char* between, size_t most = 8);
std::string joined_digits(const Tensor& x, const char* between, size_t most = 8);

// Sentence: what PyTorch's print says about a sum that ought to be 1.
std::string about_sum(const Tensor& sum);

// Sentence: whose element of a 1-d tensor is the largest "score" or "weight".
std::string about_largest(const Tensor& x, const std::vector<std::string>& tokens, const char* noun);
// The names of the tokens whose rows hold nothing but zeros.
std::vector<std::string> empty_rows(const Settings& settings, const Tensor& x);

// Where the largest element of a 1-d tensor stands.
size_t position_of_largest(const Tensor& x);
// The largest difference between two tensors' elements, "0" or like "2.98e-08"; "nan" if one is nan. Elements
// that are both nan are taken as equal.
std::string largest_difference(const Tensor& a, const Tensor& b);

// The same of elements that are meant to differ, as digits: "0.6762".
std::string apart(const Tensor& a, const Tensor& b);

// sum([…]) of floats in Python 3.12 and later: Neumaier's compensated sum.
double python_sum(const std::vector<double>& values);
// The elements of a row, read back from the text that print gives the whole matrix.
std::vector<double> row_as_printed(const Tensor& matrix, int64_t row);

}  // namespace glassgrad::learn

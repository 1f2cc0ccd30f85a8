// Numbers of a run as words of a sentence.
#pragma once
#include <string>
#include <vector>

#include "apps/learn/settings.h"

namespace glassgrad::learn {

std::string digits(double x);         // "0.2379", as PyTorch prints it
std::string digits(const Tensor& x);  // of a tensor with one element

// "torch.manual_seed(123)" with the seed that the flag has set.
std::string set_seed(const Settings& settings, std::string_view flag);

// "0.5500 + 0.8700 + ... ": at most `most` of them.
std::string joined(const std::vector<std::string>& words, const char* between, size_t most = 8);
std::string joined_digits(const Tensor& x, const char* between, size_t most = 8);

// What PyTorch's print says about a sum that ought to be 1.
std::string about_sum(const Tensor& sum);

// The names of the tokens whose rows hold nothing but zeros.
std::vector<std::string> empty_rows(const Settings& settings, const Tensor& x);

// Where the largest element of a 1-d tensor stands.
size_t position_of_largest(const Tensor& x);
// The largest difference between two tensors' elements, "0" or like "2.98e-08".
std::string largest_difference(const Tensor& a, const Tensor& b);

// sum([…]) of floats in Python 3.12 and later: Neumaier's compensated sum.
double python_sum(const std::vector<double>& values);
// The elements of a row, read back from the text that print gives the whole matrix.
std::vector<double> row_as_printed(const Tensor& matrix, int64_t row);

}  // namespace glassgrad::learn

// The table of functions: one row per overload. A row gives torch.NAME, Tensor.NAME, torch.nn.functional.NAME
// …, their argument names, defaults and errors, and the stubs; what NAME computes stands in help.def.
#pragma once
#include "arguments.h"

namespace glassgrad::GG_HOST {

// Where a row's name is found. kWritten: PyTorch has it written in Python, which shows in its errors.
enum Place : unsigned {
  kTorch = 1,
  kMethod = 2,
  kBoth = 3,
  kFunctional = 4,
  kLinalg = 8,
  kWritten = 16,
  kInit = 32
};

using Compute = Computation<Result>;
struct Row {
  unsigned places;
  std::string_view signature;  // of a method, the first parameter is self
  Compute call;
  std::string_view help;  // what it computes, if help.def does not say it
  int slots;              // how many the call reads
  int outs;               // how many tensors it writes to `out=`
};

// A row whose function is a lambda without captures, or call<a function>.
template <class F>
Row row(unsigned places, std::string_view signature, F, std::string_view help = "") {
  const auto [caller, function] = erased(&F::operator());
  return {places, signature, {&caller.call, function}, help, caller.kFirst.back(), caller.kWrites};
}
// PyTorch's overload for dimensions that have names: glassgrad's have none, and PyTorch's answer is the same
// for tensors without names.
Row named_row(unsigned places, std::string_view signature);

// y, made by several ops of the engine where PyTorch has one: its node shows that one's name.
Tensor as_one(const char* node, const Tensor& y);

// a·b + c rounded once, as PyTorch's loops do, where all are of c's dtype or numbers, float64 would hold more
// digits and nobody asks for a graph; else a product and a sum.
Tensor fused(const Tensor& a, const Tensor& b, const Tensor& c);

// A half in float32, where PyTorch computes several steps on it and rounds once; else x.
Tensor wide_half(const Tensor& x);
// A number as an argument of its own, such as alpha, beside a tensor of this dtype: PyTorch rounds it to a
// half.
Tensor rounded_factor(const Tensor& factor, DType dtype);

// start + weight·(end − start), from the end that is nearer. RuntimeError for other dtypes than start's.
Tensor lerped(const Tensor& start, const Tensor& end, const Tensor& weight);

// x.mT, which x.H and x.adjoint() are too where all numbers are real: the last two dimensions exchanged. A
// 0-d tensor is itself, with the warning; RuntimeError with `refusal` for 1-d.
Tensor matrices_transposed(const Tensor& x, const char* warning, const char* refusal);

// (Σ|x|^p)^(1/p) over dims; p = ∞ the greatest |x|, −∞ the least, 0 how many are not 0. Where the norm is 0
// its gradient is 0; for p < 1 also that of each 0.
Tensor p_norm(const Tensor& x, double p, const Dims& dims, bool keepdim);

// The dimensions `from` at the places `to`, the others as they stand: a view.
Tensor moved(const Tensor& x, const Dims& from, const Dims& to);
// With dimensions of size 1 for what has fewer than n, up to 3.
Tensor at_least(const Tensor& x, int64_t n);

// nonzero as a tuple, a tensor a dimension; a 0-d tensor counts as one of one dimension.
std::vector<Tensor> places_of_nonzero(const Tensor& x);

// remainder, whose node shows whether b is a tensor.
Tensor remainder_of(const Tensor& a, const Tensor& b);

// The rows of one family of functions.
using Rows = std::vector<Row>;
Rows creation_rows();
Rows random_rows();
Rows pointwise_rows();
Rows special_rows();
Rows comparison_rows();
Rows in_place_rows();
Rows product_rows();
Rows matrix_rows();
Rows reduction_rows();
Rows order_rows();
Rows view_rows();
Rows joining_rows();
Rows indexing_rows();
Rows functional_rows();
Rows loss_rows();
Rows attention_rows();
Rows init_rows();
// Adds the in-place forms of functions among `rows` that the engine has none for.
void add_in_place_forms(Rows& rows);

}  // namespace glassgrad::GG_HOST

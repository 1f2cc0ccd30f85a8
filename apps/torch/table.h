// The table of functions: one row per overload. A row defines torch.NAME, Tensor.NAME,
// torch.nn.functional.NAME …: argument names, defaults, errors and stubs, and what PyTorch does around the
// computation.
#pragma once
#include "arguments.h"
#include "out.h"

namespace glassgrad::GG_HOST {

// The namespaces in which a row appears. kWrittenInPython: PyTorch implements it in Python, which changes its
// error texts.
enum Place : unsigned {
  kTorch = 1,
  kMethod = 2,
  kBoth = 3,
  kFunctional = 4,
  kLinalg = 8,
  kWrittenInPython = 16,
  kInit = 32
};

// How PyTorch's autocast treats the floats of a call on a device type: casts to float32 (Wide), to the half
// dtype, to the widest of the operands, or not at all; or refuses the call.
enum Cast : uint8_t { kNoCast, kWide, kHalf, kWidest, kRefused };

using Compute = Computation<Result>;
// All that a row says beside its call. Help, casts and in_place hold for all rows of a name, and stand at one
// of them. A place whose rows have no help shows that of the name's first row that has one.
struct Facts {
  std::string_view help;
  Cast casts[2] = {};  // by type of device
  unsigned in_place = 0;
  std::optional<OutRule> out;
};
struct Row {
  unsigned places;
  std::string_view signature;  // a method's first parameter is self
  Compute call;
  int slots;               // how many the call reads
  int outs;                // how many tensors it writes to `out=`
  Facts* facts = nullptr;  // kept for the life of the process; apart, so that a row is small to build

  Row& help(std::string_view what_it_computes);
  Row& autocast(Cast cast);
  Row& autocast_on_cpu(Cast cast);
  Row& autocast_on_gpu(Cast cast);
  // Adds NAME_ in these places, which copies the result into the tensor: the engine has no such op.
  Row& in_place(unsigned places_of_form);
  // Says what `out=` accepts. known_as: the function's name in PyTorch's errors, if it is an alias.
  Row& out(const OutRule& rule, const char* known_as = nullptr);
  const Facts& said() const;
};

// A row whose function is a lambda without captures, or call<a function>.
template <class F>
Row row(unsigned places, std::string_view signature, F) {
  const auto [caller, function] = erased(&F::operator());
  return {places, signature, {&caller.call, function}, caller.kFirst.back(), caller.kWrites};
}
// PyTorch's overload for named dimensions. glassgrad has no named dimensions, so the call fails as PyTorch's
// does for tensors without names.
Row named_row(unsigned places, std::string_view signature);

// Gives y's node the name of PyTorch's op, for a y that PyTorch computes by one op and the engine by several.
Tensor rename_node(const char* node, const Tensor& y);

// a·b + c, rounded once like in PyTorch's loops if all operands have c's dtype or are numbers, that dtype is
// narrower than float64, and no graph is needed. Otherwise a product and a sum.
Tensor fused(const Tensor& a, const Tensor& b, const Tensor& c);

// Converts a half to float32 for functions that PyTorch rounds once after several steps; else returns x.
Tensor wide_half(const Tensor& x);
// A number argument such as alpha, beside a tensor of this dtype: rounded to a half if the dtype is one, as
// in PyTorch.
Tensor rounded_factor(const Tensor& factor, DType dtype);

// start + weight·(end − start), computed from the nearer end. Throws RuntimeError if dtypes differ.
Tensor lerped(const Tensor& start, const Tensor& end, const Tensor& weight);

// Exchanges the last two dimensions: x.mT, and, because all numbers are real, x.H and x.adjoint(). For a 0-d
// tensor, warns with `warning` and returns it; for a 1-d tensor, throws RuntimeError with `refusal`.
Tensor matrices_transposed(const Tensor& x, const char* warning, const char* refusal);

// (Σ|x|^p)^(1/p) over dims; p = ∞ the greatest |x|, −∞ the least, 0 the number of nonzeros. The gradient is 0
// where the norm is 0; for p < 1 also where x is 0.
Tensor p_norm(const Tensor& x, double p, const Dims& dims, bool keepdim);

// Moves the dimensions `from` to the places `to`; the others keep their order. A view.
Tensor moved(const Tensor& x, const Dims& from, const Dims& to);
// Adds dimensions of size 1 until there are at least n, where n ≤ 3.
Tensor at_least(const Tensor& x, int64_t n);

// A vector as a tensor of `dims` dimensions that lies along dimension d. A view.
Tensor line_along(const Tensor& vector, int64_t d, int64_t dims);
// The index of each element of `places`, one tensor per dimension; along dim it is `places` itself. Throws
// RuntimeError unless places are int64 of x's number of dimensions.
std::vector<Tensor> grid_with(const Tensor& places, int64_t dim, const Tensor& x);
// Throws RuntimeError for a place outside 0 … size − 1 along dimension d.
void check_places(const Tensor& places, int d, int64_t size);
// Throws PyTorch's errors of index_add_ and index_reduce_ (function) for places and source that do not fit x
// along d.
void check_slices(std::string_view function, const Tensor& x, int d, const Tensor& places,
                  const Tensor& source);

// nonzero as a tuple, one tensor per dimension; a 0-d tensor counts as 1-d.
std::vector<Tensor> places_of_nonzero(const Tensor& x);

// a·2^b and ⌊a/2^b⌋ of integers. A shift by a negative number, or by more bits than the dtype has, gives 0,
// or −1 for a negative a shifted right.
Tensor shifted_left(const Tensor& a, const Tensor& b);
Tensor shifted_right(const Tensor& a, const Tensor& b);
// torch.return_types.NAME.
inline NamedTuple chosen(const char* name, const ValuesIndices& y) { return {name, y.values, y.indices}; }

// remainder; the name of its node shows whether b is a tensor.
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
Rows scan_rows();
Rows view_rows();
Rows joining_rows();
Rows indexing_rows();
Rows scatter_rows();
Rows functional_rows();
Rows loss_rows();
Rows attention_rows();
Rows init_rows();
// Adds the forms that the rows' in_place asks for.
void add_in_place_forms(Rows& rows);

}  // namespace glassgrad::GG_HOST

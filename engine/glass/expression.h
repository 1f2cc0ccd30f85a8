// How a number came about: a tree of arithmetic, each of its numbers computed by the kernels' own functions
// in the kernels' dtype, so that evaluating it gives the kernels' bits. Where a kernel adds in another order
// than the tree shows, the last bits may differ; who shows the tree says so.
//
// Expressions combine like numbers: exp(x − top) / sum(terms).
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../core/for_scope.h"
#include "../numbers/tables.h"

namespace glassgrad {

struct Term;

class Expr {
 public:
  explicit Expr(double constant);  // in the dtype that the ConstantsAs in force says
  explicit Expr(Term term);

  const Term* operator->() const { return term_.get(); }
  const Scalar& value() const;
  DType dtype() const { return value().dtype; }
  // The same under a name of its own.
  Expr called(std::string label) const;
  // The same tree around another number: that of the cell as it is, where the kernel rounds differently.
  Expr with_value(const Scalar& value) const;

 private:
  std::shared_ptr<const Term> term_;
};

// A node of the tree.
struct Term {
  // What was done: a name of numbers/scalar.def; "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not";
  // "where" of condition, a, b; "cast" to value.dtype; "sum" of the inputs one after the other, "dot" the
  // same of products in one chain of fma; "prod", "max", "min", "all", "any" of any number of inputs; "pick",
  // the first input, which the others led to; "found", a position among the inputs. Leaves: "cell", "number",
  // "draw".
  std::string_view op;
  std::vector<Expr> inputs = {};
  Scalar value;
  std::string label = {};  // what a line of its own may call it: "row sum"; empty: part of its user's line
  int input = -1;          // of a cell: which input of the op …
  Dims index = {};         // … and which element
};

inline Expr::Expr(Term term) : term_(std::make_shared<Term>(std::move(term))) {}
inline const Scalar& Expr::value() const { return term_->value; }

// Constants in formulas are of this dtype until the end of the scope (float32 without one).
struct ConstantsAs : ForScope<DType> {
  explicit ConstantsAs(DType dtype);
};

// ---- leaves
Expr number(const Scalar& value);
Expr number(int64_t value);  // int64
// A number that a generator has drawn; `how` says from what.
Expr draw(const Scalar& value, std::string how);

// ---- functions: those of numbers/scalar.def under their names. Operands of an operation have one dtype;
// std::logic_error otherwise, or where the function does not exist for it.
Expr apply(ScalarFunction f, const Expr& a);
Expr apply(ScalarFunction f, const Expr& a, const Expr& b);
Expr apply(ScalarFunction f, const Expr& a, const Expr& b, const Expr& c);
#define GG_EXPR_ARGS_1 const Expr& a
#define GG_EXPR_ARGS_2 const Expr &a, const Expr &b
#define GG_EXPR_ARGS_3 const Expr &a, const Expr &b, const Expr &c
#define GG_EXPR_NAMES_1 a
#define GG_EXPR_NAMES_2 a, b
#define GG_EXPR_NAMES_3 a, b, c
#define SCALAR(name, dtypes, operands, value) \
  inline Expr name(GG_EXPR_ARGS_##operands) { return apply(ScalarFunction::name, GG_EXPR_NAMES_##operands); }
#include "../numbers/scalar.def"
inline Expr operator+(const Expr& a, const Expr& b) { return apply(ScalarFunction::add, a, b); }
inline Expr operator-(const Expr& a, const Expr& b) { return apply(ScalarFunction::sub, a, b); }
inline Expr operator*(const Expr& a, const Expr& b) { return apply(ScalarFunction::mul, a, b); }
inline Expr operator/(const Expr& a, const Expr& b) { return apply(ScalarFunction::div, a, b); }
inline Expr operator&(const Expr& a, const Expr& b) { return apply(ScalarFunction::bitwise_and, a, b); }
inline Expr operator|(const Expr& a, const Expr& b) { return apply(ScalarFunction::bitwise_or, a, b); }
inline Expr operator^(const Expr& a, const Expr& b) { return apply(ScalarFunction::bitwise_xor, a, b); }
inline Expr operator-(const Expr& a) { return apply(ScalarFunction::neg, a); }
inline Expr operator~(const Expr& a) { return apply(ScalarFunction::bitwise_not, a); }
Expr operator==(const Expr& a, const Expr& b);
Expr operator!=(const Expr& a, const Expr& b);
Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
Expr operator&&(const Expr& a, const Expr& b);
Expr operator||(const Expr& a, const Expr& b);
Expr operator!(const Expr& a);
Expr is_infinite(const Expr& a);
Expr where(const Expr& condition, const Expr& a, const Expr& b);
Expr cast(const Expr& a, DType dtype);  // itself when it has that dtype

// Σ terms from the first to the last; 0 of the dtype in force if there are none.
Expr sum(std::vector<Expr> terms);
// The same of a kernel that rounds, or cuts, every sum to a narrow dtype.
Expr sum(std::vector<Expr> terms, DType kept_in);
// Σ a[k]·b[k]: with `fused` each product is added to the sum so far in one rounding, from 0; otherwise it is
// rounded first. Of integers always the latter.
Expr dot(const std::vector<Expr>& a, const std::vector<Expr>& b, bool fused);
// Π terms from the first to the last; 1 if there are none. Each product is rounded to kept_in.
Expr prod(std::vector<Expr> terms, DType kept_in);
// Is every one of them not 0, or any.
Expr all(std::vector<Expr> terms);
Expr any(std::vector<Expr> terms);
// An element that was looked up: `which` are the indices that led to it.
Expr pick(const Expr& element, const std::vector<Expr>& which);
// What came out of comparing the terms with each other: a position, or a count; `how` says what was sought.
Expr found(std::string how, std::vector<Expr> terms, const Scalar& value);
// The greatest, or smallest; NaN if there is one.
Expr max(std::vector<Expr> terms);
Expr min(std::vector<Expr> terms);

// ---- numbers
bool same_bits(const Scalar& a, const Scalar& b);  // every NaN counts as one
bool is_true(const Scalar& x);
double to_double(const Scalar& x);
Scalar scalar_of(double x, DType dtype);  // rounded, or cut, to it

// ---- how the softmax of a row comes about
// exp(x − max) of each number of a row, with that max and their sum.
struct Exps {
  Expr top, sum;
  std::vector<Expr> exps;
};
Exps exps_of(const std::vector<Expr>& row);

}  // namespace glassgrad

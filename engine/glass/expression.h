// How a number was computed: a tree of arithmetic. The kernels' own functions compute each number in the
// tree, in the kernels' dtype, so evaluating it gives the kernels' bits. Where a kernel adds in a different
// order than the tree shows, the last bits may differ; the page that shows the tree says so.
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

struct ExprNode;

class Expr {
 public:
  explicit Expr(double constant);  // in the dtype of the current ConstantsAs
  explicit Expr(ExprNode node);

  const ExprNode* operator->() const { return node_.get(); }
  const Scalar& value() const;
  DType dtype() const { return value().dtype; }
  // Returns the same expression with a label.
  Expr called(std::string label) const;
  // Returns the same tree with the cell's actual value, for kernels that round differently from the tree.
  Expr with_value(const Scalar& value) const;

 private:
  std::shared_ptr<const ExprNode> node_;
};

// A node of the tree.
struct ExprNode {
  // The operation: a name of numbers/scalar.def; "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not",
  // "isinf"; "where" of condition, a, b; "cast" to value.dtype; "sum" of the inputs one after the other;
  // "dot", a sum of products in one chain of fma; "prod", "max", "min", "all", "any" of any number of inputs;
  // "pick", the first input, selected by the others; "found", a position among the inputs. Leaves: "cell",
  // "number", "draw".
  std::string_view op;
  std::vector<Expr> inputs = {};
  Scalar value;
  std::string label = {};  // name of a line of its own: "row sum"; empty: part of the line that uses it
  int input = -1;          // for a cell: which input of the op …
  Dims index = {};         // … and which element
};

inline Expr::Expr(ExprNode node) : node_(std::make_shared<ExprNode>(std::move(node))) {}
inline const Scalar& Expr::value() const { return node_->value; }

// Sets the dtype of constants in formulas until the end of the scope (float32 without one).
struct ConstantsAs : ForScope<DType> {
  explicit ConstantsAs(DType dtype);
};

// ---- leaves
Expr number(const Scalar& value);
Expr number(int64_t value);  // int64
// A number that a generator drew; `how` says from which distribution.
Expr draw(const Scalar& value, std::string how);

// ---- functions: those of numbers/scalar.def under their names. All operands must have one dtype. Throws
// std::logic_error otherwise, or if the function does not exist for that dtype.
Expr apply(ScalarFunction f, std::vector<Expr> operands);
#define GG_EXPR_ARGS_1 const Expr& a
#define GG_EXPR_ARGS_2 const Expr &a, const Expr &b
#define GG_EXPR_ARGS_3 const Expr &a, const Expr &b, const Expr &c
#define GG_EXPR_NAMES_1 a
#define GG_EXPR_NAMES_2 a, b
#define GG_EXPR_NAMES_3 a, b, c
#define SCALAR(name, dtypes, operands, value)                       \
  inline Expr name(GG_EXPR_ARGS_##operands) {                       \
    return apply(ScalarFunction::name, {GG_EXPR_NAMES_##operands}); \
  }
#include "../numbers/scalar.def"
inline Expr operator+(const Expr& a, const Expr& b) { return apply(ScalarFunction::add, {a, b}); }
inline Expr operator-(const Expr& a, const Expr& b) { return apply(ScalarFunction::sub, {a, b}); }
inline Expr operator*(const Expr& a, const Expr& b) { return apply(ScalarFunction::mul, {a, b}); }
inline Expr operator/(const Expr& a, const Expr& b) { return apply(ScalarFunction::div, {a, b}); }
inline Expr operator&(const Expr& a, const Expr& b) { return apply(ScalarFunction::bitwise_and, {a, b}); }
inline Expr operator|(const Expr& a, const Expr& b) { return apply(ScalarFunction::bitwise_or, {a, b}); }
inline Expr operator^(const Expr& a, const Expr& b) { return apply(ScalarFunction::bitwise_xor, {a, b}); }
inline Expr operator-(const Expr& a) { return apply(ScalarFunction::neg, {a}); }
inline Expr operator~(const Expr& a) { return apply(ScalarFunction::bitwise_not, {a}); }
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
Expr cast(const Expr& a, DType dtype);  // returns a if it has that dtype

// Σ terms from the first to the last; without terms, 0 in the dtype of the current ConstantsAs. For a kernel
// that keeps every partial sum in a narrow dtype, rounds or truncates each to kept_in.
Expr sum(std::vector<Expr> terms, DType kept_in = float64);
// Σ a[k]·b[k]: with `fused`, each product is added to the partial sum in one rounding, starting from 0;
// otherwise the product is rounded first. Integers are never fused.
Expr dot(const std::vector<Expr>& a, const std::vector<Expr>& b, bool fused);
// Π terms from the first to the last; 1 if there are none. Each product is rounded to kept_in.
Expr prod(std::vector<Expr> terms, DType kept_in);
// True if all terms are nonzero, or any of them.
Expr all(std::vector<Expr> terms);
Expr any(std::vector<Expr> terms);
// An element that was looked up by the indices `which`.
Expr pick(const Expr& element, const std::vector<Expr>& which);
// A position or a count that results from comparing the terms; `how` says what was searched for.
Expr found(std::string how, std::vector<Expr> terms, const Scalar& value);
// The greatest or smallest term; NaN if any is NaN.
Expr max(std::vector<Expr> terms);
Expr min(std::vector<Expr> terms);

// ---- numbers
bool same_bits(const Scalar& a, const Scalar& b);  // all NaNs count as equal
bool is_true(const Scalar& x);
double to_double(const Scalar& x);
Scalar scalar_of(double x, DType dtype);  // rounded, or truncated, to dtype

}  // namespace glassgrad

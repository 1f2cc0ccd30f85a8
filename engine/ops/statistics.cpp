// Variance, norm and product: reductions that take elements one by one.
#include <cmath>
#include <limits>

#include "../glass/why.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"
#include "reduction.h"

namespace glassgrad {

// ================================================================ var, std
namespace {

struct Spread {
  ReduceDims over;
  double correction = 1;

  static constexpr AttrNames kNames{"over", "correction"};
  double divisor() const { return std::max(0.0, double(over.count()) - correction); }
};
// Computes in double. The kernels add in a different order, so the last bit may differ.
Expr why_var(const Cell& c) {
  const auto& a = c.attr<Spread>();
  const ConstantsAs wide(float64);
  const std::vector<Expr> terms = elements_of(c, a.over, float64);
  std::vector<Expr> squares;
  const Expr mean = (sum(terms) / Expr(double(a.over.count()))).called("mean");
  for (const Expr& x : terms) squares.push_back(square(x - mean));
  return sum(squares).called("sum of squares") / Expr(a.divisor());
}
Expr why_std(const Cell& c) { return sqrt(why_var(c)); }

constexpr Op var_op{"var", "VarBackward0", "Σ (x − mean)² / (n − correction)", why_var},
    std_op{"std", "StdBackward0", "√(Σ (x − mean)² / (n − correction))", why_std};

// Returns Σ (x − mean)² in double, with the mean rounded to T, as PyTorch does if the result is a single
// number.
template <class T>
double squares_of_all(const View& x, const View& y) {
  T mean = 0;
  kernels().sum(x, {&mean, y.shape, y.strides, y.dtype});
  mean /= T(x.shape.numel());
  double sum = 0;
  Cells(x, y).by_memory().each_element([&](int64_t i) {
    const double distance = double(x.as<const T>()[i]) - double(mean);
    sum += distance * distance;
  });
  return sum;
}

// The same for one cell of several, by Welford's method.
template <class T>
double squares_of_cell(const T* x, const Cells& cells) {
  double mean = 0, sum = 0, n = 0;
  cells.each_element([&](int64_t i) {
    const double distance = double(x[i]) - mean;
    mean += distance / ++n;
    sum += distance * (double(x[i]) - mean);
  });
  return sum;
}

void spread_on_cpu(const View& x, const View& y, double divisor, bool root) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto put = [&](int64_t i, double squares) {
      const double var = x.shape.numel() ? squares / divisor : std::numeric_limits<double>::quiet_NaN();
      y.as<T>()[i] = T(root ? std::sqrt(var) : var);
    };
    const Cells cells(x, y);
    if (cells.kept.numel() == 1) return put(0, squares_of_all<T>(x, y));
    cells.each([&](int64_t i, int64_t first) { put(i, squares_of_cell(x.as<const T>() + first, cells)); });
  });
}

Tensor computed_spread(const Tensor& x, const Spread& a, bool root) {
  Tensor y = dense_result(a.over.result(), x);
  kernel_for(x.device(), spread_on_cpu, GG_CUDA(spread))(
      WidenedInput(x), RoundedOutput(cells_of(y, a.over), x.device()), a.divisor(), root);
  return y;
}

Tensor var_grad(const Tensor& g, const Tensor& x, const Spread& a) {
  const Tensor mean = glassgrad::mean(x, a.over.dims, true);
  return mul(mul(unreduced(g, a.over), 2.0 / (double(a.over.count()) - a.correction)), x - mean);
}

Tensor var_over(const Tensor& x, const Spread& a) {
  check(is_floating(x.dtype()), "std and var only support floating point and complex dtypes");
  return record(var_op, computed_spread(x, a, false), {&x}, {{&x}}, a,
                [](BackwardContext& d, const Spread& s) { d[0] = var_grad(d.g, d.saved(0), s); });
}

Tensor std_over(const Tensor& x, const Spread& a) {
  check(is_floating(x.dtype()), "std and var only support floating point and complex dtypes");
  Tensor y = computed_spread(x, a, true);
  return record(std_op, y, {&x}, {{&x}, {&y}}, a, [](BackwardContext& d, const Spread& s) {
    const Tensor std = d.saved(1);
    d[0] = var_grad(masked_fill(d.g / (std * 2), std == 0, 0), d.saved(0), s);
  });
}

}  // namespace

Tensor var(const Tensor& x, double correction) { return var_over(x, {over_all(x), correction}); }
Tensor var(const Tensor& x, const Dims& dims, double correction, bool keepdim) {
  return var_over(x, {over(x, dims, keepdim), correction});
}
Tensor std(const Tensor& x, double correction) { return std_over(x, {over_all(x), correction}); }
Tensor std(const Tensor& x, const Dims& dims, double correction, bool keepdim) {
  return std_over(x, {over(x, dims, keepdim), correction});
}

// ================================================================ prod
namespace {

// Reduces to one number per cell: row(x, n) if the cell's n elements are contiguous, else folds them with
// one(result, x).
template <class T, class Row, class One>
void reduce_cells(const View& x, const View& y, T first, Row row, One one) {
  const Cells cells = Cells(x, y).by_memory();
  cells.each([&](int64_t i, int64_t start) {
    const T* p = x.as<const T>() + start;
    T result = first;
    if (cells.side_by_side())
      result = row(p, cells.reduced.numel());
    else
      cells.each_element([&](int64_t k) { result = one(result, p[k]); });
    y.as<T>()[i] = result;
  });
}

Expr why_prod(const Cell& c) {
  return prod(elements_of(c, c.attr<ReduceDims>(), c.dtype()), c.result().dtype());
}

constexpr Op prod_op{"prod", "ProdBackward0", "Π x", why_prod},
    prod_dim_op{"prod", "ProdBackward1", "Π x", why_prod};

void integer_prod(const View& x, const View& y) {
  const Cells cells(x, y);
  cells.each([&](int64_t i, int64_t first) {
    int64_t product = 1;
    cells.each_element([&](int64_t k) {
      product *= x.dtype == boolean ? x.as<const bool>()[first + k] : x.as<const int64_t>()[first + k];
    });
    y.as<int64_t>()[i] = product;
  });
}

// Returns Π x of contiguous numbers in PyTorch's order: four vectors of 32 bytes at a time.
template <class T>
T product_of_row(const T* x, int64_t n) {
  constexpr int64_t lanes = 32 / sizeof(T), block = 4 * lanes;
  int64_t i = 0;
  T product(1);
  if (n >= block) {
    T part[block];
    for (; i < block; ++i) part[i] = x[i];
    for (; i + block <= n; i += block)
      for (int64_t k = 0; k < block; ++k) part[k] = T(part[k] * x[i + k]);
    for (int64_t l = 0; l < lanes; ++l)
      part[l] = T(T(part[l] * part[lanes + l]) * T(part[2 * lanes + l] * part[3 * lanes + l]));
    product = part[0];
    for (int64_t l = 1; l < lanes; ++l) product = T(product * part[l]);
  }
  for (; i < n; ++i) product = T(product * x[i]);
  return product;
}

// A narrow product is rounded after each factor, as in PyTorch.
void prod_on_cpu(const View& x, const View& y) {
  if (!is_floating(x.dtype)) return integer_prod(WidenedInput(x, kCpu), y);
  every_float(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    reduce_cells(x, y, T(1), product_of_row<T>, [](T product, T v) { return T(product * v); });
  });
}

Tensor computed_prod(const Tensor& x, const ReduceDims& a) {
  Tensor y = dense_result(a.result(), x, is_floating(x.dtype()) ? x.dtype() : int64);
  kernel_for(x.device(), prod_on_cpu, GG_CUDA(prod))(
      WidenedInput(x, NarrowAccess::NativeOnCpu),
      RoundedOutput(cells_of(y, a), x.device(), NarrowAccess::NativeOnCpu));
  return y;
}

// Returns, for each element along the last dimension, the product of all the others. Dividing the whole
// product by the element would fail at a zero, so this multiplies along a square of copies with ones on the
// diagonal.
Tensor product_of_others(const Tensor& x) {
  const int64_t n = x.size(-1);
  Dims square = x.shape();
  square.push(n);
  const DefaultDevice here(x.device());
  const Tensor diagonal = to(eye(n), boolean);
  return prod(masked_fill(x.unsqueeze(-2).expand(square), diagonal, 1), -1);
}

Tensor prod_grad(const Tensor& g, const Tensor& x, const Tensor& y, const ReduceDims& a) {
  if (x.dim() == 0) return g;
  if (!any(x == 0).is_true()) return unreduced(g, a) * (unreduced(y, a) / x);
  if (a.dims.n < x.dim()) {
    const int64_t dim = a.dims[0];
    return unreduced(g, a) * product_of_others(x.transpose(dim, -1)).transpose(dim, -1);
  }
  return g * product_of_others(x.reshape({-1})).reshape(x.shape());
}

Tensor prod_over(const Op& op, const Tensor& x, const ReduceDims& a) {
  Tensor y = computed_prod(x, a);
  return record(op, y, {&x}, {{&x}, {&y}}, a, [](BackwardContext& d, const ReduceDims& o) {
    d[0] = prod_grad(d.g, d.saved(0), d.saved(1), o);
  });
}

}  // namespace

Tensor prod(const Tensor& x) { return prod_over(prod_op, x, over_all(x)); }
Tensor prod(const Tensor& x, int64_t dim, bool keepdim) {
  return prod_over(prod_dim_op, x, over(x, dim, keepdim));
}

// ================================================================ norm
namespace {

Expr why_norm(const Cell& c) {
  std::vector<Expr> squares;
  for (const Expr& x : elements_of(c, c.attr<ReduceDims>())) squares.push_back(x * x);
  return sqrt(sum(squares).called("sum of squares"));
}

constexpr Op norm_op{"linalg_vector_norm", "LinalgVectorNormBackward0", "√Σ x²", why_norm};

// Returns Σ x² of contiguous numbers with PyTorch's order and roundings: first vectors of 32 bytes, then
// groups of four without fma, then the rest with fma.
template <class T>
T squares_of_row(const T* x, int64_t n) {
  constexpr int64_t lanes = 32 / sizeof(T);
  T lane[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int64_t l = 0; l < lanes; ++l) lane[l] += x[i + l] * x[i + l];
  T sum = 0;
  for (T l : lane) sum += l;
  for (; i + 4 <= n; i += 4)
    for (int64_t k = i; k < i + 4; ++k) sum += x[k] * x[k];
  for (; i < n; ++i) sum = std::fma(x[i], x[i], sum);
  return sum;
}

}  // namespace

void norm_on_cpu(const View& x, const View& y) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    reduce_cells(x, y, T(0), squares_of_row<T>, [](T sum, T v) { return sum + v * v; });
    for (T& sum : std::span(y.as<T>(), size_t(Cells(x, y).kept.numel()))) sum = std::sqrt(sum);
  });
}

namespace {

Tensor computed_norm(const Tensor& x, const ReduceDims& a) {
  Tensor y = dense_result(a.result(), x);
  kernel_for(x.device(), norm_on_cpu, GG_CUDA(norm))(WidenedInput(x),
                                                     RoundedOutput(cells_of(y, a), x.device()));
  return y;
}

Tensor norm_over(const Tensor& x, const ReduceDims& a) {
  check(is_floating(x.dtype()),
        "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
        scalar_type_name(x.dtype()));
  Tensor y = computed_norm(x, a);
  return record(norm_op, y, {&x}, {{&x}, {&y}}, a, [](BackwardContext& d, const ReduceDims& o) {
    const Tensor n = unreduced(d.saved(1), o);
    d[0] = unreduced(d.g, o) * masked_fill(d.saved(0) / n, n == 0, 0);
  });
}

}  // namespace

Tensor norm(const Tensor& x) { return norm_over(x, over_all(x)); }
Tensor norm(const Tensor& x, const Dims& dims, bool keepdim) { return norm_over(x, over(x, dims, keepdim)); }

}  // namespace glassgrad

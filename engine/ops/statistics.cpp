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

// Σ (x − mean)² in double, by Welford's method.
struct Spreading {
  double squares = 0, mean = 0, n = 0;
  void add(double x) {
    const double distance = x - mean;
    mean += distance / ++n;
    squares += distance * (x - mean);
  }
};
// The same with a known mean.
struct Distances {
  double squares = 0, mean;
  void add(double x) { squares += (x - mean) * (x - mean); }
};

void spread_on_cpu(const View& x, const View& y, double divisor, bool root) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto put = [&](const auto& sum, int64_t place) {
      const double var = x.shape.numel() ? sum.squares / divisor : std::numeric_limits<double>::quiet_NaN();
      y.as<T>()[place] = T(root ? std::sqrt(var) : var);
    };
    if (cells_in(x, y).kept.numel() != 1) return reduce_cells<T>(x, cells_in(x, y), Spreading(), put);
    // PyTorch rounds the mean to T if the result is a single number.
    T mean = 0;
    kernels().sum(x, {&mean, y.shape, y.strides, y.dtype});
    mean /= T(x.shape.numel());
    reduce_cells<T>(x, cells_in(x, y, CellOrder::Memory), Distances{0, double(mean)}, put);
  });
}

}  // namespace
// y = Σ (x − mean)² / divisor in double, or its square root; y has x's shape, with stride 0 along the reduced
// dimensions, here and in the kernels below.
GG_KERNEL(spread, spread_on_cpu);
namespace {

Tensor computed_spread(const Tensor& x, const Spread& a, bool root) {
  Tensor y = dense_result(a.over.result(), x);
  spread_on(x.device())(WidenedInput(x), RoundedOutput(cells_of(y, a.over), x.device()), a.divisor(), root);
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

Expr why_prod(const Cell& c) {
  return prod(elements_of(c, c.attr<ReduceDims>(), c.dtype()), c.result().dtype());
}

constexpr Op prod_op{"prod", "ProdBackward0", "Π x", why_prod},
    prod_dim_op{"prod", "ProdBackward1", "Π x", why_prod};

template <class T>
struct Product {
  T product = T(1);
  void add(T x) { product = T(product * x); }
  // In PyTorch's order: four vectors of 32 bytes at a time.
  void add_row(const T* x, int64_t n) {
    constexpr int64_t lanes = 32 / sizeof(T), block = 4 * lanes;
    int64_t i = 0;
    if (n >= block) {
      T part[block];
      for (; i < block; ++i) part[i] = x[i];
      for (; i + block <= n; i += block)
        for (int64_t k = 0; k < block; ++k) part[k] = T(part[k] * x[i + k]);
      for (int64_t l = 0; l < lanes; ++l)
        part[l] = T(T(part[l] * part[lanes + l]) * T(part[2 * lanes + l] * part[3 * lanes + l]));
      product = part[0];
      for (int64_t l = 1; l < lanes; ++l) add(part[l]);
    }
    for (; i < n; ++i) add(x[i]);
  }
};
// A narrow product is rounded after each factor, as in PyTorch.
void prod_on_cpu(const View& x, const View& y) {
  if (is_floating(x.dtype))
    return every_float(x.dtype, [&](auto zero) {
      using T = decltype(zero);
      reduce_cells<T>(x, cells_in(x, y, CellOrder::Memory), Product<T>(),
                      [&](const auto& all, int64_t place) { y.as<T>()[place] = all.product; });
    });
  const WidenedInput wide(x, kCpu);
  const View& v = wide;
  const auto put = [&](const auto& all, int64_t place) { y.as<int64_t>()[place] = all.product; };
  v.dtype == boolean ? reduce_cells<bool>(v, cells_in(v, y), Product<int64_t>(), put)
                     : reduce_cells<int64_t>(v, cells_in(v, y), Product<int64_t>(), put);
}

}  // namespace
GG_KERNEL(prod, prod_on_cpu);
namespace {

Tensor computed_prod(const Tensor& x, const ReduceDims& a) {
  Tensor y = dense_result(a.result(), x, is_floating(x.dtype()) ? x.dtype() : int64);
  prod_on(x.device())(WidenedInput(x, NarrowAccess::NativeOnCpu),
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

template <class T>
struct SquareSum {
  T sum = 0;
  void add(T x) { sum += x * x; }
  // With PyTorch's order and roundings: first vectors of 32 bytes, then groups of four without fma, then the
  // rest with fma.
  GG_NOINLINE void add_row(const T* x, int64_t n) {
    constexpr int64_t lanes = 32 / sizeof(T);
    T lane[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
      for (int64_t l = 0; l < lanes; ++l) lane[l] += x[i + l] * x[i + l];
    for (T l : lane) sum += l;
    for (; i + 4 <= n; i += 4)
      for (int64_t k = i; k < i + 4; ++k) add(x[k]);
    for (; i < n; ++i) sum = std::fma(x[i], x[i], sum);
  }
};

}  // namespace

void norm_on_cpu(const View& x, const View& y) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    reduce_cells<T>(x, cells_in(x, y, CellOrder::Memory), SquareSum<T>(),
                    [&](const auto& all, int64_t place) { y.as<T>()[place] = std::sqrt(all.sum); });
  });
}

GG_KERNEL(norm, norm_on_cpu);

namespace {

Tensor computed_norm(const Tensor& x, const ReduceDims& a) {
  Tensor y = dense_result(a.result(), x);
  norm_on(x.device())(WidenedInput(x), RoundedOutput(cells_of(y, a), x.device()));
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

// Sums and what is made of them: mean, variance, norm, product, logsumexp, running sums.
#include <cmath>
#include <cstring>
#include <limits>

#include "../cpu/kernels.h"
#include "../ops.h"
#include "dense.h"
#include "reduction.h"

namespace glassgrad {

// ================================================================ the dimensions
Over over_all(const Tensor& x) {
  Over a{x.shape(), {}, false};
  for (int64_t d = 0; d < x.dim(); ++d) a.dims.push(d);
  return a;
}

Over over(const Tensor& x, const Dims& dims, bool keepdim) {
  Over a = over_all(x);
  a.keepdim = keepdim;
  if (dims.n == 0) return a;
  a.dims = {};
  for (int64_t dim : dims) {
    const int d = wrap_dim(dim, x.dim());
    check(!a.reduces(d), "dim {} appears multiple times in the list of dims", d);
    a.dims.push(d);
  }
  return a;
}

Tensor unreduced(const Tensor& y, const Over& a) {
  if (a.keepdim || y.dim() == 0) return y;  // 0-d broadcasts as it is
  Tensor wide = y;
  for (int d = 0; d < a.shape.n; ++d)
    if (a.reduces(d)) wide = wide.unsqueeze(d);
  return wide;
}

// ================================================================ sum, mean
namespace {

constexpr Op sum_all_op{"sum", "SumBackward0", "Σ x"}, sum_op{"sum", "SumBackward1", "Σ x"},
    mean_all_op{"mean", "MeanBackward0", "Σ x / n"}, mean_op{"mean", "MeanBackward1", "Σ x / n"};

Tensor computed_sum(const Tensor& x, const Over& a) {
  Tensor y = dense_result(a.result(), x, is_floating(x.dtype()) ? x.dtype() : int64);
  View sums = y.raw();
  std::memset(sums.data, 0, size_t(y.numel() * item_size(y.dtype())));
  const Dims strides = contiguous_strides(a.result(true));
  sums.shape = a.shape;
  sums.strides = strides;
  for (int64_t d : a.dims)
    if (d < a.shape.n) sums.strides[d] = 0;
  kernels().sum(x.raw(), sums);
  return y;
}

Tensor sum_over(const Op& op, const Tensor& x, const Over& a) {
  return record(op, computed_sum(x, a), {&x}, {}, a,
                [](Back& d, const Over& o) { d[0] = unreduced(d.g, o).expand(o.shape); });
}

Tensor computed_mean(const Tensor& x, const Over& a) {
  Tensor y = computed_sum(x, a);
  floats(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* means = y.raw().as<T>();
    for (int64_t i = 0; i < y.numel(); ++i) means[i] /= T(a.count());
  });
  return y;
}

Tensor mean_over(const Op& op, const Tensor& x, const Over& a) {
  check(is_floating(x.dtype()),
        "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
        "Got: {}",
        scalar_type_name(x.dtype()));
  return record(op, computed_mean(x, a), {&x}, {}, a,
                [](Back& d, const Over& o) { d[0] = unreduced(d.g, o).expand(o.shape) / o.count(); });
}

}  // namespace

Tensor sum(const Tensor& x) { return sum_over(sum_all_op, x, over_all(x)); }
Tensor sum(const Tensor& x, const Dims& dims, bool keepdim) {
  return sum_over(sum_op, x, over(x, dims, keepdim));
}
Tensor mean(const Tensor& x) { return mean_over(mean_all_op, x, over_all(x)); }
Tensor mean(const Tensor& x, const Dims& dims, bool keepdim) {
  return mean_over(mean_op, x, over(x, dims, keepdim));
}

Tensor sum_to(const Tensor& x, const Dims& shape) {
  const int lead = int(x.dim()) - shape.n;
  Dims dims;
  for (int d = 0; d < x.dim(); ++d)
    if (d < lead || (shape[d - lead] == 1 && x.shape()[d] != 1)) dims.push(d);
  const Tensor y = dims.n ? sum(x, dims, true) : x;
  return lead ? y.view(shape) : y;
}

// ================================================================ var, std
namespace {

struct Spread {
  Over over;
  double correction = 1;

  template <class V>
  void each(V&& visit) const {
    over.each(visit);
    visit("correction", correction);
  }
  double divisor() const { return std::max(0.0, double(over.count()) - correction); }
};
constexpr Op var_op{"var", "VarBackward0", "Σ (x − mean)² / (n − correction)"},
    std_op{"std", "StdBackward0", "√(Σ (x − mean)² / (n − correction))"};

// Σ (x − mean)² in double around the mean as rounded to T: how PyTorch reduces to one number.
template <class T>
double squares_of_all(const Tensor& x, const Over& a) {
  const double mean = double(*computed_mean(x, a).raw().as<const T>());
  const View v = x.raw();
  double sum = 0;
  walk(v.shape, {v.strides}, [&](int64_t i) {
    const double distance = double(v.as<const T>()[i]) - mean;
    sum += distance * distance;
  });
  return sum;
}

// The same of one cell by Welford's method.
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

Tensor computed_spread(const Tensor& x, const Spread& a, bool root) {
  Tensor y = dense_result(a.over.result(), x);
  floats(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* out = y.raw().as<T>();
    const auto put = [&](int64_t i, double squares) {
      const double var = x.numel() ? squares / a.divisor() : std::numeric_limits<double>::quiet_NaN();
      out[i] = T(root ? std::sqrt(var) : var);
    };
    if (y.numel() == 1) return put(0, squares_of_all<T>(x, a.over));
    const View v = x.raw();
    const Cells cells(v, a.over);
    cells.each([&](int64_t i, int64_t first) { put(i, squares_of_cell(v.as<const T>() + first, cells)); });
  });
  return y;
}

Tensor var_grad(const Tensor& g, const Tensor& x, const Spread& a) {
  const Tensor mean = glassgrad::mean(x, a.over.dims, true);
  return mul(mul(unreduced(g, a.over), 2.0 / (double(a.over.count()) - a.correction)), x - mean);
}

Tensor var_over(const Tensor& x, const Spread& a) {
  check(is_floating(x.dtype()), "std and var only support floating point and complex dtypes");
  return record(var_op, computed_spread(x, a, false), {&x}, {{&x}}, a,
                [](Back& d, const Spread& s) { d[0] = var_grad(d.g, d.saved(0), s); });
}

Tensor std_over(const Tensor& x, const Spread& a) {
  check(is_floating(x.dtype()), "std and var only support floating point and complex dtypes");
  Tensor y = computed_spread(x, a, true);
  return record(std_op, y, {&x}, {{&x}, {&y}}, a, [](Back& d, const Spread& s) {
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

constexpr Op prod_op{"prod", "ProdBackward0", "Π x"}, prod_dim_op{"prod", "ProdBackward1", "Π x"};

Tensor computed_prod(const Tensor& x, const Over& a) {
  Tensor y = dense_result(a.result(), x, is_floating(x.dtype()) ? x.dtype() : int64);
  const View v = x.raw();
  const Cells cells(v, a);
  all_types(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Y = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
    cells.each([&](int64_t i, int64_t first) {
      Y product = 1;
      const T* p = v.as<const T>() + first;
      cells.each_element([&](int64_t k) { product *= Y(p[k]); });
      y.raw().as<Y>()[i] = product;
    });
  });
  return y;
}

// The product of all the others, which dividing by an element cannot give where there is a zero: along the
// last dimension, a square of copies with ones on the diagonal.
Tensor product_of_others(const Tensor& x) {
  const int64_t n = x.size(-1);
  Dims square = x.shape();
  square.push(n);
  const Tensor diagonal = to(eye(n), boolean);
  return prod(masked_fill(x.unsqueeze(-2).expand(square), diagonal, 1), -1);
}

Tensor prod_grad(const Tensor& g, const Tensor& x, const Tensor& y, const Over& a) {
  if (x.dim() == 0) return g;
  if (!any(x == 0).is_true()) return unreduced(g * y, a) / x;
  if (a.dims.n < x.dim()) {
    const int64_t dim = a.dims[0];
    return unreduced(g, a) * product_of_others(x.transpose(dim, -1)).transpose(dim, -1);
  }
  return g * product_of_others(x.reshape({-1})).reshape(x.shape());
}

Tensor prod_over(const Op& op, const Tensor& x, const Over& a) {
  Tensor y = computed_prod(x, a);
  return record(op, y, {&x}, {{&x}, {&y}}, a,
                [](Back& d, const Over& o) { d[0] = prod_grad(d.g, d.saved(0), d.saved(1), o); });
}

}  // namespace

Tensor prod(const Tensor& x) { return prod_over(prod_op, x, over_all(x)); }
Tensor prod(const Tensor& x, int64_t dim, bool keepdim) {
  return prod_over(prod_dim_op, x, over(x, dim, keepdim));
}

// ================================================================ norm
namespace {

constexpr Op norm_op{"linalg_vector_norm", "LinalgVectorNormBackward0", "√Σ x²"};

// Σ x² of numbers side by side in the order, and with the roundings, of PyTorch's vectors: lanes of 32 bytes;
// of what is left, fours without fma, the rest with.
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

Tensor computed_norm(const Tensor& x, const Over& a) {
  Tensor y = dense_result(a.result(), x);
  const View v = x.raw();
  const Cells cells(v, a);
  floats(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const bool side_by_side = is_contiguous(cells.reduced, cells.reduced_strides);
    cells.each([&](int64_t i, int64_t first) {
      T sum = 0;
      const T* p = v.as<const T>() + first;
      if (side_by_side)
        sum = squares_of_row(p, a.count());
      else
        cells.each_element([&](int64_t k) { sum += p[k] * p[k]; });
      y.raw().as<T>()[i] = std::sqrt(sum);
    });
  });
  return y;
}

Tensor norm_over(const Tensor& x, const Over& a) {
  check(is_floating(x.dtype()),
        "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
        scalar_type_name(x.dtype()));
  Tensor y = computed_norm(x, a);
  return record(norm_op, y, {&x}, {{&x}, {&y}}, a, [](Back& d, const Over& o) {
    const Tensor n = unreduced(d.saved(1), o);
    d[0] = unreduced(d.g, o) * masked_fill(d.saved(0) / n, n == 0, 0);
  });
}

}  // namespace

Tensor norm(const Tensor& x) { return norm_over(x, over_all(x)); }
Tensor norm(const Tensor& x, const Dims& dims, bool keepdim) { return norm_over(x, over(x, dims, keepdim)); }

// ================================================================ logsumexp
namespace {

constexpr Op logsumexp_op{"logsumexp", "LogsumexpBackward0", "log Σ exp(x)"};

// The maximum is taken out first, unless it is infinite: −∞ − (−∞) is not a number.
Tensor computed_logsumexp(const Tensor& x, const Over& a) {
  const NoGrad no_graph;
  const Watch nobody(nullptr);
  if (x.numel() == 0) return log(sum(exp(x), a.dims, a.keepdim));
  const Tensor top = amax(x, a.dims, true), shift = masked_fill(top, isinf(top), 0);
  const Tensor y = log(sum(exp(x - shift), a.dims, true)) + shift;
  return a.keepdim ? y : y.view(a.result());
}

}  // namespace

Tensor logsumexp(const Tensor& x, const Dims& dims, bool keepdim) {
  if (!is_floating(x.dtype())) return logsumexp(to(x, float32), dims, keepdim);
  const Over a = over(x, dims, keepdim);
  Tensor y = shallow_copy(computed_logsumexp(x, a));
  return record(logsumexp_op, y, {&x}, {{&x}, {&y}}, a, [](Back& d, const Over& o) {
    d[0] = unreduced(d.g, o) * exp(d.saved(0) - unreduced(d.saved(1), o));
  });
}

// ================================================================ cumsum
namespace {

struct Along {
  int64_t dim = 0;
  template <class V>
  void each(V&& visit) const {
    visit("dim", dim);
  }
};
constexpr Op cumsum_op{"cumsum", "CumsumBackward0", "x[0] + … + x[i]"};

template <class X, class Y, class Sum>
void running_sums(const View& x, const View& y, int dim) {
  Dims rows = y.shape;
  rows[dim] = 1;
  const int64_t step = x.strides[dim], out_step = y.strides[dim];
  const X* in = x.as<const X>();
  Y* out = y.as<Y>();
  walk(rows, {x.strides, y.strides}, [&](int64_t from, int64_t to) {
    Sum sum = 0;
    for (int64_t i = 0; i < y.shape[dim]; ++i) out[to + i * out_step] = Y(sum += Sum(in[from + i * step]));
  });
}

}  // namespace

Tensor cumsum(const Tensor& x, int64_t dim) {
  const int d = wrap_dim(dim, x.dim());
  if (x.dim() == 0) return cumsum(x.unsqueeze(0), 0).squeeze(0);
  Tensor y = dense_result(x.shape(), x, is_floating(x.dtype()) ? x.dtype() : int64);
  switch (x.dtype()) {
    case DType::Bool:
      running_sums<bool, int64_t, int64_t>(x.raw(), y.raw(), d);
      break;
    case DType::Int64:
      running_sums<int64_t, int64_t, int64_t>(x.raw(), y.raw(), d);
      break;
    case DType::Float32:
      running_sums<float, float, double>(x.raw(), y.raw(), d);
      break;
    case DType::Float64:
      running_sums<double, double, double>(x.raw(), y.raw(), d);
      break;
  }
  return record(cumsum_op, y, {&x}, {}, Along{d},
                [](Back& b, const Along& a) { b[0] = flip(cumsum(flip(b.g, a.dim), a.dim), a.dim); });
}

// ================================================================ all, any
namespace {

constexpr Op all_op{"all", "", "all x ≠ 0"}, any_op{"any", "", "any x ≠ 0"};

Tensor quantified(const Op& op, const Tensor& x, bool all) {
  Tensor y = dense_result({}, x, boolean);
  bool holds = all;
  const View v = x.raw();
  all_types(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    walk(v.shape, {v.strides}, [&](int64_t i) {
      const bool is = v.as<const T>()[i] != zero;
      holds = all ? holds && is : holds || is;
    });
  });
  *y.raw().as<bool>() = holds;
  return record(op, y, {&x}, NoAttr{});
}

}  // namespace

Tensor all(const Tensor& x) { return quantified(all_op, x, true); }
Tensor any(const Tensor& x) { return quantified(any_op, x, false); }

}  // namespace glassgrad

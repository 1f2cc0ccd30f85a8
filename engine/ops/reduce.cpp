// Sums and ops based on them: mean, logsumexp, running sums; all and any.
#include <cstring>
#include <type_traits>

#include "../core/default_float64.h"
#include "../glass/why.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"
#include "reduction.h"

namespace glassgrad {

// ================================================================ the dimensions of a reduction
ReduceDims over_all(const Tensor& x) {
  ReduceDims a{x.shape(), {}, false};
  for (int64_t d = 0; d < x.dim(); ++d) a.dims.push(d);
  return a;
}

ReduceDims over(const Tensor& x, const Dims& dims, bool keepdim) {
  ReduceDims a = over_all(x);
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

Tensor unreduced(const Tensor& y, const ReduceDims& a) {
  if (a.keepdim || y.dim() == 0) return y;  // a 0-d tensor broadcasts already
  Tensor wide = y;
  for (int d = 0; d < a.shape.n; ++d)
    if (a.reduces(d)) wide = wide.unsqueeze(d);
  return wide;
}

std::vector<Expr> elements_of(const Cell& c, const ReduceDims& a, std::optional<DType> dtype) {
  Dims place = a.shape, reduced;
  for (int d = 0, kept = 0; d < a.shape.n; ++d) {
    if (a.reduces(d)) reduced.push(a.shape[d]);
    place[d] = a.reduces(d) ? 0 : c.index[kept];
    kept += !a.reduces(d) || a.keepdim;
  }
  std::vector<Expr> elements;
  for (int64_t i = 0, n = reduced.numel(); i < n; ++i) {
    const Dims at = index_of(reduced, i);
    for (int d = 0, k = 0; d < a.shape.n; ++d)
      if (a.reduces(d)) place[d] = at[k++];
    const Expr element = c.in(0, place);
    elements.push_back(dtype ? cast(element, *dtype) : element);
  }
  return elements;
}

// ================================================================ sum, mean
View cells_of(const Tensor& y, const ReduceDims& a) {
  View v = y.raw();
  v.shape = a.shape;
  v.strides = contiguous_strides(a.result(true));
  for (int64_t d : a.dims)
    if (d < a.shape.n) v.strides[d] = 0;
  return v;
}

Cells cells_in(const View& x, const View& y, CellOrder order) {
  return {x, y, sorted_dims(x.shape.n, [&](int64_t a, int64_t b) {
            const bool open = order == CellOrder::Logical || y.strides[a] != 0 || y.strides[b] != 0;
            return open ? 0 : outside_in_memory(x.shape, &x.strides, 1, a, b);
          })};
}

namespace {

void sum_on_cpu(const View& x, const View& y, int64_t divisor) {
  const int64_t n = cells_in(x, y).kept.numel();
  if (n) std::memset(y.data, 0, size_t(n * item_size(y.dtype)));
  kernels().sum(x, y);
  if (divisor == 1) return;
  floats(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (T& sum : std::span(y.as<T>(), size_t(n))) sum /= T(divisor);
  });
}

}  // namespace
// y = Σ x / divisor, where integers ignore the divisor; y has x's shape, with stride 0 along the summed
// dimensions.
GG_KERNEL(sum, sum_on_cpu);
namespace {

Tensor computed_sum(const Tensor& x, const ReduceDims& a, int64_t divisor) {
  Tensor y = dense_result(a.result(), x, is_floating(x.dtype()) ? x.dtype() : int64);
  sum_on(x.device())(WidenedInput(x, NarrowAccess::NativeOnGpu),
                     RoundedOutput(cells_of(y, a), x.device(), NarrowAccess::NativeOnGpu), divisor);
  return y;
}

Expr why_sum(const Cell& c) { return sum(elements_of(c, c.attr<ReduceDims>(), c.dtype())); }
Expr why_mean(const Cell& c) { return why_sum(c).called("sum") / Expr(double(c.attr<ReduceDims>().count())); }

constexpr Op sum_all_op{"sum", "SumBackward0", "Σ x", why_sum}, sum_op{"sum", "SumBackward1", "Σ x", why_sum},
    mean_all_op{"mean", "MeanBackward0", "Σ x / n", why_mean},
    mean_op{"mean", "MeanBackward1", "Σ x / n", why_mean};

Tensor sum_over(const Op& op, const Tensor& x, const ReduceDims& a) {
  return record(op, computed_sum(x, a, 1), {&x}, {}, a,
                [](BackwardContext& d, const ReduceDims& o) { d[0] = unreduced(d.g, o).expand(o.shape); });
}

Tensor mean_over(const Op& op, const Tensor& x, const ReduceDims& a) {
  check(is_floating(x.dtype()),
        "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
        "Got: {}",
        scalar_type_name(x.dtype()));
  return record(op, computed_sum(x, a, a.count()), {&x}, {}, a, [](BackwardContext& d, const ReduceDims& o) {
    d[0] = unreduced(d.g, o).expand(o.shape) / o.count();
  });
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
  check(expands_to(shape, x.shape()), "sum_to: {} is no sum of {}", shape, x.shape());
  const int lead = int(x.dim()) - shape.n;
  Dims dims;
  for (int d = 0; d < x.dim(); ++d)
    if (d < lead || (shape[d - lead] == 1 && x.shape()[d] != 1)) dims.push(d);
  const Tensor y = dims.n ? sum(x, dims, true) : x;
  return lead ? y.view(shape) : y;
}

// ================================================================ logsumexp
namespace {

Expr why_logsumexp(const Cell& c) {
  const std::vector<Expr> terms = elements_of(c, c.attr<ReduceDims>());
  if (terms.empty()) return log(Expr(0.0));
  const Expr top = max(terms).called("max"), shift = is_true(is_infinite(top).value()) ? Expr(0.0) : top;
  std::vector<Expr> exps;
  for (const Expr& x : terms) exps.push_back(exp(x - shift));
  return log(sum(exps).called("sum of exps")) + shift;
}

constexpr Op logsumexp_op{"logsumexp", "LogsumexpBackward0", "log Σ exp(x)", why_logsumexp};

// Subtracts the maximum first, unless it is infinite: −∞ − (−∞) is NaN.
Tensor computed_logsumexp(const Tensor& x, const ReduceDims& a) {
  const NoRecording no_recording;
  if (x.numel() == 0) return log(sum(exp(x), a.dims, a.keepdim));
  const Tensor top = amax(x, a.dims, true), shift = masked_fill(top, isinf(top), 0);
  const Tensor y = log(sum(exp(x - shift), a.dims, true)) + shift;
  return a.keepdim ? y : y.view(a.result());
}

}  // namespace

Tensor logsumexp(const Tensor& x, const Dims& dims, bool keepdim) {
  if (!is_floating(x.dtype())) return logsumexp(to(x, scope_dtype(float32)), dims, keepdim);
  const ReduceDims a = over(x, dims, keepdim);
  Tensor y = shallow_copy(computed_logsumexp(x, a));
  return record(logsumexp_op, y, {&x}, {{&x}, {&y}}, a, [](BackwardContext& d, const ReduceDims& o) {
    d[0] = unreduced(d.g, o) * exp(d.saved(0) - unreduced(d.saved(1), o));
  });
}

// ================================================================ cumsum
namespace {

struct Along {
  int64_t dim = 0;
  static constexpr AttrNames kNames{"dim"};
};
// Running sums of floats are kept in double.
Expr why_cumsum(const Cell& c) {
  const DType t = c.dtype(), wide = is_floating(t) ? float64 : t;
  std::vector<Expr> terms;
  Dims place = c.index;
  const int64_t dim = c.attr<Along>().dim, last = place[dim];
  for (int64_t i = 0; i <= last; ++i) {
    place[dim] = i;
    terms.push_back(cast(c.in(0, place), wide));
  }
  return cast(sum(std::move(terms)), t);
}

constexpr Op cumsum_op{"cumsum", "CumsumBackward0", "x[0] + … + x[i]", why_cumsum};

template <class X, class Y, class Sum>
void running_sums_of(const View& x, const View& y, int dim) {
  Dims rows = y.shape;
  rows[dim] = 1;
  const int64_t step = x.strides[dim], out_step = y.strides[dim];
  const X* in = x.as<const X>();
  Y* out = y.as<Y>();
  Nest(rows, {x.strides, y.strides}).each([&](int64_t from, int64_t to) {
    Sum sum = 0;
    for (int64_t i = 0; i < y.shape[dim]; ++i) out[to + i * out_step] = Y(sum += Sum(in[from + i * step]));
  });
}

void running_sums_on_cpu(const View& x, const View& y, int dim) {
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>)
      running_sums_of<T, T, double>(x, y, dim);
    else
      running_sums_of<T, int64_t, int64_t>(x, y, dim);
  });
}

}  // namespace

// y[i] = x[0] + … + x[i] along dimension dim; floats are summed in double.
GG_KERNEL(running_sums, running_sums_on_cpu);

Tensor cumsum(const Tensor& x, int64_t dim) {
  const int d = wrap_dim(dim, x.dim());
  if (x.dim() == 0) return cumsum(x.unsqueeze(0), 0).squeeze(0);
  Tensor y = dense_result(x.shape(), x, is_floating(x.dtype()) ? x.dtype() : int64);
  if (y.numel() > 0) running_sums_on(x.device())(WidenedInput(x), RoundedOutput(y), d);
  return record(cumsum_op, y, {&x}, {}, Along{d}, [](BackwardContext& b, const Along& a) {
    b[0] = flip(cumsum(flip(b.g, a.dim), a.dim), a.dim);
  });
}

// ================================================================ all, any
namespace {

Expr why_all(const Cell& c) { return all(elements_of(c, over_all(c.input(0)))); }
Expr why_any(const Cell& c) { return any(elements_of(c, over_all(c.input(0)))); }

constexpr Op all_op{"all", "", "all x ≠ 0", why_all}, any_op{"any", "", "any x ≠ 0", why_any};

struct AllOrAny {
  bool holds, of_all;
  template <class T>
  void add(T x) {
    holds = of_all ? holds && x != T(0) : holds || x != T(0);
  }
};
void all_on_cpu(const View& x, const View& y, bool of_all) {
  all_types(x.dtype, [&](auto zero) {
    reduce_cells<decltype(zero)>(
        x, cells_in(x, y), AllOrAny{of_all, of_all},
        [&](const AllOrAny& all, int64_t place) { y.as<bool>()[place] = all.holds; });
  });
}

}  // namespace
// Sets the one element of y: all elements of x, or any of them, are not 0.
GG_KERNEL(all, all_on_cpu);
namespace {

Tensor quantified(const Op& op, const Tensor& x, bool of_all) {
  const Tensor y = dense_result({}, x, boolean);
  all_on(x.device())(WidenedInput(x), cells_of(y, over_all(x)), of_all);
  return record(op, x.dtype() == uint8 ? converted(y, uint8) : y, {&x}, NoAttr{});  // like PyTorch
}

}  // namespace

Tensor all(const Tensor& x) { return quantified(all_op, x, true); }
Tensor any(const Tensor& x) { return quantified(any_op, x, false); }

}  // namespace glassgrad

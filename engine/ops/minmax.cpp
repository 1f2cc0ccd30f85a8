// Largest and smallest elements and their indices. The first of equal elements is taken; NaN counts as more
// extreme than any number.
#include <limits>

#include "../glass/why.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"
#include "reduction.h"

namespace glassgrad {
namespace {

template <bool is_max>
Expr why_place(const Cell& c) {
  return found(is_max ? "where the greatest stands" : "where the smallest stands",
               elements_of(c, c.attr<ReduceDims>()), c.value());
}
template <bool is_max>
Expr why_extreme(const Cell& c) {
  if (c.out == 1) return why_place<is_max>(c);
  std::vector<Expr> terms = elements_of(c, c.attr<ReduceDims>());
  return is_max ? max(std::move(terms)) : min(std::move(terms));
}

constexpr Op max_op{"max", "MaxBackward1", "max x", why_extreme<true>},
    min_op{"min", "MinBackward1", "min x", why_extreme<false>},
    max_dim_op{"max", "MaxBackward0", "max x", why_extreme<true>},
    min_dim_op{"min", "MinBackward0", "min x", why_extreme<false>},
    amax_op{"amax", "AmaxBackward0", "max x", why_extreme<true>},
    amin_op{"amin", "AminBackward0", "min x", why_extreme<false>},
    argmax_op{"argmax", "", "first i with x[i] = max x", why_place<true>},
    argmin_op{"argmin", "", "first i with x[i] = min x", why_place<false>};

template <bool max, class T>
struct Extreme {
  using Limits = std::numeric_limits<T>;
  // Nothing is beyond its own opposite extreme, so the first element stays if all elements are that.
  T value = Limits::has_infinity ? (max ? -Limits::infinity() : Limits::infinity())
                                 : (max ? Limits::lowest() : Limits::max());
  int64_t at = 0, seen = 0;

  void add(T x) {
    if (is_beyond(x)) value = x, at = seen;
    ++seen;
  }
  bool is_beyond(T x) const {
    if (value != value) return false;
    return x != x || (max ? x > value : x < value);
  }
};

template <bool max>
void extremes_of(const View& x, const View& values, const View& indices) {
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    reduce_cells<T>(x, cells_in(x, values), Extreme<max, T>(), [&](const auto& best, int64_t place) {
      values.as<T>()[place] = best.value;
      indices.as<int64_t>()[place] = best.at;
    });
  });
}
void extremes_on_cpu(const View& x, const View& values, const View& indices, bool max) {
  max ? extremes_of<true>(x, values, indices) : extremes_of<false>(x, values, indices);
}

}  // namespace
// The largest or smallest element of each cell, and its position within the cell; values and indices have x's
// shape, with stride 0 along the reduced dimensions.
GG_KERNEL(extremes, extremes_on_cpu);
namespace {

ValuesIndices computed(const Tensor& x, const ReduceDims& a, bool max) {
  ValuesIndices y{dense_result(a.result(), x), dense_result(a.result(), x, int64)};
  extremes_on(x.device())(WidenedInput(x), RoundedOutput(cells_of(y.values, a), x.device()),
                          cells_of(y.indices, a), max);
  return y;
}

void check_not_empty(const char* name, const ReduceDims& a) {
  for (int64_t d : a.dims)
    check<IndexError>(d >= a.shape.n || a.shape[d] != 0,
                      "{}(): Expected reduction dim {} to have non-zero size.", name, d);
}
constexpr const char* kNoDim =
    "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
    "'dim' argument.";

// Shares g equally among all elements that equal the result.
Tensor shared_by_all(const Tensor& g, const Tensor& x, const Tensor& y, const ReduceDims&) {
  const Tensor is_best = eq(x, y) | (isnan(x) & isnan(y));
  return where(is_best, g / sum(is_best), 0.0);
}
Tensor shared_by_cell(const Tensor& g, const Tensor& x, const Tensor& y, const ReduceDims& a) {
  const Tensor is_best = eq(x, unreduced(y, a));
  return unreduced(g, a) * is_best / sum(is_best, a.dims, true);
}

template <class F>
Tensor extreme(const Op& op, const Tensor& x, const ReduceDims& a, bool max, F) {
  Tensor y = computed(x, a, max).values;
  return record(op, y, {&x}, {{&x}, {&y}}, a,
                [](BackwardContext& d, const ReduceDims& o) { d[0] = F{}(d.g, d.saved(0), d.saved(1), o); });
}

Tensor extreme_of_all(const Op& op, const Tensor& x, bool max) {
  check(x.numel() > 0, kNoDim, op.name);
  return extreme(op, x, over_all(x), max, [](const auto&... a) { return shared_by_all(a...); });
}

Tensor extreme_over(const Op& op, const Tensor& x, const Dims& dims, bool keepdim, bool max) {
  const ReduceDims a = over(x, dims, keepdim);
  if (dims.n == 0) check(x.numel() > 0, kNoDim, op.name);
  check_not_empty(op.name, a);
  return extreme(op, x, a, max, [](const auto&... s) { return shared_by_cell(s...); });
}

ValuesIndices extreme_along(const Op& op, const Tensor& x, int64_t dim, bool keepdim, bool max) {
  const ReduceDims a = over(x, dim, keepdim);
  check_not_empty(op.name, a);
  const ValuesIndices y = computed(x, a, max);
  const Tensor outputs[] = {y.values, y.indices};
  record_outputs(op, outputs, 1, {&x}, {{&outputs[1]}}, a, [](BackwardContext& d, const ReduceDims& o) {
    if (o.shape.n == 0) return void(d[0] = d.g);
    const auto kept = [&o](const Tensor& t) { return o.keepdim ? t : t.unsqueeze(o.dims[0]); };
    d[0] = scatter_add(zeros(o.shape, d.g.dtype(), d.g.device()), o.dims[0], kept(d.saved(0)), kept(d.g));
  });
  return {outputs[0], outputs[1]};
}

Tensor index_of(const Op& op, const Tensor& x, const ReduceDims& a, bool max) {
  check(x.dtype() != boolean, "\"{}_{}\" not implemented for 'Bool'", op.name,
        x.device() == kCpu ? "cpu" : "cuda");
  return record(op, computed(x, a, max).indices, {&x}, a);
}
Tensor index_of_all(const Op& op, const Tensor& x, bool max) {
  check<IndexError>(x.numel() > 0, "{}(): Expected reduction dim to be specified for input.numel() == 0.",
                    op.name);
  return index_of(op, x, over_all(x), max);
}
Tensor index_along(const Op& op, const Tensor& x, int64_t dim, bool keepdim, bool max) {
  const ReduceDims a = over(x, dim, keepdim);
  check_not_empty(op.name, a);
  return index_of(op, x, a, max);
}

}  // namespace

Tensor max(const Tensor& x) { return extreme_of_all(max_op, x, true); }
Tensor min(const Tensor& x) { return extreme_of_all(min_op, x, false); }
ValuesIndices max(const Tensor& x, int64_t dim, bool keepdim) {
  return extreme_along(max_dim_op, x, dim, keepdim, true);
}
ValuesIndices min(const Tensor& x, int64_t dim, bool keepdim) {
  return extreme_along(min_dim_op, x, dim, keepdim, false);
}
Tensor amax(const Tensor& x, const Dims& dims, bool keepdim) {
  return extreme_over(amax_op, x, dims, keepdim, true);
}
Tensor amin(const Tensor& x, const Dims& dims, bool keepdim) {
  return extreme_over(amin_op, x, dims, keepdim, false);
}
Tensor argmax(const Tensor& x) { return index_of_all(argmax_op, x, true); }
Tensor argmax(const Tensor& x, int64_t dim, bool keepdim) {
  return index_along(argmax_op, x, dim, keepdim, true);
}
Tensor argmin(const Tensor& x) { return index_of_all(argmin_op, x, false); }
Tensor argmin(const Tensor& x, int64_t dim, bool keepdim) {
  return index_along(argmin_op, x, dim, keepdim, false);
}

}  // namespace glassgrad

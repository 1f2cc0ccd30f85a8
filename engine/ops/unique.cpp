// unique: which values a tensor has.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "../ops.h"
#include "../why.h"
#include "dense.h"

namespace glassgrad {
namespace {

Expr why_unique(const Cell& c) {
  std::vector<Expr> all;
  for (int64_t i = 0, n = c.input(0).numel(); i < n; ++i)
    all.push_back(c.in(0, index_of(c.input(0).shape(), i)));
  return found(c.out == 0   ? c.call.op.formula
               : c.out == 1 ? "the place of x[…] among the values"
                            : "how often it is x[…]",
               all, c.value());
}

constexpr Op unique_op{"unique", "", "the i-th value of x[…] in order, each once", why_unique};

// NaN stands behind every number, and no NaN equals another.
template <class T>
bool before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (std::isnan(b) && !std::isnan(a));
  return a < b;
}

}  // namespace

Unique unique(const Tensor& x) {
  const Tensor flat = dense(x);
  const int64_t n = x.numel();
  Unique y;
  y.inverse = dense_result(x.shape(), x, int64);
  all_types(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* const from = flat.raw().as<const T>();
    std::vector<int64_t> order(static_cast<size_t>(n)), starts;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return before(from[a], from[b]); });
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || from[order[size_t(i)]] != from[order[size_t(i - 1)]]) starts.push_back(i);
      y.inverse.raw().as<int64_t>()[order[size_t(i)]] = int64_t(starts.size()) - 1;
    }
    const auto count = int64_t(starts.size());
    y.values = dense_result({count}, x);
    y.counts = dense_result({count}, x, int64);
    starts.push_back(n);
    for (int64_t k = 0; k < count; ++k) {
      y.values.raw().as<T>()[k] = from[order[size_t(starts[size_t(k)])]];
      y.counts.raw().as<int64_t>()[k] = starts[size_t(k + 1)] - starts[size_t(k)];
    }
  });
  const Tensor all[] = {y.values, y.inverse, y.counts};
  tell([&](Observer& o) { o.op({unique_op, Attr(NoAttr()), Inputs{&x}, all, in_backward_of}); });
  return y;
}

}  // namespace glassgrad

// unique: which values a tensor has.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "../glass/why.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"

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

int64_t order_on_cpu(const View& x, const View& order, const View& numbers) {
  int64_t different = 0;
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const from = x.as<const T>();
    int64_t *const at = order.as<int64_t>(), n = x.shape.numel();
    std::iota(at, at + n, int64_t{0});
    std::stable_sort(at, at + n, [&](int64_t a, int64_t b) { return before(from[a], from[b]); });
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || from[at[i]] != from[at[i - 1]]) ++different;
      numbers.as<int64_t>()[i] = different - 1;
    }
  });
  return different;
}

void unique_on_cpu(const View& x, const View& order, const View& numbers, const View& values,
                   const View& inverse, const View& counts) {
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(counts.as<int64_t>(), counts.shape.numel(), 0);
    for (int64_t i = 0; i < x.shape.numel(); ++i) {
      const int64_t at = order.as<int64_t>()[i], number = numbers.as<int64_t>()[i];
      inverse.as<int64_t>()[at] = number;
      if (counts.as<int64_t>()[number]++ == 0) values.as<T>()[number] = x.as<const T>()[at];
    }
  });
}

}  // namespace

Unique unique(const Tensor& x) {
  const Tensor flat = dense(x), order = dense_result({x.numel()}, x, int64), numbers = empty_like(order);
  const int64_t count = kernel_for(x.device(), order_on_cpu, GG_CUDA(unique_order))(
      Wide(flat.raw()), order.raw(), numbers.raw());
  const Unique y{dense_result({count}, x), dense_result(x.shape(), x, int64),
                 dense_result({count}, x, int64)};
  kernel_for(x.device(), unique_on_cpu, GG_CUDA(unique))(
      Wide(flat.raw()), order.raw(), numbers.raw(), Rounded(y.values.raw()), y.inverse.raw(), y.counts.raw());
  const Tensor all[] = {y.values, y.inverse, y.counts};
  tell([&](Observer& o) { o.op({unique_op, Attr(NoAttr()), Inputs{&x}, all, in_backward_of}); });
  return y;
}

}  // namespace glassgrad

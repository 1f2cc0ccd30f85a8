// Order: topk, sort, argsort, nonzero, unique. NaN is greater than every number, and no NaN equals another.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>

#include "../glass/why.h"
#include "../ops.h"
#include "indices.h"
#include "layout.h"

namespace glassgrad {
namespace {

struct Largest {
  int64_t k, dim;
  bool largest;
  Dims from;
  static constexpr AttrNames kNames{"k", "dim", "largest"};
};
struct Sorted {
  int64_t dim;
  bool descending;
  Dims from;
  static constexpr AttrNames kNames{"dim", "descending"};
};

int64_t dim_of(const Cell& c) {
  const auto* largest = c.call.attr.as<Largest>();
  return largest ? largest->dim : c.attr<Sorted>().dim;
}
Expr why_position(const Cell& c) { return found(c.call.op.formula, c.line(0, dim_of(c)), c.value()); }
// Values and their positions.
Expr why_chosen(const Cell& c) {
  if (c.out == 1) return why_position(c);
  const Scalar position = element(c.call.out[1], c.index);
  Dims place = c.index;
  if (place.n) place[dim_of(c)] = position.whole;
  const Expr at = found("its position", c.line(0, dim_of(c)), position);
  return pick(c.in(0, place), {at});
}
Expr why_nonzero(const Cell& c) {
  Dims place;
  for (int64_t d = 0; d < c.result().shape()[1]; ++d) place.push(element(c.result(), {c.index[0], d}).whole);
  return found(c.call.op.formula, {c.in(0, place)}, c.value());
}

constexpr Op topk_op{"topk", "TopkBackward0", "the i-th of the k greatest of x[…, :, …]", why_chosen};
constexpr Op sort_op{"sort", "SortBackward0", "the i-th of x[…, :, …] in order", why_chosen};
constexpr Op argsort_op{"argsort", "", "where the i-th of x[…, :, …] in order stands", why_position};
constexpr Op nonzero_op{"nonzero", "", "the index of the i-th element that is not 0", why_nonzero};

template <class T>
struct Item {
  T value;
  int64_t index;
};

template <class T>
bool less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (std::isnan(b) && !std::isnan(a));
  return a < b;
}

// An unsigned integer in the order of less(): equal for 0 and −0 and for all NaNs.
template <class T>
auto sortable(T x) {
  using Key =
      std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint8_t>>;
  constexpr Key kSign = std::is_same_v<T, bool> ? 0 : Key(Key(1) << (8 * sizeof(T) - 1));
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x)) return ~Key(0);
    const auto bits = __builtin_bit_cast(Key, x == 0 ? T(0) : x);
    return Key(bits & kSign ? ~bits : bits ^ kSign);
  } else {
    return Key(Key(x) ^ kSign);
  }
}

// Sorts stably by the digits of the keys, the lowest first, in time that grows with the number of items.
template <class T>
void radix_sort(std::vector<Item<T>>& items, bool descending) {
  constexpr int kBits = 11, kDigits = (8 * int(sizeof(T)) + kBits - 1) / kBits;
  constexpr size_t kValues = size_t(1) << kBits;
  const auto digit = [descending](T x, int d) {
    const auto key = sortable(x);
    return size_t((descending ? decltype(key)(~key) : key) >> (kBits * d)) & (kValues - 1);
  };
  std::vector<size_t> places(kDigits * kValues);
  for (const Item<T>& item : items)
    for (int d = 0; d < kDigits; ++d) ++places[size_t(d) * kValues + digit(item.value, d)];
  std::vector<Item<T>> sorted(items.size());
  for (int d = 0; d < kDigits; ++d) {
    size_t* const place = places.data() + size_t(d) * kValues;
    if (place[digit(items[0].value, d)] == items.size()) continue;  // the digit is the same everywhere
    size_t begin = 0;
    for (size_t v = 0; v < kValues; ++v) begin += std::exchange(place[v], begin);
    for (const Item<T>& item : items) sorted[place[digit(item.value, d)]++] = item;
    items.swap(sorted);
  }
}

// Calls order(items, before) for every line of x along dim, then writes as many items as the results hold.
// before(a, b): does a come before b?
template <class F>
void order_lines(const View& x, const View& values, const View& indices, int dim, bool descending, F order) {
  const int64_t size = x.shape[dim], room = values.shape[dim];
  const Dims lines = with(x.shape, dim, size > 0 ? 1 : 0);
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const from = x.as<const T>();
    std::vector<Item<T>> items(static_cast<size_t>(size));
    Nest(lines, {x.strides, values.strides, indices.strides}).each([&](int64_t a, int64_t b, int64_t c) {
      for (int64_t i = 0; i < size; ++i) items[size_t(i)] = {from[a + i * x.strides[dim]], i};
      if (descending)
        order(items, [](const Item<T>& p, const Item<T>& q) { return less(q.value, p.value); });
      else
        order(items, [](const Item<T>& p, const Item<T>& q) { return less(p.value, q.value); });
      for (int64_t i = 0; i < room; ++i) {
        values.as<T>()[b + i * values.strides[dim]] = items[size_t(i)].value;
        indices.as<int64_t>()[c + i * indices.strides[dim]] = items[size_t(i)].index;
      }
    });
  });
}

void sort_on_cpu(const View& x, const View& values, const View& indices, int dim, bool descending) {
  order_lines(x, values, indices, dim, descending, [descending](auto& items, auto before) {
    if (items.size() > 512)  // for fewer items, counting digits costs more than it saves
      radix_sort(items, descending);
    else
      std::stable_sort(items.begin(), items.end(), before);
  });
}

// Chooses between two algorithms as PyTorch does, so that equal values come in the same order.
void topk_on_cpu(const View& x, const View& values, const View& indices, int dim, bool largest) {
  const auto k = ptrdiff_t(values.shape[dim]);
  order_lines(x, values, indices, dim, largest, [k](auto& items, auto before) {
    if (k == 0) return;
    const auto begin = items.begin(), end = items.end();
    if (k * 64 <= std::ssize(items)) {
      std::partial_sort(begin, begin + k, end, before);
    } else {
      std::nth_element(begin, begin + k - 1, end, before);
      std::sort(begin, begin + k - 1, before);
    }
  });
}

}  // namespace
// Sorts each line of x along dim. Writes as many of the first elements as `values` holds, and their positions
// in the line. Stable; nan comes after every number. All have strides for x's shape; a 0-d tensor is passed
// with a dimension of size 1.
GG_KERNEL(sort, sort_on_cpu);
namespace {

// A 0-d tensor is a line of one element.
View in_lines(const Tensor& x) {
  View v = x.raw();
  if (v.shape.n == 0) v.shape = v.strides = 1;
  return v;
}

ValuesIndices sorted(const Tensor& x, int dim, bool descending) {
  ValuesIndices y{empty_like(x), empty_like(x, int64)};
  if (x.numel() == 0) return y;  // it may have stride 0 where a reduction's result would have an element
  sort_on(x.device())(WidenedInput(in_lines(x), x.device()), RoundedOutput(in_lines(y.values), x.device()),
                      in_lines(y.indices), dim, descending);
  return y;
}

// Scatters the gradients of the chosen elements back to their places.
constexpr auto chosen_back = [](BackwardContext& d, const auto& a) {
  d[0] = scatter_add(zeros(a.from, d.g.dtype(), d.g.device()), a.dim, d.saved(0), d.g);
};

template <class A>
ValuesIndices record_choice(const Op& op, const ValuesIndices& y, const Tensor& x, const A& a) {
  const Tensor results[] = {y.values, y.indices};
  record_outputs(op, results, 1, {&x}, {{&y.indices}}, a, chosen_back);
  return y;
}

}  // namespace

ValuesIndices topk(const Tensor& x, int64_t k, int64_t dim, bool largest) {
  const int along = wrap_dim(dim, x.dim());
  check(k >= 0 && k <= (x.dim() ? x.shape()[along] : 1), "selected index k out of range");
  check(x.dtype() != boolean, "\"topk_cpu\" not implemented for 'Bool'");
  const Dims shape = x.dim() ? with(x.shape(), along, k) : Dims{};
  const ValuesIndices y{empty(shape, x.dtype(), x.device()), empty(shape, int64, x.device())};
  kernel_for(x.device(), topk_on_cpu, GG_CUDA(sort))(WidenedInput(in_lines(x), x.device()),
                                                     RoundedOutput(in_lines(y.values), x.device()),
                                                     in_lines(y.indices), along, largest);
  return record_choice(topk_op, y, x, Largest{k, along, largest, x.shape()});
}

ValuesIndices sort(const Tensor& x, int64_t dim, bool descending) {
  const int along = wrap_dim(dim, x.dim());
  return record_choice(sort_op, sorted(x, along, descending), x, Sorted{along, descending, x.shape()});
}

Tensor argsort(const Tensor& x, int64_t dim, bool descending) {
  const int along = wrap_dim(dim, x.dim());
  return record(argsort_op, sorted(x, along, descending).indices, {&x}, Sorted{along, descending, x.shape()});
}

Tensor nonzero(const Tensor& x) { return record(nonzero_op, positions_of_nonzero(x), {&x}, NoAttr{}); }

// ---- unique
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

int64_t unique_order_on_cpu(const View& x, const View& order, const View& numbers) {
  int64_t different = 0;
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* const from = x.as<const T>();
    int64_t *const at = order.as<int64_t>(), n = x.shape.numel();
    std::iota(at, at + n, int64_t{0});
    std::stable_sort(at, at + n, [&](int64_t a, int64_t b) { return less(from[a], from[b]); });
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

// order[k] gets the position in x of the k-th element in sorted order, numbers[k] how many distinct values
// come before it. Returns the number of distinct values. x is contiguous. A GPU's waits. Then unique writes
// each value once, its count, and to `inverse` the index of each element's value.
GG_KERNEL(unique_order, unique_order_on_cpu);
GG_KERNEL(unique, unique_on_cpu);

Unique unique(const Tensor& x) {
  const Tensor flat = dense(x), order = dense_result({x.numel()}, x, int64), numbers = empty_like(order);
  const int64_t count = unique_order_on(x.device())(WidenedInput(flat), order.raw(), numbers.raw());
  const Unique y{dense_result({count}, x), dense_result(x.shape(), x, int64),
                 dense_result({count}, x, int64)};
  unique_on(x.device())(WidenedInput(flat), order.raw(), numbers.raw(), RoundedOutput(y.values),
                        y.inverse.raw(), y.counts.raw());
  const Tensor all[] = {y.values, y.inverse, y.counts};
  tell([&](Observer& o) { o.op({unique_op, Attr(NoAttr()), Inputs{&x}, all, in_backward_of}); });
  return y;
}

}  // namespace glassgrad

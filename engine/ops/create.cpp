// Tensors made without inputs: filled, counted, or from values. Random ones are in random.cpp.
#include "../literal.h"

#include <cmath>
#include <limits>

#include "../core/default_float64.h"
#include "../glass/why.h"
#include "../ops.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {

thread_local constinit bool defaults_to_float64 = false;

namespace {

// y[i] = value(i) in logical order; y is contiguous, on the CPU. value: T(int64_t).
template <class T, class F>
void generate(const Tensor& y, F value) {
  T* to = y.raw().as<T>();
  for (int64_t i = 0, n = y.numel(); i < n; ++i) to[i] = static_cast<T>(value(i));
}

template <class V>
Tensor from_numbers(const std::vector<V>& values, const Dims& shape, DType dtype) {
  constexpr static Op op{"tensor", "", "value", why_constant};
  const Tensor y = empty(shape, dtype, kCpu);
  check<ValueError>(y.numel() == static_cast<int64_t>(values.size()), "{} values do not fill shape {}",
                    values.size(), shape);
  if (is_integer(y.dtype()))
    for (const V v : values)
      check(number_fits(static_cast<double>(v), std::is_integral_v<V>, y.dtype()),
            "value cannot be converted to type {} without overflow", dtype_name(y.dtype()) + 6);
  every_type(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    generate<T>(y, [&](int64_t i) { return values[static_cast<size_t>(i)]; });
  });
  return record(op, on_device(y, default_device), {}, NoAttr{});
}

// Writes the value of a 0-d tensor to every element of y, which is dense.
void fill_dense(const Tensor& y, const Tensor& value) {
  check_number_fits(value, y.dtype());
  every_type(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const bool whole = is_integer(y.dtype()) && !is_floating(value.dtype());
    const T number = whole ? static_cast<T>(value.item<int64_t>()) : static_cast<T>(value.item());
    if (y.device() == kMeta) return;
    if (y.device() == kCpu) {
      std::fill_n(y.raw().as<T>(), y.numel(), number);
    } else {
      const Tensor one = empty_strided({}, {}, y.dtype());
      *one.raw().as<T>() = number;
      assign(y, one);
    }
  });
}

// float32 for a float, int64 for an integer, bool for a bool.
DType default_dtype(const Tensor& number) { return is_floating(number.dtype()) ? float32 : number.dtype(); }

Tensor filled(const Op& op, Tensor y, const Tensor& value) {
  fill_dense(y, value);
  return record(op, std::move(y), {}, NoAttr{});
}

// ---- torch.tensor

Literal::Kind widest(const Literal& x) {
  if (x.kind() != Literal::Kind::List) return x.kind();
  Literal::Kind kind = x.items().empty() ? Literal::Kind::Float : Literal::Kind::Bool;
  for (const Literal& item : x.items()) kind = std::max(kind, widest(item));
  return kind;
}

// Appends the numbers in x. Throws unless x has the sizes of `shape` from dimension `dim` on.
template <class V>
void flatten(const Literal& x, const Dims& shape, int dim, bool floating, std::vector<V>& values) {
  const bool list = x.kind() == Literal::Kind::List;
  if (dim == shape.n) {
    check<TypeError>(
        !list, "{}",
        floating ? "must be real number, not list" : "'list' object cannot be interpreted as an integer");
    if constexpr (std::is_same_v<V, double>)
      values.push_back(x.number());
    else
      values.push_back(x.integer());
    return;
  }
  check<TypeError>(list, "not a sequence");
  const int64_t size = static_cast<int64_t>(x.items().size());
  check<ValueError>(size == shape[dim], "expected sequence of length {} at dim {} (got {})", shape[dim], dim,
                    size);
  for (const Literal& item : x.items()) flatten(item, shape, dim + 1, floating, values);
}

template <class V>
Tensor from_literal(const Literal& x, const Dims& shape, DType dtype, bool floating) {
  std::vector<V> values;
  if (shape.numel() > 0) flatten(x, shape, 0, floating, values);
  return from_values(values, shape, dtype);
}

// ---- arange, linspace

struct Range {
  double start, end, step;
  static constexpr AttrNames kNames{"start", "end", "step"};
};
struct IntRange {
  int64_t start, end, step;
  static constexpr AttrNames kNames{"start", "end", "step"};
};
constexpr Op arange_op{"arange", "", "start + i·step", why_constant};

// y[i] = start + i·step, modulo 2^64.
void count_up_on_cpu(const View& y, int64_t start, int64_t step) {
  for (int64_t i = 0, n = y.shape.numel(); i < n; ++i)
    y.as<int64_t>()[i] = int64_t(uint64_t(start) + uint64_t(i) * uint64_t(step));
}

// Repeats PyTorch's vector loop: two whole vectors at a time, each counting on from a first element that is
// rounded to T; then the remaining elements one by one. Uses fma in double for both types.
template <class T>
void arange_floats(const Tensor& y, double start, double step) {
  constexpr int64_t kVector = 32 / sizeof(T);
  const int64_t in_vectors = y.numel() / (2 * kVector) * (2 * kVector);
  generate<T>(y, [&](int64_t i) {
    if (i >= in_vectors) return std::fma(step, static_cast<double>(i), start);
    const int64_t first = i / kVector * kVector;
    const T base = static_cast<T>(std::fma(step, static_cast<double>(first), start));
    return std::fma(step, static_cast<double>(i - first), static_cast<double>(base));
  });
}

// Counts from both ends towards the middle, so that the last element is exactly `end`. The step is computed
// in type S.
template <class S, class T>
void linspace_of(const Tensor& y, S start, S end) {
  const int64_t n = y.numel();
  S step = (end - start) / static_cast<S>(n - 1);
  if constexpr (!std::is_integral_v<T>) step = static_cast<T>(step);
  generate<T>(y, [&](int64_t i) {
    if (n == 1) return start;
    return i < n / 2 ? std::fma(step, static_cast<S>(i), start)
                     : std::fma(-step, static_cast<S>(n - 1 - i), end);
  });
}

}  // namespace

Tensor from_values(const std::vector<double>& values, const Dims& shape, DType dtype) {
  return from_numbers(values, shape, dtype);
}
Tensor from_values(const std::vector<int64_t>& values, const Dims& shape, DType dtype) {
  return from_numbers(values, shape, dtype);
}

Tensor tensor(const Literal& values, std::optional<DType> dtype) {
  Dims shape;
  for (const Literal* x = &values; x->kind() == Literal::Kind::List; x = &x->items().front()) {
    shape.push(static_cast<int64_t>(x->items().size()));
    if (x->items().empty()) break;
  }
  const Literal::Kind kind = widest(values);
  const bool floating = kind == Literal::Kind::Float;
  const DType type = dtype.value_or(floating ? float32 : kind == Literal::Kind::Int ? int64 : boolean);
  return floating ? from_literal<double>(values, shape, type, floating)
                  : from_literal<int64_t>(values, shape, type, floating);
}

// Not recorded: the memory has no values to show yet.
Tensor empty(const Dims& shape, DType dtype, Device device) {
  return empty_contiguous(shape, scope_dtype(dtype), device);
}
Tensor empty_like(const Tensor& x, std::optional<DType> dtype) {
  return empty_strided(x.shape(), dense_strides(x.shape(), x.strides()), dtype.value_or(x.dtype()),
                       x.device());
}

constexpr Op zeros_op{"zeros", "", "0", why_constant}, ones_op{"ones", "", "1", why_constant},
    full_op{"full", "", "value", why_constant};
constexpr Op zeros_like_op{"zeros_like", "", "0", why_constant},
    ones_like_op{"ones_like", "", "1", why_constant}, full_like_op{"full_like", "", "value", why_constant};

Tensor zeros(const Dims& shape, DType dtype, Device device) {
  return filled(zeros_op, empty(shape, dtype, device), 0);
}
Tensor ones(const Dims& shape, DType dtype, Device device) {
  return filled(ones_op, empty(shape, dtype, device), 1);
}
Tensor full(const Dims& shape, const Tensor& value, std::optional<DType> dtype, Device device) {
  return filled(full_op, empty(shape, dtype.value_or(default_dtype(value)), device), value);
}
Tensor zeros_like(const Tensor& x, std::optional<DType> dtype) {
  return filled(zeros_like_op, empty_like(x, dtype), 0);
}
Tensor ones_like(const Tensor& x, std::optional<DType> dtype) {
  return filled(ones_like_op, empty_like(x, dtype), 1);
}
Tensor full_like(const Tensor& x, const Tensor& value, std::optional<DType> dtype) {
  return filled(full_like_op, empty_like(x, dtype), value);
}

Tensor arange(int64_t end) { return arange(int64_t{0}, end, 1); }

GG_KERNEL(count_up, count_up_on_cpu);

namespace {

Tensor counted(int64_t start, int64_t end, int64_t step, DType dtype) {
  check(step != 0, "step must be nonzero");
  check(step > 0 ? start <= end : start >= end, "upper bound and larger bound inconsistent with step sign");
  // Unsigned, because the distance from one end of int64 to the other needs 64 bits.
  auto bits = [](int64_t v) { return static_cast<uint64_t>(v); };
  const uint64_t span = step > 0 ? bits(end) - bits(start) : bits(start) - bits(end);
  const uint64_t stride = step > 0 ? bits(step) : -bits(step);
  const uint64_t n = span / stride + (span % stride != 0);
  check(n < uint64_t{1} << 63, "invalid size, possible overflow?");
  const Tensor y = empty({static_cast<int64_t>(n)}, int64);
  count_up_on(y.device())(y.raw(), start, step);
  return record(arange_op, is_narrow(dtype) ? converted(y, dtype) : y, {}, IntRange{start, end, step});
}

}  // namespace

Tensor arange(int64_t start, int64_t end, int64_t step) { return counted(start, end, step, int64); }

Tensor arange(double start, double end, double step, DType dtype) {
  check(step != 0, "step must be nonzero");
  check(std::isfinite(start) && std::isfinite(end), "unsupported range: {:g} -> {:g}", start, end);
  check(dtype != boolean, "\"arange_cpu\" not implemented for 'Bool'");
  if (is_integer(dtype)) {
    const auto whole = [](double v) {
      check(number_fits(v, false, int64), "value cannot be converted to type int64_t without overflow");
      return static_cast<int64_t>(v);
    };
    return counted(whole(start), whole(end), whole(step), dtype);
  }
  check(step > 0 ? start <= end : step < 0 && start >= end,
        "upper bound and larger bound inconsistent with step sign");
  const double n = std::ceil((end - start) / step);
  check(n >= 0 && n < 0x1p63, "invalid size, possible overflow?");
  const Tensor y = empty({static_cast<int64_t>(n)}, dtype, kCpu);
  every_float(y.dtype(), [&](auto zero) { arange_floats<decltype(zero)>(y, start, step); });
  return record(arange_op, on_device(y, default_device), {}, Range{start, end, step});
}

Tensor linspace(double start, double end, int64_t steps, DType dtype) {
  static constexpr Op op{"linspace", "", "start + i·step", why_constant};
  check(steps >= 0, "number of steps must be non-negative");
  check(dtype != boolean, "\"linspace_cpu\" not implemented for 'Bool'");
  const Tensor y = empty({steps}, dtype, kCpu);
  every_type(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      linspace_of<double, T>(y, start, end);
    else  // rounds the ends first
      linspace_of<decltype(zero + zero), T>(y, static_cast<T>(start), static_cast<T>(end));
  });
  return record(op, on_device(y, default_device), {},
                Range{start, end, steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0});
}

Tensor eye(int64_t n, std::optional<int64_t> m, DType dtype) {
  static constexpr Op op{"eye", "", "i = j ? 1 : 0", why_constant};
  check(n >= 0, "n must be greater or equal to 0, got {}", n);
  check(m.value_or(0) >= 0, "m must be greater or equal to 0, got {}", m.value_or(0));
  const int64_t columns = m.value_or(n);
  const Tensor y = empty({n, columns}, dtype, kCpu);
  every_type(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    generate<T>(y, [&](int64_t i) { return i / columns == i % columns; });
  });
  return record(op, on_device(y, default_device), {}, NoAttr{});
}

}  // namespace glassgrad

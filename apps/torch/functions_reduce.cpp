// Sums, means, extremes: over all elements, or over dimensions.
#include <cmath>

#include "engine/ops/promote.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

using MaybeDims = std::optional<Dims>;
using MaybeDType = std::optional<DType>;

Tensor cast_if_given(const Tensor& x, const MaybeDType& dtype) { return dtype ? to(x, *dtype) : x; }
void check_not_bool(const char* kernel, const MaybeDType& dtype) {
  check(dtype != boolean, "\"{}\" not implemented for 'Bool'", kernel);
}
// Applies f in the requested dtype, and casts the result to it: f returns int64 for smaller integers.
template <class F>
Tensor in_dtype(const Tensor& x, const MaybeDType& dtype, F f) {
  return cast_if_given(f(cast_if_given(x, dtype)), dtype);
}
Dims every(const Tensor& x) {
  Dims dims;
  for (int64_t d = 0; d < x.dim(); ++d) dims.push(d);
  return dims;
}
// None and () mean all dimensions.
bool over_all(const MaybeDims& dims) { return !dims || dims->n == 0; }
// f over dims, or over all of x.
template <class Some, class All>
Tensor reduced(const Tensor& x, const MaybeDims& dims, bool keepdim, Some some, All all) {
  if (!over_all(dims)) return some(x, *dims, keepdim);
  return keepdim ? some(x, every(x), true) : all(x);
}
#define GG_REDUCED(f, x, dims, keepdim)                                                             \
  reduced(                                                                                          \
      x, dims, keepdim,                                                                             \
      [](const Tensor& all_of, const Dims& d, bool keep) { return glassgrad::f(all_of, d, keep); }, \
      [](const Tensor& all_of) { return glassgrad::f(all_of); })

Tensor spread(bool root, const Tensor& x, const MaybeDims& dims, const MaybeNumber& correction,
              bool keepdim) {
  const double c = correction ? *correction.value() : 1;
  if (over_all(dims) && !keepdim) return root ? glassgrad::std(x, c) : var(x, c);
  const Dims d = over_all(dims) ? every(x) : *dims;
  return root ? glassgrad::std(x, d, c, keepdim) : var(x, d, c, keepdim);
}
MaybeNumber unbiased_correction(bool unbiased) { return {Scalar{int64, 0, unbiased}}; }

Tensor norm_over(const Tensor& input, double p, const MaybeDims& dims, bool keepdim,
                 const MaybeDType& dtype = {}) {
  check(
      !dtype || promoted(input.dtype(), *dtype) == *dtype,
      "linalg.vector_norm: the dtype of the input ({}) should be convertible without narrowing to the specified "
      "dtype ({})",
      scalar_type_name(input.dtype()), dtype ? scalar_type_name(*dtype) : "");
  const Tensor x = cast_if_given(input, dtype);
  check(
      !over_all(dims) || x.numel() > 0 || (p >= 0 && p != INFINITY),
      "linalg.vector_norm cannot compute the {} norm on an empty tensor because the operation does not have an "
      "identity",
      p);
  if (p == 2 && over_all(dims) && !keepdim) return norm(x);
  return p_norm(x, p, over_all(dims) ? every(x) : *dims, keepdim);
}
// p as torch.norm takes it: a number, "fro", inf, None.
double order_of(Object p, const char* function) {
  if (!p || is_none(p)) return 2;
  if (!is_text(p)) return to_float(p);
  const Text name = to_text(p);
  check(name == "fro" || name == "inf" || name == "-inf", "{}(): unsupported norm order: {}", function, name);
  return name == "fro" ? 2 : name == "inf" ? INFINITY : -INFINITY;
}
Tensor norm_of(const Tensor& x, Object p, const MaybeDims& dims, bool keepdim, const MaybeDType& dtype) {
  return norm_over(x, order_of(p, "norm"), dims, keepdim, dtype);
}

// The greatest Σ|x| (for a negative p the least) of a matrix's columns (p = ±1) or rows (±∞).
Tensor matrix_norm(const Tensor& x, Object p, const Dims& dims, bool keepdim) {
  const int rows = wrap_dim(dims[0], x.dim()), columns = wrap_dim(dims[1], x.dim());
  check(rows != columns, "linalg.matrix_norm: dims must be different. Got ({}, {})", dims[0], dims[1]);
  const bool is_name = is_text(p);
  if (is_name && to_text(p) == "fro") return norm(x, dims, keepdim);
  const double order = is_name ? 2 : to_float(p), size = std::abs(order);
  check<NotImplementedError>(
      size != 2 && (!is_name || to_text(p) == "nuc"),
      "glassgrad has no singular values: of a matrix there are the norms fro, 1, -1, inf and -inf");
  check(size == 1 || std::isinf(size), "linalg.matrix_norm: Order {} not supported.", order);
  const int summed = size == 1 ? rows : columns, other = size == 1 ? columns : rows;
  const int64_t left = keepdim || other < summed ? other : other - 1;
  const Tensor sums = sum(abs(x), Dims{summed}, keepdim);
  return order > 0 ? amax(sums, Dims{left}, keepdim) : amin(sums, Dims{left}, keepdim);
}
// A given order means a matrix norm if x is a matrix, or if two dimensions are given.
Tensor linalg_norm(const Tensor& x, Object p, const MaybeDims& dims, bool keepdim, const MaybeDType& dtype) {
  const bool given = p && !is_none(p), some = dims.has_value();
  check(!some || dims->n == 1 || dims->n == 2,
        "linalg.norm: If dim is specified, it must be of length 1 or 2. Got {}", some ? *dims : Dims{});
  check(!given || some || x.dim() == 1 || x.dim() == 2,
        "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {}D.", x.dim());
  if (given && (some ? dims->n == 2 : x.dim() == 2))
    return matrix_norm(cast_if_given(x, dtype), p, some ? *dims : Dims{-2, -1}, keepdim);
  return norm_of(x, p, dims, keepdim, dtype);
}

Tensor truth(bool all, const Tensor& x, const MaybeDims& dims, bool keepdim) {
  if (dims && dims->n == 0) return ne(x, 0);  // over no dimension at all
  if (over_all(dims) && !keepdim) return all ? glassgrad::all(x) : any(x);
  const Dims d = over_all(dims) ? every(x) : *dims;
  const Tensor count = sum(all ? eq(x, 0) : ne(x, 0), d, keepdim);
  const Tensor y = all ? eq(count, 0) : ne(count, 0);
  return x.dtype() == uint8 ? to(y, uint8) : y;  // as in PyTorch
}

Tensor running_product(const Tensor& input, int64_t dim) {
  const Tensor x = is_floating(input.dtype()) ? input : to(input, int64);
  wrap_dim(dim, x.dim());
  if (x.dim() == 0 || x.numel() == 0) return rename_node("CumprodBackward0", clone(x));
  std::vector<Tensor> parts = x.unbind(dim);
  for (size_t k = 1; k < parts.size(); ++k) parts[k] = parts[k - 1] * parts[k];
  return rename_node("CumprodBackward0", stack(parts, dim));
}
Tensor position(bool greatest, const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  if (dim) return greatest ? argmax(x, *dim, keepdim) : argmin(x, *dim, keepdim);
  const Tensor y = greatest ? argmax(x) : argmin(x);
  Dims ones = x.shape();
  for (int64_t& size : ones.v) size = 1;
  return keepdim ? y.view(ones) : y;
}

Tensor sum_of_numbers(const Tensor& x, const MaybeDims& dims, bool keepdim, const MaybeDType& t) {
  check_not_bool("nansum_cpu", t);
  const Tensor numbers = where(isnan(x), zeros({}, x.dtype()), x);
  const auto total = [&](const Tensor& y) { return GG_REDUCED(sum, y, dims, keepdim); };
  return rename_node("NansumBackward0", in_dtype(numbers, t, total));
}
Tensor mean_of_numbers(const Tensor& input, const MaybeDims& dims, bool keepdim, const MaybeDType& t) {
  const Tensor x = cast_if_given(input, t);
  check(is_floating(x.dtype()),
        "nanmean(): expected input to have floating point or complex dtype but got {}",
        scalar_type_name(x.dtype()));
  return sum_of_numbers(x, dims, keepdim, {}) / GG_REDUCED(sum, logical_not(isnan(x)), dims, keepdim);
}

constexpr OutRule kMeanOfAll{OutRule::Castable,
                             "mean.dtype_out(): input types can't be cast to the desired output type {G}",
                             OutRule::Warns, true};

Rows totals() {
  return {
#define GG_SUMMED(name, out_parameter, rule, rule_over_dims)                                              \
  row(kBoth, #name "(Tensor input, *, ScalarType? dtype=None" out_parameter ")",                          \
      [](const Tensor& x, const MaybeDType& t) {                                                          \
        return in_dtype(x, t, [](const Tensor& y) { return glassgrad::name(y); });                        \
      })                                                                                                  \
      .out(rule),                                                                                         \
      row(kBoth,                                                                                          \
          #name                                                                                           \
          "(Tensor input, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor? out=None)", \
          [](const Tensor& x, const MaybeDims& dims, bool keepdim, const MaybeDType& t) {                 \
            return in_dtype(x, t, [&](const Tensor& y) { return GG_REDUCED(name, y, dims, keepdim); });   \
          })                                                                                              \
          .out(rule_over_dims),                                                                           \
      named_row(                                                                                          \
          kBoth, #name                                                                                    \
          "(Tensor input, Dimname[] dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor? out=None)")
      GG_SUMMED(sum, "", kComputed, kComputed)
          .help("Σ input over all elements, or over dim (kept with size 1 if keepdim); int64 for ints "
                "and bools.")
          .autocast_on_gpu(kWide),
      GG_SUMMED(mean, ", Tensor? out=None", kMeanOfAll, kComputedIfCastable)
          .help("The mean over all elements, or over dim (kept with size 1 if keepdim)."),
      row(kBoth,
          "nansum(Tensor input, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor? out=None)",
          call<sum_of_numbers>)
          .help("sum, with 0 for nan.")
          .out({OutRule::Castable, "\"nansum_cpu\" not implemented for '{G}'", OutRule::Warns, true}),
      row(kBoth,
          "nanmean(Tensor input, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor? out=None)",
          call<mean_of_numbers>)
          .help("mean, of the numbers that are not nan.")
          .out({OutRule::Castable, "\"nansum_cpu\" not implemented for '{G}'", OutRule::Warns, true}),
      row(kBoth, "prod(Tensor input, *, ScalarType? dtype=None)",
          [](const Tensor& x, const MaybeDType& t) {
            return in_dtype(x, t, [](const Tensor& y) { return prod(y); });
          })
          .help("Π input over all elements, or over dim.")
          .autocast(kWide),
      row(kBoth,
          "prod(Tensor input, int dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor? out=None)",
          [](const Tensor& x, int64_t dim, bool keepdim, const MaybeDType& t) {
            return in_dtype(x, t, [&](const Tensor& y) { return prod(y, dim, keepdim); });
          })
          .out(kComputed),
      row(kBoth, "cumsum(Tensor input, int dim, *, ScalarType? dtype=None, Tensor? out=None)",
          [](const Tensor& x, int64_t dim, const MaybeDType& t) {
            check_not_bool("cumsum_out_cpu", t);
            return rename_node("CumsumBackward0",
                               in_dtype(x, t, [&](const Tensor& y) { return cumsum(y, dim); }));
          })
          .help("Σ input[…, :i + 1, …] along dim.")
          .autocast_on_gpu(kWide)
          .out(without_bool(kComputed, "\"cumsum_out_cpu\" not implemented for 'Bool'")),
      named_row(kBoth, "cumsum(Tensor input, Dimname dim, *, ScalarType? dtype=None, Tensor? out=None)"),
      row(kBoth, "cumprod(Tensor input, int dim, *, ScalarType? dtype=None, Tensor? out=None)",
          [](const Tensor& x, int64_t dim, const MaybeDType& t) {
            check_not_bool("cumprod_out_cpu", t);
            return in_dtype(x, t, [&](const Tensor& y) { return running_product(y, dim); });
          })
          .help("Π input[…, :i + 1, …] along dim.")
          .autocast_on_gpu(kWide)
          .in_place(kMethod)
          .out(without_bool(kComputed, "\"cumprod_out_cpu\" not implemented for 'Bool'")),
      row(kBoth, "logsumexp(Tensor input, int[1] dim, bool keepdim=False" GG_OUT ")", call<logsumexp>)
          .help("log Σ exp(input) over dim.")
          .autocast_on_gpu(kWide)
          .out({OutRule::Castable,
                "logsumexp(): Expected floating point type for result tensor, but got: {G}", OutRule::Warns,
                true}),
      named_row(kBoth, "logsumexp(Tensor input, Dimname[] dim, bool keepdim=False" GG_OUT ")"),
      row(kBoth, "softmax(Tensor input, int dim, ScalarType? dtype=None" GG_OUT ")",
          [](const Tensor& x, int64_t dim, const MaybeDType& t) { return softmax(cast_if_given(x, t), dim); })
          .help("exp(input − max) / Σ exp(input − max) along dim: numbers from 0 to 1 that sum to 1; "
                "input's shape.")
          .autocast_on_gpu(kWide)
          .out(kSame),
      named_row(kBoth, "softmax(Tensor input, Dimname dim, *, ScalarType? dtype=None)"),
      row(kBoth, "log_softmax(Tensor input, int dim, ScalarType? dtype=None" GG_OUT ")",
          [](const Tensor& x, int64_t dim, const MaybeDType& t) {
            return log_softmax(cast_if_given(x, t), dim);
          })
          .help("input − max − log Σ exp(input − max) along dim; input's shape.")
          .autocast_on_gpu(kWide)
          .out(kSame),
      named_row(kBoth, "log_softmax(Tensor input, Dimname dim, *, ScalarType? dtype=None)"),
  };
}

Rows spreads() {
  return {
#define GG_SPREAD(name, root)                                                                                   \
  row(kBoth, name "(Tensor input, int[1]? dim, bool unbiased=True, bool keepdim=False" GG_OUT ")",              \
      [](const Tensor& x, const MaybeDims& dims, bool unbiased, bool keepdim) {                                 \
        return spread(root, x, dims, unbiased_correction(unbiased), keepdim);                                   \
      })                                                                                                        \
      .out(kComputedIfCastable),                                                                                \
      row(kBoth,                                                                                                \
          name                                                                                                  \
          "(Tensor input, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, Tensor? out=None)", \
          [](const Tensor& x, const MaybeDims& dims, const MaybeNumber& c, bool keepdim) {                      \
            return spread(root, x, dims, c, keepdim);                                                           \
          })                                                                                                    \
          .out(kComputedIfCastable),                                                                            \
      row(kBoth, name "(Tensor input, bool unbiased=True)",                                                     \
          [](const Tensor& x, bool unbiased) {                                                                  \
            return spread(root, x, {}, unbiased_correction(unbiased), false);                                   \
          }),                                                                                                   \
      named_row(kBoth,                                                                                          \
                name "(Tensor input, Dimname[] dim, bool unbiased=True, bool keepdim=False" GG_OUT ")"),        \
      named_row(                                                                                                \
          kBoth, name                                                                                           \
          "(Tensor input, Dimname[] dim, *, Scalar? correction=None, bool keepdim=False, Tensor? out=None)")
      GG_SPREAD("std", true).help("√(Σ (input − mean)² / (n − correction)) over all elements or over dim."),
      GG_SPREAD("var", false).help("Σ (input − mean)² / (n − correction) over all elements or over dim."),
#define GG_SPREAD_MEAN(name, root)                                                                         \
  row(kTorch, name "(Tensor input, int[1]? dim, bool unbiased=True, bool keepdim=False)",                  \
      [](const Tensor& x, const MaybeDims& dims, bool unbiased, bool keepdim) {                            \
        return std::vector{spread(root, x, dims, unbiased_correction(unbiased), keepdim),                  \
                           GG_REDUCED(mean, x, dims, keepdim)};                                            \
      }),                                                                                                  \
      row(kTorch, name "(Tensor input, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False)", \
          [](const Tensor& x, const MaybeDims& dims, const MaybeNumber& c, bool keepdim) {                 \
            return std::vector{spread(root, x, dims, c, keepdim), GG_REDUCED(mean, x, dims, keepdim)};     \
          })
      GG_SPREAD_MEAN("std_mean", true).help("The spread and the mean."),
      GG_SPREAD_MEAN("var_mean", false).help("The spread and the mean."),
      row(kBoth,
          "norm(Tensor input, object p='fro', int[1]? dim=None, bool keepdim=False, Tensor? out=None, ScalarType? dtype=None)",
          call<norm_of>)
          .help("√Σ input² over all elements or over dim; another p: (Σ |input|^p)^(1/p).")
          .autocast_on_gpu(kWide)
          .out(kSame, "linalg_vector_norm"),
      row(kLinalg,
          "norm(Tensor A, object ord=None, int[1]? dim=None, bool keepdim=False, *, Tensor? out=None, ScalarType? dtype=None)",
          call<linalg_norm>)
          .help("√Σ A² over all elements or over dim; another ord: (Σ |A|^ord)^(1/ord), of vectors.")
          .out(same("linalg.norm expected out tensor dtype {E} but got: {G}"), "linalg_vector_norm"),
      row(kLinalg,
          "vector_norm(Tensor x, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor? out=None)",
          [](const Tensor& x, double p, const MaybeDims& dims, bool keepdim, const MaybeDType& t) {
            return norm_over(x, p, dims, keepdim, t);
          })
          .help("(Σ |x|^ord)^(1/ord) over all elements or over dim.")
          .autocast_on_gpu(kWide)
          .out(kSame, "linalg_vector_norm"),
      row(kBoth, "dist(Tensor input, Tensor other, Scalar p=2)",
          [](const Tensor& a, const Tensor& b, double p) {
            return rename_node("DistBackward0", norm_over(a - b, p, {}, false));
          })
          .help("norm(input − other, p).")
          .autocast_on_gpu(kWide),
      row(kBoth, "count_nonzero(Tensor input, int[1]? dim=None)",
          [](const Tensor& x, const MaybeDims& dims) { return GG_REDUCED(sum, ne(x, 0), dims, false); })
          .help("How many elements are not 0."),
  };
}

constexpr const char kNoDim[] =
    "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
    "argument.";

constexpr OutRule kMatch{
    OutRule::Same,
    "Expected the dtype for input and out to match, but got {E} for input's dtype and {G} for out's dtype."};
constexpr OutRule kCanCast{
    OutRule::Castable,
    "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, but got "
    "false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"};

constexpr const char kNothing[] = "{}(): Expected reduction dim {} to have non-zero size.";

Rows extremes() {
  return {
#define GG_EXTREME(name, other_name)                                                               \
  row(kBoth, #name "(Tensor input" GG_OUT ")", [](const Tensor& x) { return glassgrad::name(x); }) \
      .out(kCanCast),                                                                              \
      row(kBoth, #name "(Tensor input, Tensor other" GG_OUT ")", call<other_name>),                \
      row(kBoth, #name "(Tensor input, int dim, bool keepdim=False, *, Tensor[]? out=None)",       \
          [](const Tensor& x, int64_t dim, bool keepdim) {                                         \
            const auto [values, indices] = glassgrad::name(x, dim, keepdim);                       \
            return NamedTuple{#name, values, indices};                                             \
          })                                                                                       \
          .out(kSame),                                                                             \
      named_row(kBoth, #name "(Tensor input, Dimname dim, bool keepdim=False, *, Tensor[]? out=None)")
      GG_EXTREME(max, maximum)
          .help("The greatest of all elements, or with dim the greatest along it and where it stands "
                "(the first of ties); of two tensors maximum."),
      GG_EXTREME(min, minimum)
          .help("The least of all elements, or with dim the least along it and where it stands (the "
                "first of ties); of two tensors minimum."),
#define GG_PLAIN_EXTREME(name)                                                                             \
  row(kBoth, #name "(Tensor input, int[1] dim=(), bool keepdim=False" GG_OUT ")",                          \
      [](const Tensor& x, const Dims& dims, bool keepdim) {                                                \
        check(dims.n > 0 || x.numel() > 0, kNoDim, #name);                                                 \
        for (const int64_t d : dims) check<IndexError>(x.dim() == 0 || x.size(d) > 0, kNothing, #name, d); \
        return glassgrad::name(x, dims.n ? dims : every(x), keepdim);                                      \
      })                                                                                                   \
      .out(kMatch)
      GG_PLAIN_EXTREME(amax).help("The greatest over dim; a gradient is shared evenly among ties."),
      GG_PLAIN_EXTREME(amin).help("The least over dim; a gradient is shared evenly among ties."),
      row(kBoth, "aminmax(Tensor input, *, int? dim=None, bool keepdim=False)",
          [](const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
            const Dims d = dim ? Dims{*dim} : every(x);
            return std::vector{amin(x, d, keepdim), amax(x, d, keepdim)};
          })
          .help("amin and amax."),
      row(kBoth, "argmax(Tensor input, int? dim=None, bool keepdim=False" GG_OUT ")",
          [](const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
            return position(true, x, dim, keepdim);
          })
          .help("Where the greatest stands, the first of ties: along dim, or of the flattened input; int64.")
          .out(kSame),
      row(kBoth, "argmin(Tensor input, int? dim=None, bool keepdim=False" GG_OUT ")",
          [](const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
            return position(false, x, dim, keepdim);
          })
          .help("Where the least stands, the first of ties: along dim, or of the flattened input; int64.")
          .out(kSame),
#define GG_TRUTH(name, is_all)                                                                             \
  row(kBoth, name "(Tensor input" GG_OUT ")", [](const Tensor& x) { return truth(is_all, x, {}, false); }) \
      .out(same(name " only supports bool tensor for result, got: {G}")),                                  \
      row(kBoth, name "(Tensor input, int[1]? dim, bool keepdim=False" GG_OUT ")",                         \
          [](const Tensor& x, const MaybeDims& dims, bool keepdim) {                                       \
            return truth(is_all, x, dims, keepdim);                                                        \
          })                                                                                               \
          .out(same(name " only supports bool tensor for result, got: {G}"))
      GG_TRUTH("all", true).help("Is no element 0, of all or along dim; bool."),
      GG_TRUTH("any", false).help("Is an element not 0, of all or along dim; bool."),
  };
}

}  // namespace

namespace {

void check_not_empty(const Tensor& x, double p, const Dims& dims) {
  for (const int64_t d : dims)
    check(
        x.dim() == 0 || x.size(d) > 0,
        "linalg.vector_norm cannot compute the {} norm on the dimension {}because this dimension is empty and the "
        "operation does not have an identity",
        p, d);
}

}  // namespace

// Roots and powers of 0 have no finite slope: keep zeros out of them, so that the gradient is 0.
Tensor p_norm(const Tensor& x, double p, const Dims& dims, bool keepdim) {
  if (p == 2) return norm(x, dims, keepdim);
  check(is_floating(x.dtype()),
        "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
        scalar_type_name(x.dtype()));
  if (p < 0 || p == INFINITY) check_not_empty(x, p, dims);
  const auto total = [&](const Tensor& t) { return sum(t, dims, keepdim); };
  const Tensor size = abs(x);
  const auto result = [&] {
    if (p == 0) {
      const Tensor count = total(to(ne(x, 0), x.dtype()));
      return needs_grad(x) ? where(zeros_like(count, boolean), total(x), count) : count;
    }
    if (std::isinf(p)) return p > 0 ? amax(size, dims, keepdim) : amin(size, dims, keepdim);
    if (p == 1) return total(size);
    Tensor powers;
    if (p > 1) {
      powers = pow(size, p);
    } else {
      const Tensor zero = to(eq(size, 0), size.dtype());  // computed as 1, then replaced by 0^p
      powers = pow(size + zero, p);
      powers = p > 0 ? powers * (1 - zero) : where(eq(size, 0), INFINITY, powers);
    }
    const Tensor sums = total(powers), nothing = eq(sums, 0);
    return where(nothing, 0, pow(where(nothing, 1, sums), 1 / p));
  };
  return rename_node("LinalgVectorNormBackward0", result());
}

Rows reduction_rows() {
  Rows rows = totals();
  for (const Rows& more : {spreads(), extremes()}) rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace glassgrad::GG_HOST

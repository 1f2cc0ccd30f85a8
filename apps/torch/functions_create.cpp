// New tensors: filled with a number, ranges, random numbers.
#include <cmath>
#include <limits>
#include <numbers>

#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

constexpr const char* kDrawn = "normal(): glassgrad draws into out= of dtype {e} alone, and this one is {g}";

#define GG_MAKE "*, Tensor? out=None, " GG_OPTIONS
#define GG_DRAW "*, Generator? generator=None, Tensor? out=None, " GG_OPTIONS
#define GG_LIKE "*, " GG_OPTIONS ", MemoryFormat? memory_format=None"

using T = const Tensor&;

Tensor made(Tensor x, const Options& o) {
  check(!o.requires_grad || is_floating(x.dtype()),
        "Only Tensors of floating point and complex dtype can require gradients");
  if (o.device) x = to(x, *o.device);
  if (o.requires_grad) x.requires_grad_();
  return x;
}
// The tensor whose shape and strides torch.NAME_like follows; on the requested device if x, on meta, has no
// numbers to move.
Tensor likened(const Tensor& x, const Options& o) {
  return o.device && x.device() == kMeta ? empty_strided(x.shape(), x.strides(), x.dtype(), *o.device) : x;
}
DType float_type(const Options& o) { return o.dtype.value_or(default_dtype()); }
// The dtype for a number if none is given: the default dtype for a float, else the number's own.
std::optional<DType> type_of(const Tensor& number, const Options& o) {
  return o.dtype || !is_floating(number.dtype()) ? o.dtype : default_dtype();
}
// Converts drawn numbers to the requested dtype.
Tensor drawn(const Tensor& x, const Options& o) { return made(o.dtype ? to(x, *o.dtype) : x, o); }
Tensor drawn_whole(int64_t low, int64_t high, const Tensor& x, const Options& o) {
  if (o.dtype) {  // throws if the dtype cannot hold the range
    const Watch nobody(nullptr);
    random_(empty(0, *o.dtype), low, high);
  }
  return drawn(x, o);
}

bool whole(const MaybeNumber& n) { return n.scalar->dtype != float64; }
Tensor counted(const MaybeNumber& start, const MaybeNumber& end, const MaybeNumber& step, const Options& o) {
  const double by = *step.value();
  check(by != 0, "step must be nonzero");
  check(std::isfinite(*start.value()) && std::isfinite(*end.value()), "unsupported range: {} -> {}",
        *start.value(), *end.value());
  check((*end.value() - *start.value()) / by >= 0,
        "upper bound and larger bound inconsistent with step sign");
  const bool in_halves = o.dtype && is_narrow(*o.dtype) && is_floating(*o.dtype);
  if (whole(start) && whole(end) && whole(step) && !in_halves) {
    const Tensor x = arange(start.scalar->whole, end.scalar->whole, step.scalar->whole);
    return drawn(x, o);
  }
  return made(arange(*start.value(), *end.value(), by, float_type(o)), o);
}
const MaybeNumber kZero{Scalar{int64, 0, 0}}, kOne{Scalar{int64, 0, 1}};

// torch.range, which includes the end.
Tensor counted_with_end(double start, double end, double step, const Options& o) {
  warn(
      "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
      "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).");
  check(step != 0, "step must be nonzero");
  check(std::isfinite(start) && std::isfinite(end), "unsupported range: {} -> {}", start, end);
  check((end - start) / step >= 0, "upper bound and lower bound inconsistent with step sign");
  const Tensor steps = to(arange(int64_t((end - start) / step) + 1), float64);
  return made(to(start + steps * step, float_type(o)), o);
}

// The indices of a triangle: a row with its row numbers, then a row with its column numbers.
Tensor triangle_indices(int64_t rows, int64_t columns, int64_t offset, bool lower) {
  const Tensor all = ones({rows, columns});
  return nonzero(lower ? tril(all, offset) : triu(all, offset)).t().contiguous();
}

// ---- draws made of the generator's uniforms and normals in float64, as PyTorch makes them
Tensor uniforms_for(const Tensor& x, Generator& g) {
  return uniform_(empty(x.shape(), float64, x.device()), 0, 1, g);
}
Tensor draw_geometric(const Tensor& x, double p, Generator& g) {
  check(p > 0 && p < 1, "geometric_ expects p to be in (0, 1), but got p={:g}", p);
  return copy_(x, ceil(log(uniforms_for(x, g)) / std::log1p(-p)));
}
Tensor draw_cauchy(const Tensor& x, double median, double sigma, Generator& g) {
  check(sigma > 0, "cauchy_ expects sigma > 0.0, but found sigma={:g}", sigma);
  check(
      is_floating(x.dtype()),
      "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
      "specified {}",
      cpp_type_name(x.dtype()));
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const Tensor u = clamp(uniforms_for(x, g), kEpsilon, 1 - kEpsilon);
  return copy_(x, tan((u - 0.5) * std::numbers::pi) * sigma + median);
}
// PyTorch draws the normals one by one here, which normal_ does only for a tensor with gaps.
Tensor draw_log_normal(const Tensor& x, double mean, double std, Generator& g) {
  check(std > 0, "log_normal_ expects std > 0.0, but found std={:g}", std);
  check(is_floating(x.dtype()), "\"log_normal_cpu\" not implemented for '{}'", scalar_type_name(x.dtype()));
  const Tensor gaps = empty({x.numel(), 2}, float64, x.device()).select(1, 0);
  return copy_(x, exp(normal_(gaps, mean, std, g)).view(x.shape()));
}

}  // namespace

namespace {

// A new tensor is computed in the dtype of `out=`.
Rows with_defaults(Rows rows) {
  for (Row& r : rows)
    if (!r.said().out && r.signature.find("Layout") != std::string_view::npos) r.out(kMade);
  return rows;
}

}  // namespace

Rows creation_rows() {
  Rows rows = {
      named_row(kTorch,
                "empty(int[] size, *, Dimname[]? names, MemoryFormat? memory_format=None, " GG_OPTIONS ")"),
      row(kTorch, "empty(int[] size, *, MemoryFormat? memory_format=None, Tensor? out=None, " GG_OPTIONS ")",
          [](const Dims& shape, Object, const Options& o) { return made(empty(shape, float_type(o)), o); })
          .help("A tensor of this size with whatever its memory holds."),
      named_row(kTorch, "zeros(int[] size, *, Dimname[]? names, " GG_OPTIONS ")"),
      row(kTorch, "zeros(int[] size, " GG_MAKE ")",
          [](const Dims& shape, const Options& o) { return made(zeros(shape, float_type(o)), o); })
          .help("A tensor of this size full of 0."),
      named_row(kTorch, "ones(int[] size, *, Dimname[]? names, " GG_OPTIONS ")"),
      row(kTorch, "ones(int[] size, " GG_MAKE ")",
          [](const Dims& shape, const Options& o) { return made(ones(shape, float_type(o)), o); })
          .help("A tensor of this size full of 1."),
      named_row(kTorch, "full(int[] size, Scalar fill_value, *, Dimname[]? names, " GG_OPTIONS ")"),
      row(kTorch, "full(int[] size, Scalar fill_value, " GG_MAKE ")",
          [](const Dims& shape, const Tensor& value, const Options& o) {
            return made(full(shape, value, type_of(value, o)), o);
          })
          .help("A tensor of this size full of fill_value: int64 for an int, bool for a bool, else float32."),
      row(kTorch, "empty_like(Tensor input, " GG_LIKE ")",
          [](const Tensor& x, const Options& o) { return made(empty_like(likened(x, o), o.dtype), o); })
          .help("empty of input's shape and dtype."),
      row(kTorch, "zeros_like(Tensor input, " GG_LIKE ")",
          [](const Tensor& x, const Options& o) { return made(zeros_like(likened(x, o), o.dtype), o); })
          .help("zeros of input's shape and dtype."),
      row(kTorch, "ones_like(Tensor input, " GG_LIKE ")",
          [](const Tensor& x, const Options& o) { return made(ones_like(likened(x, o), o.dtype), o); })
          .help("ones of input's shape and dtype."),
      row(kTorch, "full_like(Tensor input, Scalar fill_value, " GG_LIKE ")",
          [](const Tensor& x, const Tensor& value, const Options& o) {
            return made(full_like(likened(x, o), value, o.dtype.value_or(x.dtype())), o);
          })
          .help("A tensor of input's shape and dtype full of fill_value."),
      row(kMethod, "new_empty(Tensor input, int[] size, *, " GG_OPTIONS ")",
          [](const Tensor& x, const Dims& s, const Options& o) {
            return made(empty(s, o.dtype.value_or(x.dtype()), o.device.value_or(x.device())), o);
          })
          .help("empty of this size, of the tensor's dtype."),
      row(kMethod, "new_zeros(Tensor input, int[] size, *, " GG_OPTIONS ")",
          [](const Tensor& x, const Dims& s, const Options& o) {
            return made(zeros(s, o.dtype.value_or(x.dtype()), o.device.value_or(x.device())), o);
          })
          .help("zeros of this size, of the tensor's dtype."),
      row(kMethod, "new_ones(Tensor input, int[] size, *, " GG_OPTIONS ")",
          [](const Tensor& x, const Dims& s, const Options& o) {
            return made(ones(s, o.dtype.value_or(x.dtype()), o.device.value_or(x.device())), o);
          })
          .help("ones of this size, of the tensor's dtype."),
      row(kMethod, "new_full(Tensor input, int[] size, Scalar fill_value, *, " GG_OPTIONS ")",
          [](const Tensor& x, const Dims& s, const Tensor& value, const Options& o) {
            return made(full(s, value, o.dtype.value_or(x.dtype()), o.device.value_or(x.device())), o);
          })
          .help("full of this size, of the tensor's dtype."),
      row(kTorch, "arange(Scalar end, " GG_MAKE ")",
          [](const MaybeNumber& end, const Options& o) { return counted(kZero, end, kOne, o); })
          .help("start, start + step, … below end; int64 if all three are ints.")
          .out({OutRule::Any, nullptr, OutRule::Counted, true, "\"arange_cpu\" not implemented for 'Bool'"}),
      row(kTorch, "arange(Scalar start, Scalar end, *, " GG_OPTIONS ")",
          [](const MaybeNumber& start, const MaybeNumber& end, const Options& o) {
            return counted(start, end, kOne, o);
          }),
      row(kTorch, "arange(Scalar start, Scalar end, Scalar step=1, " GG_MAKE ")",
          [](const MaybeNumber& start, const MaybeNumber& end, const MaybeNumber& step, const Options& o) {
            return counted(start, end, step ? step : kOne, o);
          })
          .out({OutRule::Any, nullptr, OutRule::Counted, true, "\"arange_cpu\" not implemented for 'Bool'"}),
      row(kTorch, "range(Scalar start, Scalar end, Scalar step=1, *, " GG_OPTIONS ")", call<counted_with_end>)
          .help("start, start + step, … up to and with end; arange is its newer form."),
#define GG_LINSPACE(start, end)                                                   \
  row(kTorch, "linspace(" start " start, " end " end, int steps, " GG_MAKE ")",   \
      [](const Tensor& from, const Tensor& to, int64_t steps, const Options& o) { \
        check(from.dim() == 0 && to.dim() == 0,                                   \
              "linspace only supports 0-dimensional start and end tensors, "      \
              "but got start with {} dimension(s) and end with {} dimension(s).", \
              from.dim(), to.dim());                                              \
        return made(linspace(from.item(), to.item(), steps, float_type(o)), o);   \
      })                                                                          \
      .out(without_bool(kMade, "\"linspace_cpu\" not implemented for 'Bool'"))
      GG_LINSPACE("Tensor", "Tensor")
          .help("steps numbers from start to end, both included, equally far apart."),
      GG_LINSPACE("Scalar", "Tensor"),
      GG_LINSPACE("Tensor", "Scalar"),
      GG_LINSPACE("Scalar", "Scalar"),
      row(kTorch, "logspace(Scalar start, Scalar end, int steps, float base=10.0, " GG_MAKE ")",
          [](double start, double end, int64_t steps, double base, const Options& o) {
            const DType t = float_type(o);  // integers: computed in float64, then truncated
            const Tensor powers = linspace(start, end, steps, is_floating(t) ? t : float64);
            return made(to(pow(base, powers), t), o);
          })
          .help("base to the power of linspace(start, end, steps).")
          .out(without_bool(kMade, "\"logspace_cpu\" not implemented for 'Bool'")),
      row(kTorch, "eye(int n, " GG_MAKE ")",
          [](int64_t n, const Options& o) { return made(eye(n, {}, float_type(o)), o); })
          .help("The matrix (n, m) with 1 on its diagonal, else 0."),
      row(kTorch, "eye(int n, int m, " GG_MAKE ")",
          [](int64_t n, int64_t m, const Options& o) { return made(eye(n, m, float_type(o)), o); }),
      row(kTorch, "tril_indices(int row, int col, int offset=0, *, " GG_OPTIONS ")",
          [](int64_t n, int64_t m, int64_t k, const Options& o) {
            return made(triangle_indices(n, m, k, true), o);
          })
          .help("The indices (2, count) of what tril keeps of a matrix (row, col)."),
      row(kTorch, "triu_indices(int row, int col, int offset=0, *, " GG_OPTIONS ")",
          [](int64_t n, int64_t m, int64_t k, const Options& o) {
            return made(triangle_indices(n, m, k, false), o);
          })
          .help("The indices (2, count) of what triu keeps of a matrix (row, col)."),
  };
  return with_defaults(std::move(rows));
}

Rows random_rows() {
  Rows rows = {
#define GG_DRAWN(name, function)                                                                     \
  named_row(kTorch, name "(int[] size, *, Generator? generator, Dimname[]? names, " GG_OPTIONS ")"), \
      row(kTorch, name "(int[] size, *, Generator? generator, Tensor? out=None, " GG_OPTIONS ")",    \
          [](const Dims& s, Generator& g, const Options& o) {                                        \
            return made(function(s, float_type(o), g), o);                                           \
          }),                                                                                        \
      row(kTorch, name "(int[] size, " GG_MAKE ")",                                                  \
          [](const Dims& s, const Options& o) { return made(function(s, float_type(o)), o); }),      \
      named_row(kTorch, name "(int[] size, *, Dimname[]? names, " GG_OPTIONS ")")
      GG_DRAWN("rand", rand).help("Uniform numbers in [0, 1)."),
      GG_DRAWN("randn", randn)
          .help("Numbers from the normal distribution of mean 0 and standard deviation 1."),
      row(kTorch, "randint(int high, int[] size, *, Generator? generator, Tensor? out=None, " GG_OPTIONS ")",
          [](int64_t high, const Dims& s, Generator& g, const Options& o) {
            return drawn_whole(0, high, randint(0, high, s, g), o);
          })
          .help("Integers from low (0 if left out) to high − 1."),
      row(kTorch, "randint(int high, int[] size, " GG_MAKE ")",
          [](int64_t high, const Dims& s, const Options& o) {
            return drawn_whole(0, high, randint(0, high, s), o);
          }),
      row(kTorch,
          "randint(int low, int high, int[] size, *, Generator? generator, Tensor? out=None, " GG_OPTIONS ")",
          [](int64_t low, int64_t high, const Dims& s, Generator& g, const Options& o) {
            return drawn_whole(low, high, randint(low, high, s, g), o);
          }),
      row(kTorch, "randint(int low, int high, int[] size, " GG_MAKE ")",
          [](int64_t low, int64_t high, const Dims& s, const Options& o) {
            return drawn_whole(low, high, randint(low, high, s), o);
          }),
      row(kTorch, "randperm(int n, *, Generator? generator, Tensor? out=None, " GG_OPTIONS ")",
          [](int64_t n, Generator& g, const Options& o) { return drawn(randperm(n, g), o); })
          .help("A random order of 0 … n − 1, int64.")
          .out(without_bool(kMade, "\"randperm\" not implemented for 'Bool'")),
      row(kTorch, "randperm(int n, " GG_MAKE ")",
          [](int64_t n, const Options& o) { return drawn(randperm(n), o); })
          .out(without_bool(kMade, "\"randperm\" not implemented for 'Bool'")),
      row(kTorch, "rand_like(Tensor input, " GG_LIKE ")",
          [](const Tensor& x, const Options& o) { return made(rand_like(o.dtype ? to(x, *o.dtype) : x), o); })
          .help("rand of input's shape and dtype."),
      row(kTorch, "randn_like(Tensor input, " GG_LIKE ")",
          [](const Tensor& x, const Options& o) {
            return made(randn_like(o.dtype ? to(x, *o.dtype) : x), o);
          })
          .help("randn of input's shape and dtype."),
      row(kTorch, "randint_like(Tensor input, int high, " GG_LIKE ")",
          [](const Tensor& x, int64_t high, const Options& o) { return drawn(randint_like(x, 0, high), o); })
          .help("randint of input's shape and dtype."),
      row(kTorch, "randint_like(Tensor input, int low, int high, " GG_LIKE ")",
          [](const Tensor& x, int64_t low, int64_t high, const Options& o) {
            return drawn(randint_like(x, low, high), o);
          }),
      row(kTorch, "normal(Tensor mean, Tensor std" GG_RANDOM ", Tensor? out=None)",
          call<only<Tensor(T, T, Generator&)>(normal)>)
          .help("Numbers from normal distributions: randn · std + mean.")
          .out(same(kDrawn)),
      row(kTorch, "normal(Tensor mean, float std=1" GG_RANDOM ", Tensor? out=None)",
          [](const Tensor& mean, double std, Generator& g) {
            check(std >= 0, "normal expects std >= 0.0, but found std {}", std);
            return normal(mean, full_like(mean, std), g);
          })
          .out({OutRule::Same, kDrawn, OutRule::Keep}),
      row(kTorch, "normal(float mean, Tensor std" GG_RANDOM ", Tensor? out=None)",
          [](double mean, const Tensor& std, Generator& g) { return normal(full_like(std, mean), std, g); })
          .out(same(kDrawn)),
      row(kTorch, "normal(float mean, float std, int[] size, " GG_DRAW ")",
          [](double mean, double std, const Dims& s, Generator& g, const Options& o) {
            return made(normal_(empty(s, float_type(o)), mean, std, g), o);
          }),
      row(kBoth, "bernoulli(Tensor input" GG_RANDOM ", Tensor? out=None)", call<bernoulli>)
          .help("1 with probability input[…], else 0.")
          .out({OutRule::Any, nullptr, OutRule::Silent}),
      row(kBoth, "bernoulli(Tensor input, float p" GG_RANDOM ")",
          [](const Tensor& x, double p, Generator& g) { return bernoulli_(empty_like(x), p, g); }),
      row(kBoth,
          "multinomial(Tensor input, int num_samples, bool replacement=False, *, Generator? generator=None, "
          "Tensor? out=None)",
          call<multinomial>)
          .help("num_samples indices for each row of weights: input (n) or (rows, n), result "
                "(num_samples) or (rows, num_samples), int64.")
          .out({OutRule::Same, "multinomial expects Long tensor out, got: {G}", OutRule::Silent}),
      row(kMethod, "uniform_(Tensor input, float from=0, float to=1" GG_RANDOM ")", call<uniform_>)
          .help("Fills the tensor with uniform numbers in [from, to)."),
      row(kMethod, "normal_(Tensor input, float mean=0, float std=1" GG_RANDOM ")", call<normal_>)
          .help("Fills the tensor with numbers from a normal distribution."),
      row(kMethod, "bernoulli_(Tensor input, float p=0.5" GG_RANDOM ")", call<bernoulli_>)
          .help("Fills the tensor with 1 with probability p, else 0."),
      row(kMethod, "bernoulli_(Tensor input, Tensor p" GG_RANDOM ")",
          [](const Tensor& x, const Tensor& p, Generator& g) {
            return copy_(x, bernoulli(p.expand(x.shape()), g));
          }),
      row(kMethod, "exponential_(Tensor input, float lambd=1" GG_RANDOM ")", call<exponential_>)
          .help("Fills the tensor with numbers from the exponential distribution −ln(1 − u)/lambd."),
      row(kMethod, "geometric_(Tensor input, float p" GG_RANDOM ")", call<draw_geometric>)
          .help("Draws of ⌈log u / log(1 − p)⌉, u uniform in [0, 1): how many tries until the first "
                "success."),
      row(kMethod, "cauchy_(Tensor input, float median=0, float sigma=1" GG_RANDOM ")", call<draw_cauchy>)
          .help("Draws of median + sigma · tan(π(u − 1/2)), u uniform in [0, 1)."),
      row(kMethod, "log_normal_(Tensor input, float mean=1, float std=2" GG_RANDOM ")", call<draw_log_normal>)
          .help("Draws of exp(mean + std · z), z standard normal."),
      row(kMethod, "random_(Tensor input" GG_RANDOM ")", call<only<Tensor(T, Generator&)>(random_)>)
          .help("Fills the tensor with integers from `from` (0) to `to` − 1, or up to what its dtype "
                "holds exactly."),
      row(kMethod, "random_(Tensor input, int to" GG_RANDOM ")",
          [](const Tensor& x, int64_t high, Generator& g) { return random_(x, 0, high, g); }),
      row(kMethod, "random_(Tensor input, int from, int? to" GG_RANDOM ")",
          [](const Tensor& x, int64_t low, std::optional<int64_t> high, Generator& g) {
            return random_(x, low, high.value_or(INT64_MAX), g);
          }),
  };
  return with_defaults(std::move(rows));
}

}  // namespace glassgrad::GG_HOST

// Random tensors and random fills: checks, order of the elements, recording. random.h draws the numbers.
#include "../random.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "../core/default_float64.h"
#include "../core/gpu.h"
#include "../glass/why.h"
#include "../ops.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {
namespace {

// ---- drawn by a GPU's own generator
void check_generator(Device device, const Generator& g) {
  check(g.device() == device, "Expected a '{}' device type for generator but found '{}'",
        device_type_name(device.type), device_type_name(g.device().type));
}

// Fills x from the GPU's generator: draw(y, stream) fills memory and returns how far the offset advances.
// Returns false if the generator is the CPU's.
template <class F>
bool drawn_there(const Tensor& x, Generator& g, F draw) {
  if (g.device() == kCpu) return false;
  check_generator(x.device(), g);
  check(g.replayed_from() || !gpu::is_capturing(),
        "a generator that draws in a captured graph would draw the same numbers at each replay: give it to "
        "Captured");
  const bool dense = is_dense(x.shape(), x.strides());
  const Tensor y =
      dense ? x : empty_strided(x.shape(), dense_strides(x.shape(), x.strides()), x.dtype(), x.device());
  const std::scoped_lock lock(g.mutex());
  g.set_offset(g.offset() + draw(y, PhiloxState{g.initial_seed(), g.offset(), g.replayed_from()}));
  if (!dense) assign(x, y);
  return true;
}
bool drawn_there(const Tensor& x, Generator& g, const Distribution& d) {
  return drawn_there(x, g, [&](const Tensor& y, const PhiloxState& stream) {
    return kernel_for<decltype(cuda::draw)>(y.device(), nullptr, GG_CUDA(draw))(y.raw(), stream, d);
  });
}

// Fills a copy on the CPU for a tensor on a GPU: the draws are the same on every device. On Meta, nothing is
// drawn.
template <class F>
bool fill_elsewhere(const Tensor& x, F fill) {
  if (x.device() == kCpu) return false;
  if (x.device() == kMeta) return true;
  const Tensor drawn = empty_strided(x.shape(), x.strides(), x.dtype());
  fill(drawn);
  assign(x, drawn);
  return true;
}

// Fills x, a float64 tensor, with the draws that it would get as float32.
template <class F>
void fill_widened(const Tensor& x, F fill) {
  std::vector<float> drawn(size_t(x.numel()));
  fill(drawn.data(), x.numel());
  const float* next = drawn.data();
  double* const data = x.raw().as<double>();
  each_in_memory_order(x.shape(), x.strides(), [&](int64_t at) { data[at] = *next++; });
}

Tensor in_float32(const Tensor& x) {
  const NoRecording no_recording;
  return to(x, float32);
}

// Calls fill(T* data, int64_t n) for x's elements in memory order: in x's own memory or, if x has gaps, in a
// buffer.
template <class T, class F>
void fill_elements(const Tensor& x, F fill) {
  if (fill_elsewhere(x, [&](const Tensor& y) { fill_elements<T>(y, fill); })) return;
  T* const data = x.raw().as<T>();
  const int64_t n = x.numel();
  if constexpr (std::is_same_v<T, double>)
    if (defaults_to_float64) return fill_widened(x, fill);
  if (is_dense(x.shape(), x.strides())) return fill(data, n);
  const Tensor drawn = empty({n}, x.dtype(), kCpu);
  const T* next = drawn.raw().as<T>();
  fill(drawn.raw().as<T>(), n);
  each_in_memory_order(x.shape(), x.strides(), [&](int64_t offset) { data[offset] = *next++; });
}
template <class F>
void fill_floats(const Tensor& x, F fill) {
  every_float(x.dtype(), [&](auto zero) { fill_elements<decltype(zero)>(x, fill); });
}
template <class F>
void fill_any(const Tensor& x, F fill) {
  every_type(x.dtype(), [&](auto zero) { fill_elements<decltype(zero)>(x, fill); });
}

void check_floating(const Tensor& x, const char* kernel) {
  check(is_floating(x.dtype()), "\"{}\" not implemented for '{}'", kernel, scalar_type_name(x.dtype()));
}

// ---- the distributions: parameters, checks and draws. They are also the attributes of the ops.

struct Uniform {
  double from, to;
  static constexpr AttrNames kNames{"from", "to"};
  void fill(const Tensor& x, Generator& g) const {
    check_floating(x, "check_uniform_bounds");
    const double max = greatest(x.dtype());
    const char* type = cpp_type_name(x.dtype());
    check(std::abs(from) <= max, "from is out of bounds for {}", type);
    check(std::abs(to) <= max, "to is out of bounds for {}", type);
    check(from <= to, "uniform_ expects to return a [from, to) range, but found from={:g} > to={:g}", from,
          to);
    check(to - from <= max,
          "uniform_ expects to-from <= std::numeric_limits<{}>::max(), but found to={:g} and from={:g} which "
          "result in to-from to exceed the limit",
          scalar_type_name(x.dtype()), to, from);
    if (drawn_there(x, g, {Distribution::Uniform, from, to})) return;
    fill_floats(x, [&](auto* y, int64_t n) { fill_uniform(g, y, n, from, to); });
  }
};

struct Normal {
  double mean, std;
  static constexpr AttrNames kNames{"mean", "std"};
  void fill(const Tensor& x, Generator& g) const {
    check(std >= 0, "normal expects std >= 0.0, but found std {:g}", std);
    check_floating(x, "normal_kernel_cpu");
    if (drawn_there(x, g, {Distribution::Normal, mean, std})) return;
    fill_floats(x, [&](auto* y, int64_t n) { fill_normal(g, y, n, mean, std, x.is_contiguous()); });
  }
};

struct Bernoulli {
  double p;
  Distribution::Kind on_gpu = Distribution::Bernoulli;
  static constexpr AttrNames kNames{"p"};
  void fill(const Tensor& x, Generator& g) const {
    check(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p={:g}", p);
    if (drawn_there(x, g, {on_gpu, p})) return;
    fill_any(x, [&](auto* y, int64_t n) { fill_bernoulli(g, y, n, p); });
  }
};

struct Exponential {
  double lambda;
  static constexpr AttrNames kNames{"lambda"};
  void fill(const Tensor& x, Generator& g) const {
    check(is_floating(x.dtype()),
          "Exponential distribution is a continuous probability distribution. dtype must be a floating "
          "point but you specified {}",
          scalar_type_name(x.dtype()));
    check(lambda > 0, "exponential_ expects lambda > 0.0, but found lambda={:g}", lambda);
    if (drawn_there(x, g, {Distribution::Exponential, lambda})) return;
    fill_floats(x, [&](auto* y, int64_t n) { fill_exponential(g, y, n, lambda); });
  }
};

struct Integers {
  int64_t low, high;
  static constexpr AttrNames kNames{"low", "high"};
  void fill(const Tensor& x, Generator& g) const {
    check(low < high, "random_ expects 'from' to be less than 'to', but got from={} >= to={}", low, high);
    if (!is_floating(x.dtype())) {
      const auto fits = [&](int64_t number) {
        return x.dtype() == boolean ? number == 0 || number == 1
                                    : x.dtype() == int64 || number_fits(double(number), false, x.dtype());
      };
      check(fits(low), "from is out of bounds for {}", cpp_type_name(x.dtype()));
      check(fits(high - 1), "to - 1 is out of bounds for {}", cpp_type_name(x.dtype()));
    }
    const uint64_t range = uint64_t(high) - uint64_t(low);
    if (drawn_there(x, g, {Distribution::Integers, 0, 0, low, range})) return;
    fill_any(x, [&](auto* y, int64_t n) { fill_randint(g, y, n, low, high); });
  }
};

struct WholeRange : NoAttr {
  void fill(const Tensor& x, Generator& g) const {
    // For integers: all that are not negative. For floats: the integers that the dtype holds exactly.
    const bool floating = is_floating(x.dtype());
    const uint64_t range = x.dtype() == int64 ? 1ull << 63
                           : floating         ? uint64_t(2 / epsilon(x.dtype())) + 1
                                              : uint64_t(greatest(x.dtype())) + 1;
    if (drawn_there(x, g, {Distribution::Integers, 0, 0, 0, range})) return;
    fill_any(x, [&](auto* y, int64_t n) { fill_random(g, y, n); });
  }
};

// A new tensor, drawn from d.
template <class D>
Tensor drawn(const Op& op, Tensor y, const D& d, Generator& g) {
  d.fill(y, g);
  return record(op, std::move(y), {}, d);
}

// Replaces x's elements with draws from d: x's old gradient becomes 0.
template <class D>
Tensor redrawn(const Op& op, const Tensor& x, const D& d, Generator& g) {
  check_no_overlap(x);
  announce(x);
  d.fill(x, g);
  return record_in_place(op, x, {&x}, {}, d,
                         [](BackwardContext& back, const D&) { back[0] = zeros_like(back.g); });
}

constexpr Op rand_op{"rand", "", "uniform in [0, 1)", why_drawn},
    randn_op{"randn", "", "standard normal", why_drawn},
    randint_op{"randint", "", "uniform in low … high−1", why_drawn},
    normal_like_op{"normal", "", "mean + std·z", why_drawn},
    bernoulli_op{"bernoulli_", "BernoulliBackward2", "u < p ? 1 : 0", why_drawn};

// ---- multinomial

void check_probabilities(const Tensor& p) {
  const Tensor read = on_host(p);
  const View v = read.raw();
  every_float(p.dtype(), [&](auto zero) {
    using T = decltype(zero);
    each_in_memory_order(v.shape, v.strides, [&](int64_t at) {
      const T value = v.as<T>()[at];
      check(value >= 0 && double(value) < std::numeric_limits<double>::infinity(),
            "probability tensor contains either `inf`, `nan` or element < 0");
    });
  });
  for (double total : sum(p, {-1}).to_vector<double>())
    check(total != 0, "invalid multinomial distribution (sum of probabilities <= 0)");
}

void check_chance(bool holds) {
  check(holds,
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?"
        "  If so, please report an enhancement request to PyTorch.)");
}

// y = u < p ? 1 : 0, in logical order, whatever p's strides.
void fill_by_chances(const Tensor& y, const Tensor& p, Generator& g) {
  const bool there = drawn_there(y, g, [&](const Tensor&, const PhiloxState& stream) {
    check_chance(all(logical_and(p >= 0, p <= 1)).is_true());
    return kernel_for<decltype(cuda::draw_by_chances)>(y.device(), nullptr, GG_CUDA(draw_by_chances))(
        dense(p).raw(), y.raw(), stream);
  });
  if (there) return;
  const Tensor chances = on_host(widened(dense(defaults_to_float64 ? in_float32(p) : p)));
  fill_floats(y, [&](auto* to, int64_t n) {
    using T = std::remove_pointer_t<decltype(to)>;
    const auto* chance = chances.raw().as<std::conditional_t<std::is_same_v<T, double>, double, float>>();
    for (int64_t i = 0; i < n; ++i) check_chance(chance[i] >= 0 && chance[i] <= 1);
    fill_bernoulli(g, to, n, chance);
  });
}

// Samples without replacement like PyTorch: the n largest p_i / q_i, with q_i exponential.
Tensor sample_distinct(const Tensor& p, int64_t n, Generator& g) {
  check_probabilities(p);
  const Tensor q = empty_like(p);
  Exponential{1}.fill(q, g);
  const Tensor scores = div(p, q);
  return n == 1 ? argmax(scores, -1, true) : topk(scores, n).indices;
}

Tensor sample_again_and_again(const Tensor& p, int64_t n, Generator& g) {
  check_generator(kCpu, g);
  const Tensor weights = on_host(widened(dense(p)));
  const int64_t categories = p.size(-1), rows = p.numel() / categories;
  const Tensor y = empty(p.dim() == 1 ? Dims{n} : Dims{rows, n}, int64, kCpu);
  floats(weights.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < rows; ++r)
      sample_with_replacement<T>(g, weights.raw().template as<T>() + r * categories, categories,
                                 y.raw().as<int64_t>() + r * n, n);
  });
  return on_device(y, p.device());
}

Tensor nothing_to_draw_from(const Tensor& p, int64_t n) {
  const Tensor y = empty(p.dim() == 1 ? Dims{n} : Dims{p.size(0), n}, int64, p.device());
  check(y.numel() == 0 || p.device() == kMeta,
        "invalid multinomial distribution (sum of probabilities <= 0)");
  return y;
}

struct Samples {
  int64_t n;
  bool replacement;
  static constexpr AttrNames kNames{"num_samples", "replacement"};
};

}  // namespace

Tensor rand(const Dims& shape, DType dtype, Generator& g) {
  return drawn(rand_op, empty(shape, dtype), Uniform{0, 1}, g);
}
Tensor randn(const Dims& shape, DType dtype, Generator& g) {
  return drawn(randn_op, empty(shape, dtype), Normal{0, 1}, g);
}
Tensor randint(int64_t low, int64_t high, const Dims& shape, Generator& g) {
  return drawn(randint_op, empty(shape, int64), Integers{low, high}, g);
}
Tensor normal(double mean, double std, const Dims& shape, Generator& g) {
  return drawn(normal_like_op, empty(shape), Normal{mean, std}, g);
}
Tensor rand_like(const Tensor& x, Generator& g) { return drawn(rand_op, empty_like(x), Uniform{0, 1}, g); }
Tensor randn_like(const Tensor& x, Generator& g) { return drawn(randn_op, empty_like(x), Normal{0, 1}, g); }
Tensor randint_like(const Tensor& x, int64_t low, int64_t high, Generator& g) {
  return drawn(randint_op, empty_like(x), Integers{low, high}, g);
}

Tensor randperm(int64_t n, Generator& g) {
  static constexpr Op op{"randperm", "", "a permutation of 0 … n−1", why_drawn};
  check_generator(kCpu, g);
  const Tensor y = empty({n}, int64, kCpu);
  fill_randperm(g, y.raw().as<int64_t>(), n);
  return record(op, on_device(y, default_device), {}, NoAttr{});
}

Tensor normal(const Tensor& mean, const Tensor& std, Generator& g) {
  static constexpr Op op{"normal", "NormalBackward3", "mean + std·z", why_drawn};
  Tensor y;
  {
    const NoRecording no_recording;
    for (double s : std.to_vector<double>()) check(s >= 0, "normal expects all elements of std >= 0.0");
    const Tensor z = empty(broadcast(mean.shape(), std.shape()), mean.dtype(), mean.device());
    Normal{0, 1}.fill(z, g);
    y = to(add(mul(z, std), mean), mean.dtype());
  }
  return record(op, y, {&mean, &std}, {}, NoAttr{}, [](BackwardContext& d, NoAttr) {
    for (int i : {0, 1})
      if (d.needs(i)) d[i] = zeros_like(d.g);
  });
}

Tensor bernoulli(const Tensor& p, Generator& g) {
  static constexpr Op op{"bernoulli", "BernoulliBackward0", "u < p ? 1 : 0", why_drawn};
  check_floating(p, "bernoulli_tensor_cpu_p_");
  const Tensor y = empty(p.shape(), p.dtype(), p.device());
  {
    const NoRecording no_recording;
    fill_by_chances(y, p, g);
  }
  return record(op, y, {&p}, {}, NoAttr{}, [](BackwardContext& d, NoAttr) { d[0] = zeros_like(d.g); });
}

Tensor multinomial(const Tensor& p, int64_t n, bool replacement, Generator& g) {
  static constexpr Op op{"multinomial", "", "an index drawn by its weight", why_drawn};
  constexpr int64_t kMaxCategories = int64_t{1} << 24;
  check(p.dim() == 1 || p.dim() == 2, "prob_dist must be 1 or 2 dim");
  check(is_floating(p.dtype()), "multinomial only supports floating-point dtypes for input, got: {}",
        scalar_type_name(p.dtype()));
  check(n > 0, "cannot sample n_sample <= 0 samples");
  check(replacement || n <= p.size(-1),
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  check(p.size(-1) <= kMaxCategories, "number of categories cannot exceed 2^24");
  Tensor y;
  {
    const NoRecording no_recording;
    if (p.numel() == 0 || p.device() == kMeta)
      y = nothing_to_draw_from(p, n);
    else if (!replacement || n == 1)
      y = sample_distinct(p, n, g);
    else
      y = sample_again_and_again(p, n, g);
  }
  return record(op, y, {&p}, Samples{n, replacement});
}

Tensor uniform_(const Tensor& x, double a, double b, Generator& g) {
  static constexpr Op op{"uniform_", "UniformBackward0", "uniform in [from, to)", why_drawn};
  return redrawn(op, x, Uniform{a, b}, g);
}
Tensor normal_(const Tensor& x, double mean, double std, Generator& g) {
  static constexpr Op op{"normal_", "NormalBackward0", "mean + std·z", why_drawn};
  return redrawn(op, x, Normal{mean, std}, g);
}
Tensor bernoulli_(const Tensor& x, double p, Generator& g) {
  return redrawn(bernoulli_op, x, Bernoulli{p}, g);
}
Tensor dropout_mask_(const Tensor& x, double keep, Generator& g) {
  return redrawn(bernoulli_op, x, Bernoulli{keep, Distribution::DropoutMask}, g);
}
Tensor exponential_(const Tensor& x, double lambda, Generator& g) {
  static constexpr Op op{"exponential_", "ExponentialBackward0", "−ln(1 − u) / lambda", why_drawn};
  return redrawn(op, x, Exponential{lambda}, g);
}
Tensor random_(const Tensor& x, Generator& g) {
  static constexpr Op op{"random_", "RandomBackward2", "any integer the dtype holds exactly", why_drawn};
  return redrawn(op, x, WholeRange{}, g);
}
Tensor random_(const Tensor& x, int64_t low, int64_t high, Generator& g) {
  static constexpr Op op{"random_", "RandomBackward0", "uniform in low … high−1", why_drawn};
  return redrawn(op, x, Integers{low, high}, g);
}

}  // namespace glassgrad

#include "random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "cpu/kernels.h"

namespace glassgrad {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kLanes = 8;  // a normal block is 8 pairs
constexpr int kBlock = 2 * kLanes;

// Turns blocks of 16 uniforms into normals, in place.
void make_normal(float* y, int64_t n, float mean, float std) { kernels().normal(y, n, mean, std); }
void make_normal(double* y, int64_t n, double mean, double std) {
  for (double* d = y; d + kBlock <= y + n; d += kBlock)
    for (int j = 0; j < kLanes; ++j) {
      const double r = std::sqrt(-2 * std::log(1 - d[j])), t = 2 * kPi * d[j + kLanes];
      d[j] = std::fma(r * std::cos(t), std, mean);
      d[j + kLanes] = std::fma(r * std::sin(t), std, mean);
    }
}

// Rounds after each step, as PyTorch's 16-bit scalars do.
template <class Format>
void make_normal(Float16Of<Format>* y, int64_t n, Float16Of<Format> mean, Float16Of<Format> std) {
  using T = Float16Of<Format>;
  for (T* d = y; d + kBlock <= y + n; d += kBlock)
    for (int j = 0; j < kLanes; ++j) {
      const T r(std::sqrt(-2 * float(T(std::log(float(T(1 - d[j])))))));
      const T t(2 * kPi * double(d[j + kLanes]));
      d[j] = T(T(T(r * T(std::cos(float(t)))) * std) + mean);
      d[j + kLanes] = T(T(T(r * T(std::sin(float(t)))) * std) + mean);
    }
}

template <class T>
void draw_uniform(Generator& g, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(g.u<T>());
}

}  // namespace

Generator::Generator(Device device) : Generator() {
  const std::string reason = why_unavailable(device);
  check(reason.empty(), "{}", reason);
  device_ = device;
}

void Generator::set_offset(uint64_t words) {
  check(words % 4 == 0, "offset must be a multiple of 4");
  offset_ = words;
}

Generator& Generator::reseed(uint64_t seed) {
  state_.seed = seed;
  offset_ = 0;
  uint32_t s = static_cast<uint32_t>(seed);
  for (uint32_t j = 0; j < kWords; s = 1812433253u * (s ^ (s >> 30)) + ++j) state_.words[j] = s;
  state_.used = kWords;
  state_.has_normal = false;
  state_.normal = 0;
  return *this;
}

uint64_t Generator::seed() {
  std::random_device entropy;
  const uint64_t high = entropy();
  reseed(high << 32 | entropy());
  return state_.seed;
}

void Generator::next_block() {
  constexpr int kShift = 397;
  uint32_t* w = state_.words;
  auto twist = [w](int i, int next, int far) {
    const uint32_t y = (w[i] & 0x80000000u) | (w[next] & 0x7fffffffu);
    w[i] = w[far] ^ (y >> 1) ^ (w[next] & 1 ? 0x9908b0dfu : 0u);
  };
  for (int i = 0; i < kWords - kShift; ++i) twist(i, i + 1, i + kShift);
  for (int i = kWords - kShift; i < kWords - 1; ++i) twist(i, i + 1, i + kShift - kWords);
  twist(kWords - 1, 0, kShift - 1);
  state_.used = 0;
}

double Generator::normal() {
  if (state_.has_normal) {
    state_.has_normal = false;
    return state_.normal;
  }
  const double u1 = u<double>(), u2 = u<double>();
  const double r = std::sqrt(-2.0 * std::log1p(-u2)), t = 2.0 * kPi * u1;
  state_.has_normal = true;
  state_.normal = r * std::sin(t);
  return r * std::cos(t);
}

Generator& default_generator() {
  static Generator& g = *[] {
    auto* made =
        new Generator;  // never destroyed: tensors may still be drawn while the program's statics end
    made->seed();
    return made;
  }();
  return g;
}

template <class T>
void fill_uniform(Generator& g, T* y, int64_t n, double from, double to) {
  const std::scoped_lock lock(g.mutex());
  const T a = static_cast<T>(from), width = static_cast<T>(static_cast<T>(to) - a);
  for (int64_t i = 0; i < n; ++i) {
    const auto u = g.u<T>();
    y[i] = static_cast<T>(std::fma(u, decltype(u)(width), decltype(u)(a)));
  }
}

template <class T>
void fill_normal(Generator& g, T* y, int64_t n, double mean, double std, bool contiguous) {
  const std::scoped_lock lock(g.mutex());
  if (n < kBlock || !contiguous) {
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(std::fma(g.normal(), std, mean));
    return;
  }
  const T m = static_cast<T>(mean), s = static_cast<T>(std);
  draw_uniform(g, y, n);
  make_normal(y, n, m, s);
  if (n % kBlock) {
    draw_uniform(g, y + n - kBlock, kBlock);
    make_normal(y + n - kBlock, kBlock, m, s);
  }
}

template <class T>
void fill_bernoulli(Generator& g, T* y, int64_t n, double p) {
  const std::scoped_lock lock(g.mutex());
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(g.u<double>() < p);
}

template <class T, class P>
void fill_bernoulli(Generator& g, T* y, int64_t n, const P* p) {
  const std::scoped_lock lock(g.mutex());
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(g.u<P>() < p[i]);
}

template <class T>
void fill_exponential(Generator& g, T* y, int64_t n, double lambda) {
  const std::scoped_lock lock(g.mutex());
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(-1.0 / lambda * std::log1p(-g.u<double>()));
}

template <class T>
void fill_randint(Generator& g, T* y, int64_t n, int64_t from, int64_t to) {
  const std::scoped_lock lock(g.mutex());
  const uint64_t base = static_cast<uint64_t>(from), range = static_cast<uint64_t>(to) - base;
  const bool wide = range >= uint64_t{1} << 32 && !std::is_same_v<T, bool>;
  for (int64_t i = 0; i < n; ++i)
    y[i] = static_cast<T>(static_cast<int64_t>((wide ? g.r64() : g.r32()) % range + base));
}

template <class T>
void fill_random(Generator& g, T* y, int64_t n) {
  const std::scoped_lock lock(g.mutex());
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, bool>)
      y[i] = g.r32() & 1;
    else if constexpr (std::is_same_v<T, float>)
      y[i] = static_cast<float>(g.r32() % ((1u << 24) + 1));
    else if constexpr (std::is_same_v<T, double>)
      y[i] = static_cast<double>(g.r64() % ((uint64_t{1} << 53) + 1));
    else if constexpr (std::is_same_v<T, float16_t>)
      y[i] = static_cast<T>(g.r32() % ((1u << 11) + 1));
    else if constexpr (std::is_same_v<T, bfloat16_t>)
      y[i] = static_cast<T>(g.r32() % ((1u << 8) + 1));
    else if constexpr (sizeof(T) < 8)
      y[i] = static_cast<T>(g.r32() % (uint64_t{std::numeric_limits<T>::max()} + 1));
    else
      y[i] = static_cast<T>(g.r64() & (~uint64_t{0} >> 1));
  }
}

void fill_randperm(Generator& g, int64_t* y, int64_t n) {
  const std::scoped_lock lock(g.mutex());
  const bool wide = n >= int64_t{0xffffffff} / 20;  // with 32 bits, some permutations would be likelier
  std::iota(y, y + n, int64_t{0});
  for (int64_t i = 0; i < n - 1; ++i) {
    const uint64_t r = wide ? g.r64() : g.r32();
    std::swap(y[i], y[i + static_cast<int64_t>(r % static_cast<uint64_t>(n - i))]);
  }
}

template <class T>
void sample_with_replacement(Generator& g, const T* p, int64_t n, int64_t* y, int64_t count) {
  std::vector<T> share;
  share.reserve(static_cast<size_t>(n));
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    check(p[i] >= 0, "invalid multinomial distribution (encountering probability entry < 0)");
    check(std::isfinite(p[i]),
          "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
    share.push_back(sum += p[i]);
  }
  check(sum > 0, "invalid multinomial distribution (sum of probabilities <= 0)");
  for (T& s : share) s /= sum;
  share.back() = 1;
  const std::scoped_lock lock(g.mutex());
  for (int64_t i = 0; i < count; ++i)
    y[i] = std::lower_bound(share.begin(), share.end(), g.u<double>()) - share.begin();
}

template void sample_with_replacement(Generator&, const float*, int64_t, int64_t*, int64_t);
template void sample_with_replacement(Generator&, const double*, int64_t, int64_t*, int64_t);

#define GG_FLOAT_FILLS(T)                                                   \
  template void fill_uniform(Generator&, T*, int64_t, double, double);      \
  template void fill_normal(Generator&, T*, int64_t, double, double, bool); \
  template void fill_exponential(Generator&, T*, int64_t, double);
GG_FLOAT_FILLS(float)
GG_FLOAT_FILLS(double)
#define WIDE(...)
#define NARROW_INTEGER(...)
#define NARROW_FLOAT(dtype, T, ...) GG_FLOAT_FILLS(T)
#include "core/dtypes.def"

#define GG_ANY_FILLS(T)                                                  \
  template void fill_bernoulli(Generator&, T*, int64_t, double);         \
  template void fill_bernoulli(Generator&, T*, int64_t, const float*);   \
  template void fill_bernoulli(Generator&, T*, int64_t, const double*);  \
  template void fill_randint(Generator&, T*, int64_t, int64_t, int64_t); \
  template void fill_random(Generator&, T*, int64_t);
#define DTYPE(dtype, T, ...) GG_ANY_FILLS(T)
#include "core/dtypes.def"

}  // namespace glassgrad

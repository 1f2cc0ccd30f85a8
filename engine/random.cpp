#include "random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "error.h"

namespace glassgrad {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kLanes = 8;  // a normal block is 8 pairs
constexpr int kBlock = 2 * kLanes;

// ---- float32 logarithm, sine and cosine as PyTorch's normal kernel has them (the polynomials of Julien
// Pommier's avx_mathfun, from Cephes). The C library's differ in the last bit of a third of all normals.

float poly(float x, float y, std::initializer_list<float> coefficients) {
  for (float c : coefficients) y = std::fma(y, x, c);
  return y;
}

// ln x for a normal x > 0: x = m·2^e with m in [√½, √2).
float block_log(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const float half = std::bit_cast<float>((bits & 0x807fffffu) | 0x3f000000u);  // the mantissa, in [0.5, 1)
  const bool low = half < 0.707106781186547524f;
  const float e = static_cast<float>(static_cast<int>(bits >> 23) - 126 - (low ? 1 : 0));
  const float m = (half - 1.0f) + (low ? half : 0.0f);
  const float square = m * m;
  float y = poly(m, 7.0376836292e-2f,
                 {-1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f,
                  2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f});
  y = std::fma(y * m, square, e * -2.12194440e-4f);
  y = std::fma(-square, 0.5f, y);
  return std::fma(e, 0.693359375f, m + y);  // ln 2 = 0.693359375 − 0.000212194440
}

struct SinCos {
  float sin, cos;
};

// sin t and cos t for t ≥ 0: octant j, remainder by three parts of π/4, one polynomial for each of the two.
SinCos block_sincos(float t) {
  const int j = (static_cast<int>(t * 1.27323954473516f) + 1) & ~1;
  const float octant = static_cast<float>(j);
  for (float part : {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f})
    t = std::fma(octant, part, t);
  const float z = t * t;
  float c = poly(z, 2.443315711809948e-5f, {-1.388731625493765e-3f, 4.166664568298827e-2f});
  c = std::fma(c * z, z, -(z * 0.5f)) + 1.0f;
  float s = poly(z, -1.9515295891e-4f, {8.3321608736e-3f, -1.6666654611e-1f});
  s = std::fma(s * z, t, t);
  if (j & 2) std::swap(s, c);
  return {j & 4 ? -s : s, ~(j - 2) & 4 ? -c : c};
}

double log_of(double x) { return std::log(x); }
float log_of(float x) { return block_log(x); }
SinCos sincos_of(float t) { return block_sincos(t); }
struct SinCos64 {
  double sin, cos;
};
SinCos64 sincos_of(double t) { return {std::sin(t), std::cos(t)}; }

// 16 uniforms become 16 normals, in place.
template <class T>
void normal_block(T* d, T mean, T std) {
  for (int j = 0; j < kLanes; ++j) {
    const T r = std::sqrt(T(-2) * log_of(T(1) - d[j]));
    const auto t = sincos_of(T(2 * kPi) * d[j + kLanes]);
    d[j] = std::fma(r * t.cos, std, mean);
    d[j + kLanes] = std::fma(r * t.sin, std, mean);
  }
}

template <class T>
void draw_uniform(Generator& g, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = g.u<T>();
}

}  // namespace

Generator& Generator::reseed(uint64_t seed) {
  state_.seed = seed;
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
  const T a = static_cast<T>(from), width = static_cast<T>(to) - a;
  for (int64_t i = 0; i < n; ++i) y[i] = std::fma(g.u<T>(), width, a);
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
  for (int64_t i = 0; i + kBlock <= n; i += kBlock) normal_block(y + i, m, s);
  if (n % kBlock) {
    draw_uniform(g, y + n - kBlock, kBlock);
    normal_block(y + n - kBlock, m, s);
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
    else
      y[i] = static_cast<T>(g.r64() & (~uint64_t{0} >> 1));
  }
}

void fill_randperm(Generator& g, int64_t* y, int64_t n) {
  const std::scoped_lock lock(g.mutex());
  const bool wide = n >= int64_t{0xffffffff} / 20;  // 32 bits would favour some permutations visibly
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

#define GG_FLOAT_FILLS(T)                                                   \
  template void fill_uniform(Generator&, T*, int64_t, double, double);      \
  template void fill_normal(Generator&, T*, int64_t, double, double, bool); \
  template void fill_exponential(Generator&, T*, int64_t, double);          \
  template void sample_with_replacement(Generator&, const T*, int64_t, int64_t*, int64_t);
GG_FLOAT_FILLS(float)
GG_FLOAT_FILLS(double)

#define GG_ANY_FILLS(T)                                                  \
  template void fill_bernoulli(Generator&, T*, int64_t, double);         \
  template void fill_bernoulli(Generator&, T*, int64_t, const float*);   \
  template void fill_bernoulli(Generator&, T*, int64_t, const double*);  \
  template void fill_randint(Generator&, T*, int64_t, int64_t, int64_t); \
  template void fill_random(Generator&, T*, int64_t);
GG_ANY_FILLS(bool)
GG_ANY_FILLS(int64_t)
GG_ANY_FILLS(float)
GG_ANY_FILLS(double)

}  // namespace glassgrad

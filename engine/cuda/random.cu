// Random numbers by Philox4x32-10, drawn as PyTorch draws them on a GPU. Which thread draws an element, and
// so its value, depends on how many threads the GPU holds, except in tensors with no more elements than these
// threads draw in one round.
#include "kernels.h"
#include "packs.h"

namespace glassgrad::cuda {
namespace {

__device__ float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ double fused(double a, double b, double c) { return fma(a, b, c); }
__device__ float log_of(float x) { return logf(x); }
__device__ double log_of(double x) { return log(x); }

struct Bits {
  uint32_t v[4];
};

// Ten rounds of Philox: Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3 (2011).
// skipped: how many counter values, of four words each, lie between the stream's offset and this draw.
__device__ Bits philox(const PhiloxState& stream, uint64_t skipped, uint64_t thread) {
  const int64_t* const from = stream.replayed_from;
  const uint64_t seed = from ? uint64_t(from[0]) : stream.seed;
  const uint64_t counter = (stream.offset + (from ? uint64_t(from[1]) : 0)) / 4 + skipped;
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  Bits c{{uint32_t(counter), uint32_t(counter >> 32), uint32_t(thread), uint32_t(thread >> 32)}};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * c.v[0], b = uint64_t{0xCD9E8D57u} * c.v[2];
    c = {{uint32_t(b >> 32) ^ c.v[1] ^ key0, uint32_t(b), uint32_t(a >> 32) ^ c.v[3] ^ key1, uint32_t(a)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

// ---- uniform in (0, 1], and normal: four floats or two doubles
__device__ float uniform_of(uint32_t bits) { return fused(float(bits), 0x1p-32f, 0x1p-33f); }
__device__ double uniform_of(uint32_t low, uint32_t high) {
  return fused(double(uint64_t(low) ^ uint64_t(high) << 21), 0x1p-53, 0x1p-54);
}
__device__ void uniforms(const Bits& b, float (&u)[4]) {
  for (int k = 0; k < 4; ++k) u[k] = uniform_of(b.v[k]);
}
__device__ void uniforms(const Bits& b, double (&u)[2]) {
  for (int k = 0; k < 2; ++k) u[k] = uniform_of(b.v[2 * k], b.v[2 * k + 1]);
}

__device__ void normal_pair(uint32_t x, uint32_t y, float& first, float& second) {
  constexpr float kTurn = 0x1p-32f * 6.2831855f;
  const float r = sqrtf(-2.0f * log_of(uniform_of(x))), angle = fused(float(y), kTurn, kTurn / 2);
#ifdef __CUDA_ARCH__
  float sine, cosine;
  __sincosf(angle, &sine, &cosine);  // the hardware's functions, as in PyTorch
#else
  const float sine = sinf(angle), cosine = cosf(angle);
#endif
  first = sine * r;
  second = cosine * r;
}
__device__ void normals(const Bits& b, float (&z)[4]) {
  normal_pair(b.v[0], b.v[1], z[0], z[1]);
  normal_pair(b.v[2], b.v[3], z[2], z[3]);
}
__device__ void normals(const Bits& b, double (&z)[2]) {
  constexpr double kPi = 3.14159265358979323846;
  const double r = sqrt(-2.0 * log_of(uniform_of(b.v[0], b.v[1])));
  const double angle = 2 * kPi * uniform_of(b.v[2], b.v[3]);
  z[0] = sin(angle) * r;
  z[1] = cos(angle) * r;
}

// ---- the distributions: each turns a thread's bits into kEach elements; halves are drawn as floats, then
// rounded
template <class T>
inline constexpr int kDrawn = sizeof(T) == 8 ? 2 : 4;
template <class T>
using DrawnAs = std::conditional_t<sizeof(T) == 8, double, float>;

template <class T>
struct Uniform {
  static constexpr int kEach = kDrawn<T>;
  T from, to;
  __device__ void operator()(const Bits& b, T (&y)[kEach]) const {
    DrawnAs<T> u[kEach];
    uniforms(b, u);
    for (int k = 0; k < kEach; ++k) {
      y[k] = T(fused(u[k], DrawnAs<T>(T(to - from)), DrawnAs<T>(from)));
      if (y[k] == to) y[k] = from;  // [from, to)
    }
  }
};
template <class T>
struct Normal {
  static constexpr int kEach = kDrawn<T>;
  DrawnAs<T> mean, std;
  __device__ void operator()(const Bits& b, T (&y)[kEach]) const {
    DrawnAs<T> z[kEach];
    normals(b, z);
    for (int k = 0; k < kEach; ++k) y[k] = T(fused(z[k], std, mean));
  }
};
template <class T>
struct Exponential {
  static constexpr int kEach = kDrawn<T>;
  DrawnAs<T> lambda;
  __device__ void operator()(const Bits& b, T (&y)[kEach]) const {
    using U = DrawnAs<T>;
    constexpr U kHalf = sizeof(U) == 8 ? U(0x1p-53) : U(0x1p-24);  // half the step below 1: 1 must not give 0
    U u[kEach];
    uniforms(b, u);
    for (int k = 0; k < kEach; ++k) y[k] = T(U(-1) / lambda * (u[k] >= 1 - kHalf ? -kHalf : log_of(u[k])));
  }
};
// U: the type in which p is compared.
template <class T, class U>
struct Bernoulli {
  static constexpr int kEach = kDrawn<U>;
  U p;
  __device__ void operator()(const Bits& b, T (&y)[kEach]) const {
    U u[kEach];
    uniforms(b, u);
    for (int k = 0; k < kEach; ++k) y[k] = T(u[k] < p);
  }
};
template <class T>
struct Integers {
  static constexpr int kEach = 4;
  int64_t low;
  uint64_t range;  // below 2³²
  __device__ void operator()(const Bits& b, T (&y)[kEach]) const {
    for (int k = 0; k < kEach; ++k) y[k] = T(int64_t(b.v[k] % range) + low);
  }
};
template <class T>
struct WideIntegers {
  static constexpr int kEach = 2;
  int64_t low;
  uint64_t range;
  __device__ void operator()(const Bits& b, T (&y)[kEach]) const {
    for (int k = 0; k < kEach; ++k) {
      const uint64_t bits = uint64_t(b.v[2 * k]) << 32 | b.v[2 * k + 1];
      y[k] = T(int64_t(bits % range + uint64_t(low)));
    }
  }
};

// With T threads. Apart: thread i draws elements i, i + T, …, kEach of them per counter value. Neighbours:
// thread i draws the kEach neighbours from kEach·i on, then from kEach·(i + T) on; n must be a multiple of
// kEach.
enum class DrawOrder : uint8_t { Apart, Neighbours };

// Writes whole packs if they fit and y is aligned.
template <class T, int n>
__device__ void put_neighbours(T* y, const T (&drawn)[n]) {
  constexpr int kWidth = kInPack<T>;
  if constexpr (n % kWidth == 0) {
    if (is_aligned(y)) {
      Packed<T, kWidth> pack;
      for (int i = 0; i < n; i += kWidth) {
        for (int k = 0; k < kWidth; ++k) pack.v[k] = drawn[i + k];
        put_pack<kWidth>(y, i, pack);
      }
      return;
    }
  }
  for (int k = 0; k < n; ++k) y[k] = drawn[k];
}

template <class T, class F>
__global__ void draw_all(T* y, int64_t n, PhiloxState stream, F distribution, DrawOrder order) {
  const int64_t threads = threads_of_grid(), thread = first_of_thread();
  const int64_t begin = order == DrawOrder::Apart ? thread : thread * F::kEach;
  uint64_t skipped = 0;
  for (int64_t first = begin; first < n; first += threads * F::kEach, ++skipped) {
    T drawn[F::kEach];
    distribution(philox(stream, skipped, uint64_t(thread)), drawn);
    if (order == DrawOrder::Neighbours) {
      put_neighbours(y + first, drawn);
      continue;
    }
    for (int k = 0; k < F::kEach; ++k)
      if (const int64_t i = first + k * threads; i < n) y[i] = drawn[k];
  }
}

unsigned most_blocks() {
  constexpr int kThreads = 256;
  int threads = 0;
  GG_CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, current_device()));
  return unsigned(multiprocessors() * (threads / kThreads));
}

template <class T, class F>
uint64_t draw_with(const View& y, const PhiloxState& stream, F distribution,
                   DrawOrder order = DrawOrder::Apart) {
  constexpr int64_t kThreads = 256, kWords = 4;
  const int64_t n = y.shape.numel(), wanted = (n + kThreads - 1) / kThreads;
  if (n == 0) return 0;
  const Grid grid{dim3(wanted < most_blocks() ? unsigned(wanted) : most_blocks()), unsigned(kThreads)};
  launch("draw", draw_all<T, F>, grid, y.as<T>(), n, stream, distribution, order);
  return uint64_t((n - 1) / (kThreads * grid.blocks.x * F::kEach) + 1) * kWords;
}

template <class T>
uint64_t draw_float(const View& y, const PhiloxState& stream, const Distribution& d) {
  if (d.kind == Distribution::Uniform) return draw_with<T>(y, stream, Uniform<T>{T(d.a), T(d.b)});
  using U = DrawnAs<T>;
  if (d.kind == Distribution::Normal) return draw_with<T>(y, stream, Normal<T>{U(d.a), U(d.b)});
  return draw_with<T>(y, stream, Exponential<T>{U(d.a)});
}
template <class T>
uint64_t draw_any(const View& y, const PhiloxState& stream, const Distribution& d) {
  using U = std::conditional_t<std::is_same_v<T, double>, double, float>;
  if (d.kind == Distribution::Bernoulli) return draw_with<T>(y, stream, Bernoulli<T, U>{U(d.a)});
  if (d.kind == Distribution::DropoutMask)  // native_dropout, which draws floats for doubles too
    return draw_with<T>(y, stream, Bernoulli<T, float>{float(d.a)},
                        y.shape.numel() % 4 ? DrawOrder::Apart : DrawOrder::Neighbours);
  if (d.range >> 32) return draw_with<T>(y, stream, WideIntegers<T>{d.low, d.range});
  return draw_with<T>(y, stream, Integers<T>{d.low, d.range});
}

// Thread i draws for four neighbours.
template <class T>
void draw_chances(const T* p, T* y, int64_t n, PhiloxState stream) {
  each("draw_by_chances", (n + 3) / 4, [=] __device__(int64_t i) {
    float u[4];
    uniforms(philox(stream, 0, uint64_t(i)), u);
    for (int64_t k = 0; k < 4 && 4 * i + k < n; ++k) y[4 * i + k] = T(u[k] <= p[4 * i + k]);
  });
}

}  // namespace

uint64_t draw_by_chances(const View& p, const View& y, const PhiloxState& stream) {
  every_float(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    draw_chances(p.as<const T>(), y.as<T>(), y.shape.numel(), stream);
  });
  return 12;  // PyTorch's 10, rounded up
}

uint64_t draw(const View& y, const PhiloxState& stream, const Distribution& d) {
  uint64_t moved = 0;
  every_type(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T>)
      if (d.kind <= Distribution::Exponential) return void(moved = draw_float<T>(y, stream, d));
    moved = draw_any<T>(y, stream, d);
  });
  return moved;
}

}  // namespace glassgrad::cuda

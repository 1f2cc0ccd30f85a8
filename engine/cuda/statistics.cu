// Variance, norm and product on a GPU.
#include "../numbers/numbers.h"
#include "kernels.h"
#include "reduction.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

// Σ (x − mean)² in double by Welford's method; parts are merged by Chan's.
template <class T>
struct Spread {
  using X = T;
  struct Part {
    double n, mean, squares;
  };
  static constexpr bool kInOrder = false;
  T* y;
  double divisor;
  bool root;

  __device__ static Part none() { return {0, 0, 0}; }
  __device__ static Part with(const Part& m, T x, int64_t) {
    const double n = m.n + 1, distance = double(x) - m.mean, mean = m.mean + distance / n;
    return {n, mean, fma(distance, double(x) - mean, m.squares)};
  }
  __device__ static Part merged(const Part& a, const Part& b) {
    if (a.n == 0 || b.n == 0) return a.n == 0 ? b : a;
    const double n = a.n + b.n, distance = b.mean - a.mean, share = b.n / n;
    return {n, fma(distance, share, a.mean), fma(distance * distance, a.n * share, a.squares + b.squares)};
  }
  __device__ void put(const Part& m, int64_t place) const {
    const double variance = m.n == 0 ? __builtin_nan("") : m.squares / divisor;
    y[place] = T(root ? sqrt(variance) : variance);
  }
};

template <class T, class Accumulator>
struct Product {
  using X = T;
  using Part = Accumulator;
  using Y = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
  static constexpr bool kInOrder = false;
  Y* y;

  __device__ static Part none() { return 1; }
  __device__ static Part with(Part product, T x, int64_t) { return product * Part(x); }
  __device__ static Part merged(Part a, Part b) { return a * b; }
  __device__ void put(Part product, int64_t place) const { y[place] = Y(product); }
};

template <class T>
struct Norm {
  using X = T;
  using Part = T;
  static constexpr bool kInOrder = false;
  T* y;

  __device__ static Part none() { return 0; }
  __device__ static Part with(Part sum, T x, int64_t) { return fma(x, x, sum); }
  __device__ static Part merged(Part a, Part b) { return a + b; }
  __device__ void put(Part sum, int64_t place) const { y[place] = sqrt(sum); }
};

}  // namespace

void spread(const View& x, const View& y, double divisor, bool root) {
  if (x.dtype == float32)
    reduce("var", Spread<float>{y.as<float>(), divisor, root}, x, y);
  else
    reduce("var", Spread<double>{y.as<double>(), divisor, root}, x, y);
}

void prod(const View& x, const View& y) {
  switch (x.dtype) {
    case DType::Bool:
      return reduce("prod", Product<bool, uint64_t>{y.as<int64_t>()}, x, y);
    case DType::Int64:
      return reduce("prod", Product<int64_t, uint64_t>{y.as<int64_t>()}, x, y);
    case DType::Float32:
      return reduce("prod", Product<float, float>{y.as<float>()}, x, y);
    case DType::Float64:
      return reduce("prod", Product<double, double>{y.as<double>()}, x, y);
    default:
      throw_no_kernel(x.dtype);
  }
}

void norm(const View& x, const View& y) {
  if (x.dtype == float32)
    reduce("norm", Norm<float>{y.as<float>()}, x, y);
  else
    reduce("norm", Norm<double>{y.as<double>()}, x, y);
}

}  // namespace glassgrad::cuda

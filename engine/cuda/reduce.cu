// Sums, means, all and any on a GPU.
#include "kernels.h"
#include "reduction.h"

namespace glassgrad::cuda {
namespace {

// Halves are summed in float, and the sum is rounded once.
template <class T, class Y>
struct Total {
  using X = T;
  using Part = std::conditional_t<std::is_floating_point_v<Computed<T>>, Computed<T>,
                                  uint64_t>;  // integers wrap around
  static constexpr bool kInOrder = false;
  Y* y;
  Computed<Y> divisor;

  __device__ static Part none() { return 0; }
  __device__ static Part with(Part sum, X x, int64_t) { return sum + Part(x); }
  __device__ Part operator()(Part a, Part b) const { return a + b; }
  __device__ void put(Part sum, int64_t place) const {
    y[place] = Y(divisor == Computed<Y>(1) ? Computed<Y>(sum) : Computed<Y>(sum) / divisor);
  }
};

// Sums eight neighbouring columns of halves at once: a thread reads 16 bytes of each row.
template <class T>
struct TotalOfEight {
  using X = Packed<T, 8>;
  struct Part {
    float v[8];
  };
  static constexpr bool kInOrder = false;
  Packed<T, 8>* y;
  float divisor;

  __device__ static Part none() { return {}; }
  __device__ static Part with(Part sum, const X& x, int64_t) {
    GG_UNROLL_ALL for (int j = 0; j < 8; ++j) sum.v[j] += float(x.v[j]);
    return sum;
  }
  __device__ Part operator()(Part a, const Part& b) const {
    GG_UNROLL_ALL for (int j = 0; j < 8; ++j) a.v[j] += b.v[j];
    return a;
  }
  __device__ void put(const Part& sum, int64_t place) const {
    Packed<T, 8> result;
    GG_UNROLL_ALL for (int j = 0; j < 8; ++j) result.v[j] = T(divisor == 1 ? sum.v[j] : sum.v[j] / divisor);
    y[place] = result;
  }
};
// True if y is the sum of a matrix's rows, and the rows consist of whole packs.
bool is_sum_of_packs(const View& x, const View& y) {
  const int last = x.shape.n - 1;
  if (last < 1 || x.shape.v[last] % 8 || x.strides.v[last] != 1 || y.strides.v[last] != 1) return false;
  for (int d = 0; d < last; ++d)
    if (y.strides.v[d] != 0 || x.strides.v[d] % 8) return false;
  return is_aligned(x.data) && is_aligned(y.data);
}
template <class T>
void total_of_packs(View x, View y, int64_t divisor) {
  const int last = x.shape.n - 1;
  x.shape.v[last] /= 8, y.shape.v[last] /= 8;
  for (int d = 0; d < last; ++d) x.strides.v[d] /= 8;
  reduce("sum", TotalOfEight<T>{y.as<Packed<T, 8>>(), float(divisor)}, x, y);
}

template <class T, class Y>
void total(const View& x, const View& y, int64_t divisor) {
  if constexpr (sizeof(T) == 2)
    if (is_sum_of_packs(x, y)) return total_of_packs<T>(x, y, divisor);
  reduce("sum", Total<T, Y>{y.as<Y>(), Computed<Y>(divisor)}, x, y);
}

template <class T>
struct AllOrAny {
  using X = T;
  using Part = int;
  static constexpr bool kInOrder = false;
  bool* y;
  bool of_all;

  __device__ Part none() const { return of_all; }
  __device__ Part with(Part holds, X x, int64_t) const { return (*this)(holds, x != X(0)); }
  __device__ Part operator()(Part a, Part b) const { return of_all ? a & b : a | b; }
  __device__ void put(Part holds, int64_t place) const { y[place] = holds; }
};

}  // namespace

void sum(const View& x, const View& y, int64_t divisor) {
  if (is_floating(x.dtype))
    return every_float(x.dtype, [&](auto zero) { total<decltype(zero), decltype(zero)>(x, y, divisor); });
  x.dtype == boolean ? total<bool, int64_t>(x, y, divisor) : total<int64_t, int64_t>(x, y, divisor);
}

void all(const View& x, const View& y, bool of_all) {
  all_types(x.dtype, [&](auto zero) { reduce("all", AllOrAny<decltype(zero)>{y.as<bool>(), of_all}, x, y); });
}

}  // namespace glassgrad::cuda

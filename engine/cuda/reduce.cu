// Sums, means, all and any on a GPU.
#include "kernels.h"
#include "reduction.h"

namespace glassgrad::cuda {
namespace {

template <class T, class Y>
struct Total {
  using X = T;
  using Part = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;  // integers wrap around
  static constexpr bool kInOrder = false;
  Y* y;
  Y divisor;

  __device__ static Part none() { return 0; }
  __device__ static Part with(Part sum, X x, int64_t) { return sum + Part(x); }
  __device__ static Part merged(Part a, Part b) { return a + b; }
  __device__ void put(Part sum, int64_t place) const {
    y[place] = divisor == Y(1) ? Y(sum) : Y(Y(sum) / divisor);
  }
};

template <class T, class Y>
void total(const View& x, const View& y, int64_t divisor) {
  reduce("sum", Total<T, Y>{y.as<Y>(), Y(divisor)}, x, y);
}

template <class T>
struct Holds {
  using X = T;
  using Part = int;
  static constexpr bool kInOrder = false;
  bool* y;
  bool of_all;

  __device__ Part none() const { return of_all; }
  __device__ Part with(Part holds, X x, int64_t) const { return merged(holds, x != X(0)); }
  __device__ Part merged(Part a, Part b) const { return of_all ? a & b : a | b; }
  __device__ void put(Part holds, int64_t place) const { y[place] = holds; }
};

template <class T>
void holds(const View& x, const View& y, bool of_all) {
  reduce("all", Holds<T>{y.as<bool>(), of_all}, x, y);
}

}  // namespace

void sum(const View& x, const View& y, int64_t divisor) {
  switch (x.dtype) {
    case DType::Bool:
      return total<bool, int64_t>(x, y, divisor);
    case DType::Int64:
      return total<int64_t, int64_t>(x, y, divisor);
    case DType::Float32:
      return total<float, float>(x, y, divisor);
    case DType::Float64:
      return total<double, double>(x, y, divisor);
    default:
      throw_no_kernel(x.dtype);
  }
}

void all(const View& x, const View& y, bool of_all) {
  switch (x.dtype) {
    case DType::Bool:
      return holds<bool>(x, y, of_all);
    case DType::Int64:
      return holds<int64_t>(x, y, of_all);
    case DType::Float32:
      return holds<float>(x, y, of_all);
    case DType::Float64:
      return holds<double>(x, y, of_all);
    default:
      throw_no_kernel(x.dtype);
  }
}

}  // namespace glassgrad::cuda

// Largest and smallest elements and their positions, on a GPU.
#include "kernels.h"
#include "reduction.h"

namespace glassgrad::cuda {
namespace {

// Takes the first of equal elements; NaN is more extreme than every number. The result does not depend on the
// threads' order.
template <class T, bool max>
struct Extreme {
  using X = T;
  struct alignas(8) Part {
    T value;
    int64_t at;  // −1: no element yet
  };
  static constexpr bool kInOrder = true;
  T* values;
  int64_t* indices;

  __device__ static bool is_beyond(T a, T b) {
    if (b != b) return false;
    return a != a || (max ? a > b : a < b);
  }
  __device__ static Part none() { return {T(0), -1}; }
  // A thread sees its elements in ascending order.
  __device__ static Part with(const Part& best, T x, int64_t i) {
    return best.at < 0 || is_beyond(x, best.value) ? Part{x, i} : best;
  }
  __device__ Part operator()(const Part& a, const Part& b) const {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    if (is_beyond(b.value, a.value)) return b;
    return is_beyond(a.value, b.value) || a.at < b.at ? a : b;
  }
  __device__ void put(const Part& best, int64_t place) const {
    values[place] = best.value;
    indices[place] = best.at;
  }
};

template <class T>
void extremes_of(const View& x, const View& values, const View& indices, bool max) {
  T* const y = values.as<T>();
  int64_t* const at = indices.as<int64_t>();
  if (max)
    reduce("max", Extreme<T, true>{y, at}, x, values);
  else
    reduce("min", Extreme<T, false>{y, at}, x, values);
}

}  // namespace

void extremes(const View& x, const View& values, const View& indices, bool max) {
  all_types(x.dtype, [&](auto zero) { extremes_of<decltype(zero)>(x, values, indices, max); });
}

}  // namespace glassgrad::cuda

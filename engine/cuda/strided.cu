// Triangles of matrices, and regions of a storage whose elements overlap.
#include "kernels.h"
#include "order.h"

namespace glassgrad::cuda {
namespace {

template <class T>
void triangle_of(const T* x, T* y, int64_t n, int64_t rows, int64_t columns, Nest<1> nest, int64_t diagonal,
                 bool lower) {
  each("triangle", n, [=] __device__(int64_t i) {
    const int64_t row = quotient(i, columns), distance = i - row * columns - row % rows;
    const auto at = nest.at(i);
    y[i] = (lower ? distance <= diagonal : distance >= diagonal) ? x[at[0]] : T(0);
  });
}

void fill_places(uint64_t* keys, int64_t n, Nest<1> nest) {
  each("strided_places", n, [=] __device__(int64_t i) {
    const auto at = nest.at(i);
    keys[i] = uint64_t(at[0]);
  });
}

}  // namespace

void triangle(const View& x, const View& y, int64_t diagonal, bool lower) {
  by_size(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    triangle_of(x.as<const T>(), y.as<T>(), x.shape.numel(), x.shape.v[x.shape.n - 2],
                x.shape.v[x.shape.n - 1], Nest(x.shape, {x.strides}), diagonal, lower);
  });
}

void add_strided(const View& v, const Dims& strides, const View& y) {
  const int64_t n = v.shape.numel();
  if (n == 0) return;
  Destinations d{KeySorter(1, n), 1, Nest(v.shape, {v.strides}), {}};
  fill_places(d.keys(), n, Nest(v.shape, {strides}));
  put_in_order(y, d, v.data, true);
}

}  // namespace glassgrad::cuda

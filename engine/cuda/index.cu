// Selects elements by tensors of indices or masks, and writes them back.
#include "kernels.h"
#include "order.h"

namespace glassgrad::cuda {

// ---- from indices to offsets
namespace {
// Adds each column's index times its stride to the offsets, and finds the first index outside.
void add_columns(const IndexColumns& columns, const View& offsets, unsigned long long* first_outside) {
  const Nest nest(offsets.shape, columns.strides);
  auto* const to = offsets.as<int64_t>();
  each("index_places", offsets.shape.numel(), [=] __device__(int64_t i) {
    const auto at = nest.at(i);
    int64_t place = 0;
    for (int k = columns.count - 1; k >= 0; --k) {
      const int64_t index = columns.indices[k][at[k]], size = columns.size[k];
      if (index < -size || index >= size)
        atomicMin(first_outside, static_cast<unsigned long long>(i * kMaxDims + k));
      place += (index < 0 ? index + size : index) * columns.stride[k];
    }
    to[i] = place;
  });
}
}  // namespace

int64_t index_offsets(const IndexColumns& columns, const View& offsets, bool known) {
  const Scratch<unsigned long long> first_outside(1);
  fill_bytes(first_outside.get(), 0xff, sizeof(unsigned long long));
  add_columns(columns, offsets, first_outside.get());
  return known || gpu::is_capturing() ? -1 : int64_t(read_back(first_outside.get()));  // the largest is −1
}

// ---- reads and writes elements at offsets
namespace {

template <class T>
void take_of(const T* x, const int64_t* offsets, T* y, int64_t n, Nest<2> nest) {
  each("index", n, [=] __device__(int64_t i) {
    const auto at = nest.at(i);
    y[i] = x[at[0] + offsets[at[1]]];
  });
}

template <class T>
void index_put_of(T* x, const int64_t* offsets, const T* values, int64_t n, Nest<3> nest, bool accumulate) {
  each("index_put", n, [=] __device__(int64_t i) {
    const auto at = nest.at(i);
    T& to = x[at[0] + offsets[at[1]]];
    const T value = values[at[2]];
    to = accumulate ? T(to + value) : value;
  });
}

void copy_offsets(const int64_t* offsets, uint64_t* keys, int64_t n) {
  each("index_places", n, [=] __device__(int64_t i) { keys[i] = uint64_t(offsets[i]); });
}

}  // namespace

void take(const View& x, const View& offsets, const View& y) {
  by_size(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    take_of(x.as<const T>(), offsets.as<const int64_t>(), y.as<T>(), y.shape.numel(),
            Nest(y.shape, {x.strides, offsets.strides}));
  });
}

void index_put(const View& x, const View& offsets, const View& values, bool accumulate, bool distinct) {
  const Dims& shape = x.shape;
  if (shape.numel() == 0) return;
  if (distinct)
    return every_type(x.dtype, [&](auto zero) {
      using T = decltype(zero);
      index_put_of(x.as<T>(), offsets.as<const int64_t>(), values.as<const T>(), shape.numel(),
                   Nest(shape, {x.strides, offsets.strides, values.strides}), accumulate);
    });
  Dims chosen = shape, own = shape;  // the shape of the places, and the shape of the elements at each
  for (int d = 0; d < shape.n; ++d) (offsets.strides.v[d] != 0 ? own : chosen).v[d] = 1;
  const int64_t n = chosen.numel();
  Destinations d{KeySorter(1, n), own.numel(), Nest(chosen, {values.strides}),
                 Nest(own, {x.strides, values.strides})};
  copy_offsets(offsets.as<const int64_t>(), d.keys(), n);
  put_in_order(x, d, values.data, accumulate);
}

// ---- nonzero
namespace {

template <class T>
void mark_nonzero(const T* x, int64_t* marks, int64_t n, Nest<1> nest) {
  each("count_nonzero", n, [=] __device__(int64_t i) {
    const auto at = nest.at(i);
    marks[i] = x[at[0]] != T(0);
  });
}

void write_positions(const int64_t* sums, const Dims& shape, int64_t* positions, int64_t step,
                     int64_t dim_step) {
  each("nonzero", shape.numel(), [=] __device__(int64_t i) {
    const int64_t row = sums[i] - 1;
    if (row < 0 || (i > 0 && sums[i - 1] == sums[i])) return;
    int64_t rest = i;
    for (int d = shape.n - 1; d >= 0; --d) {
      const int64_t next = quotient(rest, shape.v[d]);
      positions[row * step + d * dim_step] = rest - next * shape.v[d];
      rest = next;
    }
  });
}

}  // namespace

int64_t count_nonzero(const View& x, const View& sums) {
  const int64_t n = x.shape.numel();
  if (n == 0) return 0;
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    mark_nonzero(x.as<const T>(), sums.as<int64_t>(), n, Nest(x.shape, {x.strides}));
  });
  add_up(sums.as<int64_t>(), n);
  return read_back(sums.as<const int64_t>() + n - 1);
}

void nonzero(const View& sums, const Dims& shape, const View& positions) {
  write_positions(sums.as<const int64_t>(), shape, positions.as<int64_t>(), positions.strides.v[0],
                  positions.strides.v[1]);
}

}  // namespace glassgrad::cuda

// Sorts lines, and finds the distinct values of a tensor.
#include "kernels.h"
#include "order.h"

namespace glassgrad::cuda {
namespace {

// Returns an integer that sorts like the value: −0 counts as 0, and nan comes after every number.
__device__ uint64_t key_of(bool v) { return v; }
__device__ uint64_t key_of(int64_t v) { return uint64_t(v) ^ uint64_t(1) << 63; }
__device__ uint64_t key_of(double v) {
  if (v != v) return ~uint64_t{0};
  int64_t bits = 0;
  if (v != 0) memcpy(&bits, &v, sizeof v);
  return bits < 0 ? ~uint64_t(bits) : uint64_t(bits) | uint64_t(1) << 63;
}
__device__ uint64_t key_of(float v) { return key_of(double(v)); }

template <class T>
void fill_keys(const T* x, uint64_t* keys, int64_t lines, int64_t length, int64_t step, Nest<1> nest,
               bool descending) {
  each("sort_keys", lines * length, [=] __device__(int64_t i) {
    const int64_t line = quotient(i, length);
    const auto at = nest.at(line);
    const uint64_t key = key_of(x[at[0] + (i - line * length) * step]);
    keys[i] = descending ? ~key : key;
  });
}

struct Lines {
  int64_t count, length, room;
  int64_t x_step, values_step, indices_step;  // along the line
  Nest<3> nest;                               // from line to line
};

template <class T>
void write_sorted(const T* x, const int64_t* positions, T* values, int64_t* indices, Lines l) {
  each("sort_write", l.count * l.room, [=] __device__(int64_t i) {
    const int64_t line = quotient(i, l.room), place = i - line * l.room;
    const auto at = l.nest.at(line);
    const int64_t position = positions[line * l.length + place];
    values[at[1] + place * l.values_step] = x[at[0] + position * l.x_step];
    indices[at[2] + place * l.indices_step] = position;
  });
}

}  // namespace

void sort(const View& x, const View& values, const View& indices, int dim, bool descending) {
  const int64_t length = x.shape.v[dim], room = values.shape.v[dim];
  if (x.shape.numel() == 0 || room == 0) return;
  Dims shape = x.shape;
  shape.v[dim] = 1;
  const int64_t lines = shape.numel();
  KeySorter sorter(lines, length);
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    fill_keys(x.as<const T>(), sorter.keys(), lines, length, x.strides.v[dim], Nest(shape, {x.strides}),
              descending);
  });
  sorter.sort();
  const Lines l{lines,
                length,
                room,
                x.strides.v[dim],
                values.strides.v[dim],
                indices.strides.v[dim],
                Nest(shape, {x.strides, values.strides, indices.strides})};
  by_size(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    write_sorted(x.as<const T>(), sorter.positions(), values.as<T>(), indices.as<int64_t>(), l);
  });
}

// ---- unique
namespace {

// 1 where a value differs from the one before it in order; nan always differs.
template <class T>
void mark_different(const T* x, const int64_t* order, int64_t* marks, int64_t n) {
  each("unique_marks", n, [=] __device__(int64_t i) { marks[i] = i > 0 && x[order[i]] != x[order[i - 1]]; });
}

void copy_order(const int64_t* from, int64_t* to, int64_t n) {
  each("unique_order", n, [=] __device__(int64_t i) { to[i] = from[i]; });
}

template <class T>
void write_unique(const T* x, const int64_t* order, const int64_t* numbers, T* values, int64_t* starts,
                  int64_t* inverse, int64_t n) {
  each("unique_values", n, [=] __device__(int64_t i) {
    const int64_t number = numbers[i];
    inverse[order[i]] = number;
    if (i > 0 && numbers[i - 1] == number) return;
    values[number] = x[order[i]];
    starts[number] = i;
  });
}

void count_runs(const int64_t* starts, int64_t* counts, int64_t n, int64_t runs) {
  each("unique_counts", runs,
       [=] __device__(int64_t k) { counts[k] = (k + 1 < runs ? starts[k + 1] : n) - starts[k]; });
}

}  // namespace

int64_t unique_order(const View& x, const View& order, const View& numbers) {
  const int64_t n = order.shape.numel();
  if (n == 0) return 0;
  KeySorter all(1, n);
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    fill_keys(x.as<const T>(), all.keys(), 1, n, 1, Nest<1>(), false);
  });
  all.sort();
  copy_order(all.positions(), order.as<int64_t>(), n);
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    mark_different(x.as<const T>(), order.as<const int64_t>(), numbers.as<int64_t>(), n);
  });
  add_up(numbers.as<int64_t>(), n);
  return read_back(numbers.as<const int64_t>() + n - 1) + 1;
}

void unique(const View& x, const View& order, const View& numbers, const View& values, const View& inverse,
            const View& counts) {
  const int64_t n = order.shape.numel(), runs = values.shape.numel();
  const Scratch<int64_t> starts(runs);
  by_size(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    write_unique(x.as<const T>(), order.as<const int64_t>(), numbers.as<const int64_t>(), values.as<T>(),
                 starts.get(), inverse.as<int64_t>(), n);
  });
  count_runs(starts.get(), counts.as<int64_t>(), n, runs);
}

}  // namespace glassgrad::cuda

// Sums in PyTorch's order, on which printed digits depend (a sum of probabilities shows 1. or 1.0000).
// PyTorch sorts and merges the dimensions and loops over planes of two dimensions; so does this file.
#include <type_traits>

#include "../core/nest.h"
#include "kernels.h"
#include "parallel.h"
#include "vec.h"

namespace glassgrad::GG_ISA {
namespace {

struct Axis {
  int64_t size, x, y;  // strides of the summands and of the sums; y is 0 along summed dimensions
};

// ---------------------------------------------------------------- the cascade
constexpr int kLevels = 4;

GG_INLINE int ceil_log2(int64_t n) { return n <= 2 ? 1 : 64 - __builtin_clzll(uint64_t(n - 1)); }

// sum[j] = Σᵢ of what add(i, j, sum) adds. Every `step` values, a running sum is added to the next level's
// and starts again from 0.
template <int columns, class V, class F>
GG_INLINE void cascade(F add, int64_t size, V (&sum)[columns]) {
  const int power = ceil_log2(size) / kLevels > 4 ? ceil_log2(size) / kLevels : 4;
  const int64_t step = int64_t{1} << power;
  V level[kLevels][columns] = {};
  int64_t i = 0;
  while (i + step <= size) {
    V run[columns] = {};
    for (const int64_t end = i + step; i < end; ++i)
      GG_UNROLL for (int j = 0; j < columns; ++j) add(i, j, run[j]);
    for (int j = 0; j < columns; ++j) level[1][j] += run[j];
    for (int l = 1; l + 1 < kLevels && !(i & ((step - 1) << (l * power))); ++l)
      for (int j = 0; j < columns; ++j) {
        level[l + 1][j] += level[l][j];
        level[l][j] = V{};
      }
  }
  for (; i < size; ++i)
    for (int j = 0; j < columns; ++j) add(i, j, level[0][j]);
  for (int j = 0; j < columns; ++j) sum[j] = ((level[0][j] + level[1][j]) + level[2][j]) + level[3][j];
}

// sum = Σᵢ of what add(i, sum) adds, as four interleaved cascades.
template <class V, class F>
GG_INLINE void row_sum(F add, int64_t size, V& sum) {
  V part[4];
  cascade([&](int64_t i, int j, V& p) { add(4 * i + j, p); }, size / 4, part);
  for (int64_t i = size & ~int64_t{3}; i < size; ++i) add(i, part[0]);
  sum = ((part[0] + part[1]) + part[2]) + part[3];
}

// ---------------------------------------------------------------- a plane
// Sums rows of consecutive numbers: vectors first, then the lanes.
template <class T>
void add_rows(const T* x, T* y, const Axis& in, const Axis& out) {
  constexpr int lanes = kLanes<T>;
  const int64_t vectors = in.size / lanes;
  for (int64_t j = 0; j < out.size; ++j, x += out.x, y += out.y) {
    Vec<T> lane;
    row_sum([x](int64_t i, Vec<T>& s) { s += load(x + i * lanes); }, vectors, lane);
    T sum = 0;
    for (int64_t i = vectors * lanes; i < in.size; ++i) sum += x[i];
    for (int i = 0; i < lanes; ++i) sum += lane[i];
    *y += sum;
  }
}

// Sums adjacent columns.
template <class T>
void add_columns(const T* x, T* y, const Axis& in, const Axis& out) {
  constexpr int lanes = kLanes<T>, wide = 4 * lanes;
  int64_t j = 0;
  const auto add_lanes = [&](const Vec<T>& sum) {
    for (int i = 0; i < lanes; ++i, ++j) y[j * out.y] += sum[i];
  };
  while (j + wide <= out.size) {
    Vec<T> sum[4];
    cascade([&](int64_t i, int v, Vec<T>& s) { s += load(x + i * in.x + j + v * lanes); }, in.size, sum);
    for (const Vec<T>& s : sum) add_lanes(s);
  }
  while (j + lanes <= out.size) {
    Vec<T> sum;
    row_sum([&](int64_t i, Vec<T>& s) { s += load(x + i * in.x + j); }, in.size, sum);
    add_lanes(sum);
  }
  for (; j < out.size; ++j) {
    T sum;
    row_sum([&](int64_t i, T& s) { s += x[i * in.x + j]; }, in.size, sum);
    y[j * out.y] += sum;
  }
}

template <class T>
void add_strided(const T* x, T* y, const Axis& in, const Axis& out) {
  int64_t j = 0;
  if (in.x >= out.x)
    for (; j + 4 <= out.size; j += 4) {
      T sum[4];
      cascade([&](int64_t i, int k, T& s) { s += x[i * in.x + (j + k) * out.x]; }, in.size, sum);
      for (int k = 0; k < 4; ++k) y[(j + k) * out.y] += sum[k];
    }
  for (; j < out.size; ++j) {
    T sum;
    row_sum([&](int64_t i, T& s) { s += x[i * in.x + j * out.x]; }, in.size, sum);
    y[j * out.y] += sum;
  }
}

template <class X, class Y>
void add_each(const X* x, Y* y, Axis in, Axis out) {  // copies: y may be of their type
  for (int64_t j = 0; j < out.size; ++j)
    for (int64_t i = 0; i < in.size; ++i) y[j * out.y + i * in.y] += Y(x[j * out.x + i * in.x]);
}

template <class T>
void add_plane(const T* x, T* y, const Axis& first, const Axis& second) {
  if (first.y && second.y) return add_each(x, y, first, second);
  const bool swap = first.y != 0;
  const Axis &in = swap ? second : first, &out = swap ? first : second;
  const bool rows = in.x == 1 && in.size >= kLanes<T>, columns = out.x == 1 && out.size >= kLanes<T>;
  if (!rows && !columns) return add_strided(x, y, in, out);
  // One thread computes each sum. Columns are handed out in groups, which does not change the order within a
  // sum. If all groups go into one sum, a single piece adds them in order.
  constexpr int64_t kGroup = 4 * kLanes<T>;
  const int64_t piece = (piece_of(in.size) + kGroup - 1) / kGroup * kGroup;
  parallel(out.size, out.y ? piece : out.size, [&](int64_t from, int64_t to) {
    (rows ? add_rows<T> : add_columns<T>)(x + from * out.x, y + from * out.y, in, {to - from, out.x, out.y});
  });
}
void add_plane(const int64_t* x, int64_t* y, const Axis& in, const Axis& out) { add_each(x, y, in, out); }
void add_plane(const bool* x, int64_t* y, const Axis& in, const Axis& out) { add_each(x, y, in, out); }

// ---------------------------------------------------------------- the planes of a tensor
// Sorts the dimensions as PyTorch does: summed ones innermost, then by the strides of y and x.
Nest<2> nest_of(const View& x, const View& y) {
  const Dims strides[] = {y.strides, x.strides};
  const Dims order = sorted_dims(x.shape.n, [&](int64_t a, int64_t b) {
    if (x.shape[a] == 1 || x.shape[b] == 1) return 0;
    if (!y.strides[a] != !y.strides[b]) return y.strides[a] ? 1 : -1;
    return outside_in_memory(x.shape, strides, 2, a, b);
  });
  return {x.shape, {x.strides, y.strides}, order};
}
// Takes the innermost dimension away.
Axis taken(Nest<2>& nest) {
  if (nest.dims == 0) return {1, 0, 0};
  const int d = --nest.dims;
  return {nest.size[d], nest.step[d][0], nest.step[d][1]};
}

void sum(const View& x, const View& y) {
  if (x.shape.numel() == 0) return;
  Nest<2> nest = nest_of(x, y);
  const Axis first = taken(nest), second = taken(nest);
  all_types(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    using Sum = std::conditional_t<sizeof(T) == sizeof(bool), int64_t, T>;
    nest.each([&](int64_t from, int64_t to) {
      add_plane(x.as<const T>() + from, y.as<Sum>() + to, first, second);
    });
  });
}

}  // namespace

void fill_reduce(Kernels& k) { k.sum = sum; }

}  // namespace glassgrad::GG_ISA

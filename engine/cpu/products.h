// All products of a batch, cut into pieces for the threads. For *.isa.cpp files only.
#pragma once
#include "kernels.h"
#include "parallel.h"
#include "product.h"

namespace glassgrad::GG_ISA {
namespace {

struct Sizes {
  int64_t batches, m, n, depth;
};

template <class T>
struct Matrices {
  Matrix<const T> first;
  int64_t stride;

  explicit Matrices(const View& v) {
    const int rows = v.shape.n - 2;
    first = {v.as<const T>(), {v.strides[rows], v.strides[rows + 1]}};
    stride = rows ? v.strides[0] : 0;
  }
  Matrix<const T> operator[](int64_t batch) const { return {first.data + batch * stride, first.stride}; }
  Matrices transposed() const {
    Matrices t = *this;
    t.first = first.transposed();
    return t;
  }
};

// Rows of a block and columns of a group: large ones, since every block packs its panels and every group
// reads all of a, but enough of them for all threads. An element's bits do not depend on where it is cut.
struct Pieces {
  int64_t rows, columns, blocks, groups;

  template <class T>
  static Pieces of(const Matrix<const T>& a, const Sizes& s, int64_t n) {
    constexpr int64_t kFewRows = 16 * kRows;  // fewer would not outweigh the packing of the panels
    const int64_t enough = enough_pieces();
    constexpr int64_t full = kPanel<T>;
    Pieces p{s.m, up(up(n, up(n, most_columns(a, s.depth))), full) * full, 1, 1};
    if (s.m <= 2 * kRows && enough > 1) p.columns = full;  // read in place
    const auto count = [&] {
      p.blocks = up(s.m, p.rows), p.groups = up(n, p.columns);
      return s.batches * p.blocks * p.groups;
    };
    while (count() < enough && p.rows >= 2 * kFewRows) p.rows = up(p.rows, 2 * kRows) * kRows;
    while (count() < enough && p.columns > full) p.columns = up(p.columns, 2 * full) * full;
    return p;
  }
};

// The first n columns of the results.
template <Chain kind, class T>
void ordered_products(const Matrices<T>& a, const Matrices<T>& b, T* y, const Sizes& s, int64_t n,
                      const Epilogue& end) {
  if (n == 0) return;
  const T* const bias = static_cast<const T*>(end.bias);
  const Pieces p = Pieces::of(a.first, s, n);
  const int64_t work = p.rows * s.depth * least(p.columns, n) / kPanel<T>;
  parallel(s.batches * p.blocks * p.groups, piece_of(work), [&](int64_t at, int64_t last) {
    for (; at < last; ++at) {
      const int64_t batch = at / (p.blocks * p.groups), i = at / p.groups % p.blocks * p.rows,
                    j = at % p.groups * p.columns, width = least(n - j, p.columns);
      const auto finished = [&](int64_t row, int64_t rows) {
        if (end.finished) end.finished(end.self, batch, i + row, rows, j, width);
      };
      block_product<kind>(a[batch].from(i, 0), b[batch].from(0, j), y + (batch * s.m + i) * s.n + j, s.n,
                          least(s.m - i, p.rows), width, s.depth, false, bias ? bias + j : nullptr, finished);
    }
  });
}

}  // namespace
}  // namespace glassgrad::GG_ISA

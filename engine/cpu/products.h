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
struct MatrixBatch {
  Matrix<const T> first;
  int64_t stride;

  explicit MatrixBatch(const View& v) {
    const int rows = v.shape.n - 2;
    first = {v.as<const T>(), {v.strides[rows], v.strides[rows + 1]}};
    stride = rows ? v.strides[0] : 0;
  }
  Matrix<const T> operator[](int64_t batch) const { return {first.data + batch * stride, first.stride}; }
  MatrixBatch transposed() const {
    MatrixBatch t = *this;
    t.first = first.transposed();
    return t;
  }
};

// How many blocks of rows and groups of columns a product is cut into: enough for all threads, but large
// ones, since each thread packs the panels of each group that it takes, and reads rows of a again for each.
// The bits of an element do not depend on the cuts.
struct Pieces {
  int64_t blocks = 1, groups = 1;
  bool keep = false;  // a thread packs a group's panels once for all blocks of that group

  template <class T>
  static Pieces of(const Matrix<const T>& a, const Sizes& s, int64_t n) {
    constexpr int64_t kOfEach = 4;              // pieces per thread, so that all end at about the same time
    constexpr int64_t kLeastRows = 24 * kRows;  // rows per thread: fewer cost more for packing than they save
    constexpr int64_t kLeastTiles = 12;         // tiles per block if its panels are already packed
    const int64_t panels = up(n, kPanel<T>), threads = sharing_threads(), enough = kOfEach * threads;
    Pieces p;
    p.keep = threads > 1 && s.depth <= kBlock<T>;
    p.groups = up(n, most_columns<T>(p.keep ? s.depth : block_of(a, s.depth)));
    if (threads == 1) return p;
    const auto missing = [&](int64_t others) { return up(enough, s.batches * others); };
    const auto even = [&](int64_t count) { return least(panels, up(count, threads) * threads); };
    const bool few_rows = p.keep && s.m < kLeastRows * threads && s.batches < threads;
    if (p.groups > 1 || few_rows) p.groups = even(p.groups);  // so that each thread gets the same number
    if (s.m <= kFewRows) p.groups = panels;                   // read in place
    const int64_t most_blocks = s.m / (p.keep ? kLeastTiles * kRows : kLeastRows);
    p.blocks = most(1, least(missing(p.groups), most_blocks));
    if (missing(p.blocks) > p.groups) p.groups = even(missing(p.blocks));
    p.blocks = least(p.blocks, missing(p.groups));
    return p;
  }
};

// Computes the first n columns of the results.
template <MultiplyAdd kind, class T>
void ordered_products(const MatrixBatch<T>& a, const MatrixBatch<T>& b, T* y, const Sizes& s, int64_t n,
                      const Epilogue& end) {
  if (n == 0) return;
  const T* const bias = static_cast<const T*>(end.bias);
  const Pieces p = Pieces::of(a.first, s, n);
  const int64_t work = s.m / p.blocks * s.depth * (n / p.groups) / kPanel<T>;
  const uint64_t product = p.keep ? new_packing() : 0;
  parallel(s.batches * p.blocks * p.groups, piece_of(work), [&](int64_t at, int64_t last) {
    thread_local uint64_t packed_product = 0;  // whose panels this thread's buffer holds
    thread_local int64_t packed_group = 0;
    for (; at < last; ++at) {
      const int64_t group = at / p.blocks, batch = group / p.groups;
      const Range rows = part_of(at % p.blocks, p.blocks, s.m, kRows);
      const Range columns = part_of(group % p.groups, p.groups, n, kWide<T>);
      const int64_t i = rows.first, j = columns.first;
      const auto all = [&](int64_t, int64_t) { return TileRegion{0, columns.size(), 0, s.depth}; };
      const auto finished = [&](int64_t row, int64_t count) {
        if (end.finished) end.finished(end.self, batch, i + row, count, j, columns.size());
      };
      const bool packed = p.keep && packed_product == product && packed_group == group;
      block_product<kind>(a[batch].from(i, 0), b[batch].from(0, j), y + (batch * s.m + i) * s.n + j, s.n,
                          rows.size(), columns.size(), s.depth, false, bias ? bias + j : nullptr,
                          {s.m, p.keep, packed}, all, finished);
      packed_product = product, packed_group = group;
    }
  });
}

}  // namespace
}  // namespace glassgrad::GG_ISA

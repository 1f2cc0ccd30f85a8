// How the matrices of a product lie, as cuBLASLt describes them, and whether that suits the GPU's units for
// products, which read memory in pieces of 16 bytes. For the host's side.
#pragma once
#include <cstdint>

#include "../core/kernel_arguments.h"

namespace glassgrad::cuda {

// The largest power of 2 that divides a number of bytes, up to 256.
inline uint32_t alignment_of(uint64_t bytes) {
  const uint64_t lowest = bytes & (~bytes + 1);
  return lowest == 0 || lowest > 256 ? 256 : uint32_t(lowest);
}
inline uint32_t alignment_of(const void* data) { return alignment_of(reinterpret_cast<uintptr_t>(data)); }

// cuBLASLt knows matrices by columns: one (m, n) by rows is, for it, one of n rows and m columns; one by
// columns is as it is, and has to be turned.
struct Layout {
  const void* data = nullptr;
  DType dtype = DType::Float32;
  // `rows` numbers lie side by side, the next column `leading` numbers on, the next matrix `batch`, which is
  // 0 where all are the same.
  int64_t rows = 0, columns = 0, leading = 0, batch = 0;
  bool turned = false;

  // False: it lies in neither way. Where a dimension is 1 its step says nothing.
  bool describe(const View& x) {
    const int first = x.shape.n - 2;
    const int64_t m = x.shape[first], n = x.shape[first + 1];
    const int64_t down = x.strides[first], across = x.strides[first + 1];
    data = x.data, dtype = x.dtype;
    batch = first > 0 && x.shape[0] > 1 ? x.strides[0] : 0;
    if ((n == 1 || across == 1) && (m == 1 || down >= n)) {
      rows = n, columns = m, leading = m == 1 ? n : down, turned = false;
      return true;
    }
    rows = m, columns = n, leading = n == 1 ? m : across, turned = true;
    return (m == 1 || down == 1) && (n == 1 || across >= m);
  }
};

// What divides the bytes at which a matrix begins; from one of its columns to the next, and from one matrix
// to the next; and those of a column's numbers.
struct Alignment {
  uint32_t data, leading, batch, column;

  explicit Alignment(const Layout& x) {
    const auto bytes = [&](int64_t n) { return alignment_of(uint64_t(n) * uint64_t(item_size(x.dtype))); };
    data = alignment_of(x.data);
    leading = x.columns == 1 ? 256 : bytes(x.leading);
    batch = bytes(x.batch);
    column = bytes(x.rows);
  }
  bool begins_aligned() const { return data >= 16 && leading >= 16 && batch >= 16; }
};

// y = a·b, plus a bias if there is one.
struct Problem {
  Layout a, b, y;
  const void* bias = nullptr;
  int64_t m = 0, n = 0, depth = 0, batches = 1;
  MatmulPrecision precision = MatmulPrecision::fp32;

  // False: a matrix lies neither by rows nor by columns, or y not by rows.
  bool describe(const View& a_, const View& b_, const View& y_, const void* bias_) {
    const int first = y_.shape.n - 2;
    batches = first > 0 ? y_.shape[0] : 1;
    m = y_.shape[first], n = y_.shape[first + 1], depth = a_.shape[first + 1];
    bias = bias_;
    const bool all = int(a.describe(a_)) & int(b.describe(b_)) & int(y.describe(y_));
    return all && !y.turned;
  }

  // Can every row and column be read 16 bytes at a time from its beginning? A kernel that needs this is not
  // to be had for other matrices; slower ones are.
  bool aligned() const {
    return Alignment(a).begins_aligned() && Alignment(b).begins_aligned() && Alignment(y).begins_aligned() &&
           alignment_of(bias) >= 16;
  }
  // … and to its end? A view of 50257 of 50304 columns is aligned, but its rows end within a piece.
  bool whole() const {
    return aligned() && Alignment(a).column >= 16 && Alignment(b).column >= 16 && Alignment(y).column >= 16;
  }
};

}  // namespace glassgrad::cuda

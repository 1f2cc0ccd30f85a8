// The layout of a product's matrices in cuBLASLt's terms, and whether it suits the GPU's matrix units, which
// read memory in pieces of 16 bytes. For host code.
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

// cuBLASLt takes matrices as column-major: a row-major (m, n) becomes one of n rows and m columns; a
// column-major one keeps its sizes and has to be transposed.
struct Layout {
  const void* data = nullptr;
  DType dtype = DType::float32;
  // A column is `rows` adjacent numbers; the next column is `leading` numbers on, the next matrix `batch`,
  // which is 0 if all are the same matrix.
  int64_t rows = 0, columns = 0, leading = 0, batch = 0;
  bool turned = false;

  // Returns false if x is neither row-major nor column-major. The stride of a dimension of size 1 does not
  // matter.
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

// The alignments of a matrix's address, of the bytes from column to column and from matrix to matrix, and of
// a column's bytes.
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

  // Returns false if a or b is neither row-major nor column-major, or if y is not row-major.
  bool describe(const View& a_, const View& b_, const View& y_, const void* bias_) {
    const int first = y_.shape.n - 2;
    batches = first > 0 ? y_.shape[0] : 1;
    m = y_.shape[first], n = y_.shape[first + 1], depth = a_.shape[first + 1];
    bias = bias_;
    const bool all = int(a.describe(a_)) & int(b.describe(b_)) & int(y.describe(y_));
    return all && !y.turned;
  }

  // Whether every row and column can be read 16 bytes at a time from its beginning. Kernels that need this
  // cannot be used for other matrices; slower ones can.
  bool aligned() const {
    return Alignment(a).begins_aligned() && Alignment(b).begins_aligned() && Alignment(y).begins_aligned() &&
           alignment_of(bias) >= 16;
  }
  // … and to its end. A view of 50257 of 50304 columns is aligned, but its rows end within a piece.
  bool whole() const {
    return aligned() && Alignment(a).column >= 16 && Alignment(b).column >= 16 && Alignment(y).column >= 16;
  }
};

}  // namespace glassgrad::cuda

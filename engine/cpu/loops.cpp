#include "loops.h"

#include <algorithm>
#include <cstdlib>

#include "../core/geometry.h"
#include "parallel.h"

namespace glassgrad {
namespace {

// Skips dimensions of size 1.
Nest nest_in_order(std::span<const Operand> ops) {
  Nest nest;
  nest.operands = int(ops.size());
  const Dims& shape = *ops[0].shape;
  for (int d = 0; d < shape.n; ++d) {
    if (shape[d] == 1) continue;
    for (int k = 0; k < nest.operands; ++k) {
      const Operand& x = ops[size_t(k)];
      const int own = x.data ? d - (shape.n - x.shape->n) : -1;
      nest.step[nest.dims][k] = own < 0 || (*x.shape)[own] == 1 ? 0 : (*x.strides)[own];
    }
    nest.size[nest.dims++] = shape[d];
  }
  return nest;
}

// Sorts the dimensions so that the result's smallest step is innermost and the result is written in memory
// order.
void sort(Nest& nest) {
  for (int d = 1; d < nest.dims; ++d)
    for (int e = d; e > 0 && nest.step[e - 1][0] < nest.step[e][0]; --e) {
      std::swap(nest.size[e - 1], nest.size[e]);
      std::swap(nest.step[e - 1], nest.step[e]);
    }
}

bool joins(const Nest& nest, int outer, int inner) {
  for (int k = 0; k < nest.operands; ++k)
    if (nest.step[outer][k] != nest.step[inner][k] * nest.size[inner]) return false;
  return true;
}

// Merges neighbouring dimensions if one step per operand serves both.
void coalesce(Nest& nest) {
  int last = 0;
  for (int d = 1; d < nest.dims; ++d) {
    const int64_t* const step = nest.step[d];
    if (joins(nest, last, d)) {
      nest.size[last] *= nest.size[d];
      std::copy_n(step, nest.operands, nest.step[last]);
    } else if (++last != d) {
      nest.size[last] = nest.size[d];
      std::copy_n(step, nest.operands, nest.step[last]);
    }
  }
  nest.dims = std::min(nest.dims, last + 1);
}

void* moved(const Operand& x, int64_t elements) {
  return x.data ? static_cast<char*>(x.data) + elements * item_size(x.dtype) : nullptr;
}

// If every operand is contiguous or a single element, calls the kernel once per piece; else returns false.
bool run_flat(RowKernel kernel, std::span<const Operand> ops, int64_t n) {
  const Dims &shape = *ops[0].shape, &strides = *ops[0].strides;
  const bool flat = is_contiguous(shape, strides);  // usually all have the same strides
  int64_t steps[kMaxOperands];
  for (size_t k = 0; k < ops.size(); ++k) {
    const Operand& x = ops[k];
    if (!x.data)
      steps[k] = 0;
    else if (*x.shape == shape && (*x.strides == strides ? flat : is_contiguous(shape, *x.strides)))
      steps[k] = 1;
    else if (x.shape->numel() == 1)
      steps[k] = 0;
    else
      return false;
  }
  parallel(n, piece_of(1), [&](int64_t first, int64_t last) {
    void* data[kMaxOperands];
    for (size_t k = 0; k < ops.size(); ++k) data[k] = moved(ops[k], steps[k] * first);
    kernel(last - first, data[0], steps[0], data + 1, steps + 1);
  });
  return true;
}

// Runs the kernel over rows first … last−1 of a nest; a row is `count` elements of its innermost dimension,
// from `begin` on.
void run_rows(RowKernel kernel, const Nest& nest, std::span<const Operand> ops, int64_t first, int64_t last,
              int64_t begin, int64_t count) {
  const int inner = nest.dims - 1;
  char* data[kMaxOperands];
  for (size_t k = 0; k < ops.size(); ++k) data[k] = static_cast<char*>(ops[k].data);
  auto move = [&](int d, int64_t by) {
    for (size_t k = 0; k < ops.size(); ++k)
      if (data[k]) data[k] += nest.step[d][k] * by * item_size(ops[k].dtype);
  };
  move(inner, begin);
  int64_t at[kMaxDims] = {}, rest = first;
  for (int d = inner - 1; d >= 0; --d) {
    at[d] = rest % nest.size[d];
    rest /= nest.size[d];
    move(d, at[d]);
  }
  for (int64_t row = first; row < last; ++row) {
    const void* in[kMaxOperands];
    std::copy(data + 1, data + ops.size(), in);
    kernel(count, data[0], nest.step[inner][0], in, nest.step[inner] + 1);
    for (int d = inner - 1; d >= 0; --d) {
      move(d, 1);
      if (++at[d] < nest.size[d]) break;
      move(d, -nest.size[d]);
      at[d] = 0;
    }
  }
}

// Does an operand lie across the rows, so that neighbours in a row are on different cache lines, and those of
// successive rows on one?
bool has_columns(const Nest& nest, std::span<const Operand> ops) {
  constexpr int64_t kLine = 64;  // bytes
  if (nest.dims < 2) return false;
  for (size_t k = 1; k < ops.size(); ++k) {
    const int64_t size = item_size(ops[k].dtype), along = std::abs(nest.step[nest.dims - 1][k]) * size,
                  across = std::abs(nest.step[nest.dims - 2][k]) * size;
    if (ops[k].data && along >= kLine && across > 0 && across < kLine) return true;
  }
  return false;
}

// Runs the kernel tile by tile, so that the lines of a column are still in a cache when the next row reads
// them.
void run_tiles(RowKernel kernel, const Nest& nest, std::span<const Operand> ops, int64_t first,
               int64_t last) {
  constexpr int64_t kRows = 16, kColumns = 64;
  const int64_t length = nest.size[nest.dims - 1];
  for (int64_t row = first; row < last; row += kRows)
    for (int64_t column = 0; column < length; column += kColumns)
      run_rows(kernel, nest, ops, row, std::min(row + kRows, last), column,
               std::min(kColumns, length - column));
}

}  // namespace

Nest nest_of(std::span<const Operand> operands) {
  Nest nest = nest_in_order(operands);
  sort(nest);
  coalesce(nest);
  return nest;
}

void run_loop(RowKernel kernel, std::span<const Operand> ops) {
  const int64_t n = ops[0].shape->numel();
  if (n == 0 || run_flat(kernel, ops, n)) return;
  const Nest nest = nest_of(ops);
  const int64_t length = nest.size[nest.dims - 1];
  const bool tiles = has_columns(nest, ops);
  parallel(n / length, piece_of(length), [&](int64_t first, int64_t last) {
    if (tiles)
      run_tiles(kernel, nest, ops, first, last);
    else
      run_rows(kernel, nest, ops, first, last, 0, length);
  });
}

}  // namespace glassgrad

#include "loops.h"

#include <algorithm>
#include <cstdlib>

#include "../core/geometry.h"
#include "parallel.h"

namespace glassgrad {
namespace {

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
// from `begin` on. `steps` are the operands' along a row, the nest's own are in bytes.
void run_rows(RowKernel kernel, const LoopNest& nest, const int64_t* steps, std::span<const Operand> ops,
              int64_t first, int64_t last, int64_t begin, int64_t count) {
  char* start[kMaxOperands] = {};
  for (size_t k = 0; k < ops.size(); ++k) start[k] = static_cast<char*>(moved(ops[k], begin * steps[k]));
  const auto run = [&]<int M>(const Offsets<M>& row) {
    void* data[M];
    for (int k = 0; k < M; ++k) data[k] = start[k] + row[k];
    kernel(count, data[0], steps[0], data + 1, steps + 1);
  };
  ops.size() == 2 ? nest.each_row<2>(first, last, run) : nest.each_row(first, last, run);
}

// Does an operand lie across the rows, so that neighbours in a row are on different cache lines, and those of
// successive rows on one?
bool has_columns(const LoopNest& nest, std::span<const Operand> ops) {
  constexpr int64_t kLine = 64;  // bytes
  if (nest.dims < 2) return false;
  for (size_t k = 1; k < ops.size(); ++k) {
    const int64_t along = std::abs(nest.along(int(k))), across = std::abs(nest.step[nest.dims - 2][k]);
    if (ops[k].data && along >= kLine && across > 0 && across < kLine) return true;
  }
  return false;
}

// Runs the kernel tile by tile, so that the lines of a column are still in a cache when the next row reads
// them.
void run_tiles(RowKernel kernel, const LoopNest& nest, const int64_t* steps, std::span<const Operand> ops,
               int64_t first, int64_t last) {
  constexpr int64_t kRows = 16, kColumns = 64;
  const int64_t length = nest.length();
  for (int64_t row = first; row < last; row += kRows)
    for (int64_t column = 0; column < length; column += kColumns)
      run_rows(kernel, nest, steps, ops, row, std::min(row + kRows, last), column,
               std::min(kColumns, length - column));
}

}  // namespace

// The result's smallest step is innermost, so that the result is written in memory order.
LoopNest nest_of(std::span<const Operand> ops) {
  const Dims &shape = *ops[0].shape, &strides = *ops[0].strides;
  const Dims order =
      sorted_dims(shape.n, [&](int64_t a, int64_t b) { return strides[a] > strides[b] ? 1 : -1; });
  LoopNest nest;
  for (int i = shape.n - 1; i >= 0; --i) {
    int64_t steps[kMaxOperands] = {};
    for (size_t k = 0; k < ops.size(); ++k) {
      const Operand& x = ops[k];
      const int64_t own = x.data ? order[i] - (shape.n - x.shape->n) : -1;
      if (own >= 0 && (*x.shape)[own] != 1) steps[k] = (*x.strides)[own];
    }
    nest.push(shape[order[i]], steps);
  }
  return nest;
}

void run_loop(RowKernel kernel, std::span<const Operand> ops) {
  const int64_t n = ops[0].shape->numel();
  if (n == 0 || run_flat(kernel, ops, n)) return;
  const LoopNest nest = nest_of(ops);
  LoopNest bytes = nest;
  for (int d = 0; d < nest.dims; ++d)
    for (size_t k = 0; k < ops.size(); ++k) bytes.step[d][k] *= item_size(ops[k].dtype);
  const int64_t length = nest.length(), *const steps = nest.step[nest.dims - 1];
  const bool tiles = has_columns(bytes, ops);
  parallel(n / length, piece_of(length), [&](int64_t first, int64_t last) {
    if (tiles)
      run_tiles(kernel, bytes, steps, ops, first, last);
    else
      run_rows(kernel, bytes, steps, ops, first, last, 0, length);
  });
}

}  // namespace glassgrad

// The frame of all reductions: which elements belong to a cell of the result, and how threads share them. For
// .cu files only.
#pragma once
#include "../core/nest.h"
#include "packs.h"
#include "scratch.h"

namespace glassgrad::cuda {

// ---- the geometry
// The cells of the result are the places of `kept`; the `count` elements of a cell are the places of
// `reduced`. If it takes several blocks per cell to fill the GPU, a cell is split into `parts` stretches of
// `part` elements.
struct Reduction : Cells {
  int64_t cells, count, parts = 1, part;

  // y has x's shape, with stride 0 along the reduced dimensions. in_order: elements are numbered in logical
  // order; otherwise in the order of memory.
  Reduction(const View& x, const View& y, bool in_order)
      : Cells(x, y, sorted_dims(x.shape.n, [&](int64_t a, int64_t b) {
                return in_order ? 0 : x.strides.v[a] > x.strides.v[b] ? 1 : -1;
              })) {
    cells = kept.numel();
    count = part = reduced.numel();
  }
  // Reduces n contiguous numbers.
  GG_INLINE explicit Reduction(int64_t n) : cells(1), count(n), part(n) { reduced.push(n, {1, 0}); }

  // True if neighbours in memory belong to neighbouring cells.
  bool in_columns() const { return kept.along(0) == 1 && reduced.along(0) != 1; }
  // Splits the cells if `threads` threads for each would not fill the GPU.
  void split(int64_t threads) {
    const int64_t wanted = int64_t(multiprocessors()) * 2048 / (cells * threads);
    const int64_t most = count / (threads * 16);
    parts = wanted < most ? wanted : most;
    if (parts < 2) return void(parts = 1);
    part = ((count + parts - 1) / parts + 63) / 64 * 64;  // whole packs
    parts = (count + part - 1) / part;
  }
};

// ---- combines the results of threads
// Op describes the reduction. X: the type of an element. Part: the result for some elements, plain data of
// whole words. none(): the Part of no elements. with(part, x, i): adds element i of the cell. op(a, b): joins
// two Parts. put(part, place): writes a cell's result at y + place. kInOrder: i counts in logical order
// instead of memory order.
// Combines add(part, load(i), i) for i = first, first + step, … before last, in runs that are then merged, so
// that the rounding errors of a long sum stay small.
template <class Op, class Load, class Add>
__device__ typename Op::Part in_runs(const Op& op, int64_t first, int64_t last, int64_t step, Load load,
                                     Add add) {
  using X = decltype(load(first));
  typename Op::Part part = op.none();
  for (; first < last; first += 64 * step) {
    typename Op::Part run = op.none();
    const int64_t far = first + 64 * step, end = far < last ? far : last;
    read_ahead(first, end, step, load, [&](const X& x, int64_t i) { run = add(run, x, i); });
    part = op(part, run);
  }
  return part;
}
// The same for the elements of a cell, with any strides.
template <class Op>
__device__ typename Op::Part over_elements(const Op& op, const typename Op::X* x, const Reduction& r,
                                           int64_t first, int64_t last, int64_t step) {
  const auto add = [&](const typename Op::Part& part, const typename Op::X& v, int64_t i) {
    return op.with(part, v, i);
  };
  if (r.reduced.dims > 1)
    return in_runs(
        op, first, last, step, [&](int64_t i) { return x[r.reduced.at(i)[0]]; }, add);
  const int64_t stride = r.reduced.dims ? r.reduced.along(0) : 1;
  return in_runs(
      op, first, last, step, [&](int64_t i) { return x[i * stride]; }, add);
}

// Returns the result of thread `lane` of a group for its share of the elements first … last−1 of the cell at
// x.
template <class Op>
__device__ typename Op::Part share_of(const Op& op, const typename Op::X* x, const Reduction& r,
                                      int64_t first, int64_t last, unsigned lane, unsigned group) {
  using X = typename Op::X;
  using Part = typename Op::Part;
  constexpr int kPack = kInPack<X>;
  if (!r.reduced.side_by_side() || !is_aligned(x + first))
    return over_elements(op, x, r, first + lane, last, group);
  const int64_t n = (last - first) / kPack;
  const Part part = in_runs(
      op, lane, n, group, [&](int64_t i) { return get_pack<kPack>(x + first, i * kPack); },
      [&](Part p, const Packed<X, kPack>& v, int64_t i) {
        for (int k = 0; k < kPack; ++k) p = op.with(p, v.v[k], first + i * kPack + k);
        return p;
      });
  return op(part, over_elements(op, x, r, first + n * kPack + lane, last, group));
}
template <class Op>
__device__ void finish(const Op& op, const typename Op::Part& part, const Reduction& r, int64_t cell,
                       int64_t number, typename Op::Part* parts) {
  if (parts)
    parts[cell * r.parts + number] = part;
  else
    op.put(part, r.kept.at(cell)[1]);
}
GG_INLINE int64_t end_of_part(const Reduction& r, int64_t number) {
  const int64_t end = (number + 1) * r.part;
  return end < r.count ? end : r.count;
}

// ---- the kernels
// A group of threads within a warp for each cell.
template <class Op>
__global__ void reduce_in_warps(Op op, const typename Op::X* x, Reduction r, unsigned group) {
  const unsigned in_warp = threadIdx.x % 32;
  const int64_t step = threads_of_grid() / group;
  for (int64_t first = (first_of_thread() - in_warp) / group; first < r.cells; first += step) {
    const int64_t cell = first + in_warp / group;
    const bool is_cell = cell < r.cells;
    const typename Op::X* const p = x + (is_cell ? r.kept.at(cell)[0] : 0);
    auto part = share_of(op, p, r, 0, is_cell ? r.count : 0, in_warp % group, group);
    part = over_warp(part, op, group);
    if (is_cell && in_warp % group == 0) finish(op, part, r, cell, 0, (typename Op::Part*)nullptr);
  }
}
// A block for each part of each cell.
template <class Op>
__global__ void reduce_in_blocks(Op op, const typename Op::X* x, Reduction r, typename Op::Part* parts) {
  for (int64_t i = blockIdx.x; i < r.cells * r.parts; i += gridDim.x) {
    const int64_t cell = i / r.parts, number = i % r.parts;
    auto part = share_of(op, x + r.kept.at(cell)[0], r, number * r.part, end_of_part(r, number), threadIdx.x,
                         blockDim.x);
    part = over_block<false>(part, op.none(), op);
    if (threadIdx.x == 0) finish(op, part, r, cell, number, parts);
  }
}
// A block for `columns` neighbouring cells, with several threads for each.
template <class Op>
__global__ void reduce_in_columns(Op op, const typename Op::X* x, Reduction r, unsigned columns,
                                  typename Op::Part* parts) {
  const unsigned column = threadIdx.x % columns, row = threadIdx.x / columns, rows = blockDim.x / columns;
  const int64_t across = (r.cells + columns - 1) / columns;
  for (int64_t i = blockIdx.x; i < across * r.parts; i += gridDim.x) {
    const int64_t cell = i % across * columns + column, number = i / across;
    const bool is_cell = cell < r.cells;
    const typename Op::X* const p = x + (is_cell ? r.kept.at(cell)[0] : 0);
    const int64_t last = is_cell ? end_of_part(r, number) : 0;
    auto part = over_elements(op, p, r, number * r.part + row, last, rows);
    part = over_column(part, op, columns);
    if (is_cell && row == 0) finish(op, part, r, cell, number, parts);
  }
}
// Merges the parts of each cell, with a block for each.
template <class Op>
__global__ void merge_parts(Op op, const typename Op::Part* parts, Reduction r) {
  for (int64_t cell = blockIdx.x; cell < r.cells; cell += gridDim.x) {
    auto part = op.none();
    for (int64_t i = threadIdx.x; i < r.parts; i += blockDim.x) part = op(part, parts[cell * r.parts + i]);
    part = over_block<false>(part, op.none(), op);
    if (threadIdx.x == 0) op.put(part, r.kept.at(cell)[1]);
  }
}

// ---- the launch
// The threads of one warp reduce a cell of up to this many elements.
constexpr int64_t kMostInWarp = 1024;
GG_INLINE unsigned warp_group(int64_t count, int64_t in_pack) {
  unsigned group = 1;
  while (group < 32 && group * in_pack < count) group *= 2;
  return group;
}

template <class Op, class Kernel>
void run_in_parts(const char* name, const Op& op, const Reduction& r, Kernel kernel) {
  using Part = typename Op::Part;
  if (r.parts == 1) return kernel(static_cast<Part*>(nullptr));
  const Scratch<Part> parts(r.cells * r.parts);
  kernel(parts.get());
  launch(name, merge_parts<Op>, {blocks_for(r.cells), 128}, op, parts.get(), r);
}

// y = each cell of x, reduced by op; y has x's shape, with stride 0 along the reduced dimensions.
template <class Op>
void reduce(const char* name, const Op& op, const View& x, const View& y) {
  Reduction r(x, y, Op::kInOrder);
  if (r.cells == 0) return;
  const auto* const data = x.as<const typename Op::X>();
  if (r.in_columns()) {
    const unsigned columns = r.count < 32 ? 256 : 32;
    r.split(kColumnThreads / columns);
    const int64_t blocks = (r.cells + columns - 1) / columns * r.parts;
    run_in_parts(name, op, r, [&](typename Op::Part* parts) {
      launch(name, reduce_in_columns<Op>, {blocks_for(blocks), kColumnThreads}, op, data, r, columns, parts);
    });
  } else if (r.count <= kMostInWarp) {
    const unsigned group = warp_group(r.count, r.reduced.side_by_side() ? kInPack<typename Op::X> : 1);
    launch(name, reduce_in_warps<Op>, grid_of(r.cells * group), op, data, r, group);
  } else {
    constexpr unsigned kThreads = 256;
    r.split(kThreads);
    run_in_parts(name, op, r, [&](typename Op::Part* parts) {
      launch(name, reduce_in_blocks<Op>, {blocks_for(r.cells * r.parts), kThreads}, op, data, r, parts);
    });
  }
}

}  // namespace glassgrad::cuda

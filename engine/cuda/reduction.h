// The frame of all reductions: which elements belong to a cell of the result, and how threads share them. For
// .cu files only.
#pragma once
#include "packs.h"
#include "scratch.h"

namespace glassgrad::cuda {

// ---- the geometry
// Dimensions, outermost first; neighbours are joined if one stride serves both.
struct JoinedDims {
  int dims = 0;
  int64_t size[kMaxDims], x[kMaxDims], y[kMaxDims];  // strides of the input and of the result

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < dims; ++d) n *= size[d];
    return n;
  }
  void push(int64_t n, int64_t in, int64_t out) {
    if (dims && x[dims - 1] == n * in && y[dims - 1] == n * out) {
      size[dims - 1] *= n;
      x[dims - 1] = in;
      y[dims - 1] = out;
    } else {
      size[dims] = n;
      x[dims] = in;
      y[dims++] = out;
    }
  }
};
// The offsets of an element from the first one, in x and in y.
struct Offsets {
  int64_t x = 0, y = 0;
};
__device__ inline Offsets offsets_in(const JoinedDims& s, int64_t i) {
  Offsets p;
  for (int d = s.dims - 1; d >= 0; --d) {
    const auto n = uint64_t(s.size[d]), all = uint64_t(i);
    // 64-bit division takes several times as long.
    const uint64_t rest = d == 0 ? 0 : (all | n) >> 32 == 0 ? unsigned(all) / unsigned(n) : all / n;
    const auto index = int64_t(all - rest * n);
    p.x += index * s.x[d];
    p.y += index * s.y[d];
    i = int64_t(rest);
  }
  return p;
}

// The cells of the result are the places of `kept`; the `count` elements of a cell are the places of
// `reduced`. If it takes several blocks per cell to fill the GPU, a cell is split into `parts` stretches of
// `part` elements.
struct Reduction {
  JoinedDims kept, reduced;
  int64_t cells, count, parts = 1, part;

  // y has x's shape, with stride 0 along the reduced dimensions. in_order: elements are numbered in logical
  // order; otherwise in the order of memory.
  Reduction(const View& x, const View& y, bool in_order) {
    int order[kMaxDims], n = 0;
    for (int d = 0; d < x.shape.n; ++d)
      if (x.shape.v[d] != 1) order[n++] = d;
    for (int i = 1; i < n && !in_order; ++i)
      for (int j = i; j > 0 && x.strides.v[order[j - 1]] < x.strides.v[order[j]]; --j) {
        const int outer = order[j];
        order[j] = order[j - 1];
        order[j - 1] = outer;
      }
    for (int i = 0; i < n; ++i) {
      const int d = order[i];
      (y.strides.v[d] ? kept : reduced).push(x.shape.v[d], x.strides.v[d], y.strides.v[d]);
    }
    cells = kept.numel();
    count = part = reduced.numel();
  }

  // Reduces n contiguous numbers.
  GG_INLINE explicit Reduction(int64_t n) : cells(1), count(n), part(n) {
    reduced.dims = 1;
    reduced.size[0] = n;
    reduced.x[0] = 1;
    reduced.y[0] = 0;
  }

  GG_INLINE bool side_by_side() const {
    return reduced.dims == 0 || (reduced.dims == 1 && reduced.x[0] == 1);
  }
  // True if neighbours in memory belong to neighbouring cells.
  bool in_columns() const {
    return kept.dims && kept.x[kept.dims - 1] == 1 && !(reduced.dims && reduced.x[reduced.dims - 1] == 1);
  }
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
// whole words. none(): the Part of no elements. with(part, x, i): adds element i of the cell. merged(a, b):
// joins two Parts. put(part, place): writes a cell's result at y + place. kInOrder: i counts in logical order
// instead of memory order.
template <class T>
__device__ T of_lane(const T& v, unsigned distance) {
  static_assert(sizeof(T) % sizeof(unsigned) == 0);
  unsigned words[sizeof(T) / sizeof(unsigned)];
  memcpy(words, &v, sizeof v);
  for (unsigned& w : words) w = __shfl_xor_sync(0xffffffffu, w, int(distance));
  T other;
  memcpy(&other, words, sizeof other);
  return other;
}
// Merges the parts of `group` neighbouring threads, a power of two up to 32; all threads of the warp call it.
template <class Op>
__device__ typename Op::Part over_group(const Op& op, typename Op::Part part, unsigned group) {
  for (unsigned distance = group / 2; distance > 0; distance /= 2)
    part = op.merged(part, of_lane(part, distance));
  return part;
}
// Merges the parts of the block; only the first warp's threads get the result.
template <class Op>
__device__ typename Op::Part over_threads(const Op& op, typename Op::Part part) {
  __shared__ typename Op::Part parts[32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  part = over_group(op, part, 32);
  __syncthreads();  // wait for the previous call's readers
  if (lane == 0) parts[warp] = part;
  __syncthreads();
  return warp == 0 ? over_group(op, lane < warps ? parts[lane] : op.none(), 32) : part;
}

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
    part = op.merged(part, run);
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
        op, first, last, step, [&](int64_t i) { return x[offsets_in(r.reduced, i).x]; }, add);
  const int64_t stride = r.reduced.dims ? r.reduced.x[0] : 1;
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
  if (!r.side_by_side() || !is_aligned(x + first)) return over_elements(op, x, r, first + lane, last, group);
  const int64_t n = (last - first) / kPack;
  const Part part = in_runs(
      op, lane, n, group, [&](int64_t i) { return get_pack<kPack>(x + first, i * kPack); },
      [&](Part p, const Packed<X, kPack>& v, int64_t i) {
        for (int k = 0; k < kPack; ++k) p = op.with(p, v.v[k], first + i * kPack + k);
        return p;
      });
  return op.merged(part, over_elements(op, x, r, first + n * kPack + lane, last, group));
}
template <class Op>
__device__ void finish(const Op& op, const typename Op::Part& part, const Reduction& r, int64_t cell,
                       int64_t number, typename Op::Part* parts) {
  if (parts)
    parts[cell * r.parts + number] = part;
  else
    op.put(part, offsets_in(r.kept, cell).y);
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
    const typename Op::X* const p = x + (is_cell ? offsets_in(r.kept, cell).x : 0);
    auto part = share_of(op, p, r, 0, is_cell ? r.count : 0, in_warp % group, group);
    part = over_group(op, part, group);
    if (is_cell && in_warp % group == 0) finish(op, part, r, cell, 0, (typename Op::Part*)nullptr);
  }
}
// A block for each part of each cell.
template <class Op>
__global__ void reduce_in_blocks(Op op, const typename Op::X* x, Reduction r, typename Op::Part* parts) {
  for (int64_t i = blockIdx.x; i < r.cells * r.parts; i += gridDim.x) {
    const int64_t cell = i / r.parts, number = i % r.parts;
    auto part = share_of(op, x + offsets_in(r.kept, cell).x, r, number * r.part, end_of_part(r, number),
                         threadIdx.x, blockDim.x);
    part = over_threads(op, part);
    if (threadIdx.x == 0) finish(op, part, r, cell, number, parts);
  }
}
// A block for `columns` neighbouring cells, with several threads for each.
constexpr unsigned kColumnThreads = 256;
template <class Op>
__global__ void reduce_in_columns(Op op, const typename Op::X* x, Reduction r, unsigned columns,
                                  typename Op::Part* parts) {
  __shared__ typename Op::Part all[kColumnThreads];
  const unsigned column = threadIdx.x % columns, row = threadIdx.x / columns, rows = blockDim.x / columns;
  const int64_t across = (r.cells + columns - 1) / columns;
  for (int64_t i = blockIdx.x; i < across * r.parts; i += gridDim.x) {
    const int64_t cell = i % across * columns + column, number = i / across;
    const bool is_cell = cell < r.cells;
    const typename Op::X* const p = x + (is_cell ? offsets_in(r.kept, cell).x : 0);
    const int64_t last = is_cell ? end_of_part(r, number) : 0;
    const auto part = over_elements(op, p, r, number * r.part + row, last, rows);
    __syncthreads();  // wait for the previous round's readers
    all[threadIdx.x] = part;
    for (unsigned half = rows / 2; half > 0; half /= 2) {
      __syncthreads();
      if (row < half) all[threadIdx.x] = op.merged(all[threadIdx.x], all[threadIdx.x + half * columns]);
    }
    if (is_cell && row == 0) finish(op, all[threadIdx.x], r, cell, number, parts);
  }
}
// Merges the parts of each cell, with a block for each.
template <class Op>
__global__ void merge_parts(Op op, const typename Op::Part* parts, Reduction r) {
  for (int64_t cell = blockIdx.x; cell < r.cells; cell += gridDim.x) {
    auto part = op.none();
    for (int64_t i = threadIdx.x; i < r.parts; i += blockDim.x)
      part = op.merged(part, parts[cell * r.parts + i]);
    part = over_threads(op, part);
    if (threadIdx.x == 0) op.put(part, offsets_in(r.kept, cell).y);
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
    const unsigned group = warp_group(r.count, r.side_by_side() ? kInPack<typename Op::X> : 1);
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

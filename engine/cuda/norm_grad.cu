// The gradient of layer normalisation on a GPU. dx needs two sums over each row. dweight and dbias are sums
// over all rows: each block adds up its own rows, then the blocks' sums are added.
#include "../numbers/numbers.h"
#include "kernels.h"
#include "packs.h"
#include "scratch.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

// Computes in T; g may be of a narrower type G.
template <class T, class G>
struct LayerGrad {
  const G* g;
  const T *x, *moments, *weight;  // weight may be null
  T *dx, *dweight, *dbias;        // may be null; dweight and dbias have a row of n for each block
  int64_t rows, n;
  const T* base;  // added to dx, and may be dx itself; may be null
  G* rounded;     // dx in G's type; may be null
};

// ---- rows in warps, everything in one pass
// out = the sum of the warps' rows; `shared` holds one row of each warp.
template <class T, int width, int packs>
__device__ void add_warps(const WarpRow<T, width, packs>& mine, T* shared, T* out, int n) {
  __syncthreads();  // wait for the previous call's readers
  store_row<T, width, packs>(mine, shared + threadIdx.x / 32 * unsigned(n), n);
  __syncthreads();
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) {
    const T first = shared[i] + shared[n + i], second = shared[2 * n + i] + shared[3 * n + i];
    out[i] = first + second;
  }
}

// How many blocks fit a multiprocessor's registers if a lane holds `numbers` numbers of a row.
template <class T>
constexpr int blocks_at_once(int64_t numbers) {
  return numbers * int(sizeof(T)) <= 64 ? 4 : numbers * int(sizeof(T)) <= 96 ? 3 : 2;
}
template <class T, int width, int packs, class G>
__global__ void __launch_bounds__(kRowWarps * 32, blocks_at_once<T>(width* packs))
    layer_norm_grad_in_warps(LayerGrad<T, G> a) {
  GG_DYNAMIC_SHARED(T, shared);
  static_assert(kRowWarps == 4);
  const int n = int(a.n);
  WarpRow<T, width, packs> dweight = {}, dbias = {}, g, x;
  for (int64_t row = first_of_thread() / 32; row < a.rows; row += threads_of_grid() / 32) {
    load_row<T, width, packs>(g, a.g + row * n, n, T(0));
    load_row<T, width, packs>(x, a.x + row * n, n, T(0));
    const T mean = a.moments[2 * row], scale = a.moments[2 * row + 1];
    T passed = 0, projected = 0;
    GG_UNROLL_ALL for (int k = 0; k < packs; ++k) {
      const Packed<T, width> weight =
          a.weight ? pack_of_lane<T, width>(a.weight, k, n, T(0)) : Packed<T, width>{};
      GG_UNROLL_ALL for (int j = 0; j < width; ++j) {
        const T normal = (x[k][j] - mean) * scale;
        dweight[k][j] = fma(g[k][j], normal, dweight[k][j]);
        dbias[k][j] += g[k][j];
        x[k][j] = normal;
        if (a.weight) g[k][j] *= weight.v[j];
        passed += g[k][j];
        projected = fma(g[k][j], normal, projected);
      }
    }
    if (!a.dx) continue;
    passed = over_warp(passed, Sum()) / T(n);
    projected = over_warp(projected, Sum()) / T(n);
    each_in_lane<width, packs>(
        [&](int k, int j, int) { x[k][j] = fma(-projected, x[k][j], g[k][j] - passed) * scale; });
    if (a.base) {
      load_row<T, width, packs>(g, a.base + row * n, n, T(0));
      each_in_lane<width, packs>([&](int k, int j, int) { x[k][j] += g[k][j]; });
    }
    store_row<T, width, packs>(x, a.dx + row * n, n);
    if (a.rounded) store_row<T, width, packs>(x, a.rounded + row * n, n);
  }
  if (a.dweight) add_warps<T, width, packs>(dweight, shared, a.dweight + blockIdx.x * a.n, n);
  if (a.dbias) add_warps<T, width, packs>(dbias, shared, a.dbias + blockIdx.x * a.n, n);
}
template <class T, int width, int packs>
struct LayerGradRows {
  template <class G>
  static void run(const LayerGrad<T, G>& a, int64_t blocks) {
    launch("layer_norm_grad", layer_norm_grad_in_warps<T, width, packs, G>,
           {blocks_for(blocks), kRowWarps * 32, size_t(kRowWarps) * size_t(a.n) * sizeof(T)}, a);
  }
};

// ---- long rows, and rows that are not whole packs
template <class T, int width, class G>
__global__ void layer_norm_dx_in_blocks(LayerGrad<T, G> a) {
  using Pack = Packed<T, width>;
  for (int64_t row = blockIdx.x; row < a.rows; row += gridDim.x) {
    const T* const x = a.x + row * a.n;
    const T mean = a.moments[2 * row], scale = a.moments[2 * row + 1];
    // Calls f(g ⊙ weight, x̂, i) for each pack.
    const auto each = [&](auto f) {
      each_pack<width>(a.g + row * a.n, x, a.n, [&](const Packed<G, width>& read, Pack v, int64_t i) {
        Pack weight{}, g;
        for (int j = 0; j < width; ++j) g.v[j] = T(read.v[j]);
        if (a.weight) weight = get_pack<width>(a.weight, i);
        for (int j = 0; j < width; ++j) {
          v.v[j] = (v.v[j] - mean) * scale;
          if (a.weight) g.v[j] *= weight.v[j];
        }
        f(g, v, i);
      });
    };
    T passed = 0, projected = 0;
    each([&](const Pack& g, const Pack& normal, int64_t) {
      for (int j = 0; j < width; ++j) {
        passed += g.v[j];
        projected = fma(g.v[j], normal.v[j], projected);
      }
    });
    passed = over_block(passed, T(0), Sum()) / T(a.n);
    projected = over_block(projected, T(0), Sum()) / T(a.n);
    each([&](const Pack& g, Pack normal, int64_t i) {
      Pack before{};
      if (a.base) before = get_pack<width>(a.base + row * a.n, i);
      for (int j = 0; j < width; ++j)
        normal.v[j] = fma(-projected, normal.v[j], g.v[j] - passed) * scale + (a.base ? before.v[j] : T(0));
      put_pack<width>(a.dx + row * a.n, i, normal);
      if (!a.rounded) return;
      Packed<G, width> rounded;
      for (int j = 0; j < width; ++j) rounded.v[j] = G(normal.v[j]);
      put_pack<width>(a.rounded + row * a.n, i, rounded);
    });
  }
}

// A block takes 32 columns of a part of the rows, with 8 threads for each column.
constexpr unsigned kAcross = 32, kDown = 8;
template <class T, class G>
__global__ void layer_norm_dweight_in_blocks(LayerGrad<T, G> a, int64_t parts) {
  struct Known {
    T g, x, mean, scale;
  };
  const unsigned across = threadIdx.x % kAcross, down = threadIdx.x / kAcross;
  const int64_t wide = (a.n + kAcross - 1) / kAcross, part = (a.rows + parts - 1) / parts;
  for (int64_t i = blockIdx.x; i < wide * parts; i += gridDim.x) {
    const int64_t column = i % wide * kAcross + across, number = i / wide, end = (number + 1) * part;
    const int64_t last = column >= a.n ? 0 : end < a.rows ? end : a.rows;
    T dweight = 0, dbias = 0;
    const auto load = [&](int64_t row) {
      const int64_t at = row * a.n + column;
      return Known{T(a.g[at]), a.x[at], a.moments[2 * row], a.moments[2 * row + 1]};
    };
    read_ahead(number * part + down, last, kDown, load, [&](const Known& k, int64_t) {
      dweight = fma(k.g, (k.x - k.mean) * k.scale, dweight);
      dbias += k.g;
    });
    dweight = over_column(dweight, Sum(), kAcross);
    dbias = over_column(dbias, Sum(), kAcross);
    if (down > 0 || column >= a.n) continue;
    if (a.dweight) a.dweight[number * a.n + column] = dweight;
    if (a.dbias) a.dbias[number * a.n + column] = dbias;
  }
}

template <class T, class G>
void grad_by_blocks(const LayerGrad<T, G>& a, bool packed, int64_t parts) {
  constexpr int kWidth = kInPack<T>;
  if (a.dx)
    launch("layer_norm_grad",
           packed ? layer_norm_dx_in_blocks<T, kWidth, G> : layer_norm_dx_in_blocks<T, 1, G>,
           {blocks_for(a.rows), threads_for_row(packed ? a.n / kWidth : a.n)}, a);
  if (a.dweight || a.dbias)
    launch("layer_norm_grad", layer_norm_dweight_in_blocks<T, G>,
           {blocks_for((a.n + kAcross - 1) / kAcross * parts), kAcross * kDown}, a, parts);
}

// Adds up `parts` rows in one launch, with a block for 32 columns. For gradients in halves only: their bits
// need not agree with any other order.
template <class T>
__global__ void add_parts(const T* parts_of, int64_t parts, int64_t n, T* dweight, T* dbias) {
  const unsigned across = threadIdx.x % kAcross, down = threadIdx.x / kAcross;
  const int64_t column = int64_t(blockIdx.x) * kAcross + across;
  T* const to = blockIdx.y == 0 ? dweight : dbias;
  if (!to) return;
  const T* const from = parts_of + blockIdx.y * parts * n;
  T sum = 0;
  read_ahead(
      down, column < n ? parts : 0, kDown, [&](int64_t row) { return from[row * n + column]; },
      [&](T v, int64_t) { sum += v; });
  sum = over_column(sum, Sum(), kAcross);
  if (down == 0 && column < n) to[column] = sum;
}

// ---- launches
template <class T, class G>
void layer_norm_grad_of(LayerGrad<T, G> a, DType dtype) {
  const bool packed = in_packs<T>(a.n, a.g, a.x, a.weight, a.dx, a.base, a.rounded),
             in_warps = fits_in_warp<T>(a.n, packed);
  // Enough parts of the rows for all multiprocessors, but not so many that a part mostly writes sums.
  const int64_t wide = (a.n + kAcross - 1) / kAcross, all = multiprocessors();
  const int64_t wanted = in_warps ? all * blocks_at_once<T>((a.n + 31) / 32) : (all * 8 + wide - 1) / wide,
                least = in_warps ? 8 : 64;
  const int64_t most = (a.rows + least - 1) / least, parts = wanted < most ? wanted : most;
  T *const dweight = a.dweight, *const dbias = a.dbias;
  const Scratch<T> sums(2 * parts * a.n);
  if (dweight) a.dweight = sums.get();
  if (dbias) a.dbias = sums.get() + parts * a.n;
  if (!run_in_warps<LayerGradRows, T>(a.n, packed, a, parts)) grad_by_blocks(a, packed, parts);
  if constexpr (sizeof(G) < sizeof(T))
    return launch("layer_norm_grad", add_parts<T>, {dim3(unsigned(wide), 2), kAcross * kDown}, sums.get(),
                  parts, a.n, dweight, dbias);
  const auto add_rows = [&](T* parts_of, T* to) {
    const Dims shape = {parts, a.n};
    if (to) sum({parts_of, shape, {a.n, 1}, dtype}, {to, shape, {0, 1}, dtype}, 1);
  };
  add_rows(a.dweight, dweight);
  add_rows(a.dbias, dbias);
}

void run(const View& g, const View& x, const View& moments, const View& weight, const View& base,
         const View& dx, const View& rounded, const View& dweight, const View& dbias) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto from = [&](auto* grads) {
      using G = std::remove_cv_t<std::remove_pointer_t<decltype(grads)>>;
      layer_norm_grad_of(LayerGrad<T, G>{grads, x.as<const T>(), moments.as<const T>(), weight.as<const T>(),
                                         dx.as<T>(), dweight.as<T>(), dbias.as<T>(), x.shape.v[0],
                                         x.shape.v[1], base.as<const T>(), rounded.as<G>()},
                         x.dtype);
    };
    if (std::is_same_v<T, float> && g.dtype == bfloat16) return from(g.as<const bfloat16_t>());
    from(g.as<const T>());
  });
}

}  // namespace

void layer_norm_grad(const View& g, const View& x, const View& moments, const View& weight, const View& dx,
                     const View& dweight, const View& dbias) {
  const View none{nullptr, {}, {}, float32};
  run(g, x, moments, weight, none, dx, none, dweight, dbias);
}
void layer_norm_grad_onto(const View& g, const View& x, const View& moments, const View& weight,
                          const View& base, const View& dx, const View& rounded, const View& dweight,
                          const View& dbias) {
  run(g, x, moments, weight, base, dx, rounded, dweight, dbias);
}

}  // namespace glassgrad::cuda

// The gradient of layer normalisation on a GPU. That of x takes two sums over each row, those of weight and
// bias sums over all rows: each block adds up its own rows, then the blocks' sums are added.
#include "../numbers/numbers.h"
#include "kernels.h"
#include "packs.h"
#include "scratch.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

template <class T>
struct LayerGrad {
  const T *g, *x, *moments, *weight;  // of weight, null is none
  T *dx, *dweight, *dbias;            // null is none; of dweight and dbias, a row of n for each block
  int64_t rows, n;
};

// ---- rows in warps, everything at one reading
// out = the sums of the warps' rows; `shared` has room for them.
template <class T, int width, int packs>
__device__ void add_warps(const WarpRow<T, width, packs>& mine, T* shared, T* out, int n) {
  __syncthreads();  // nobody reads those of the time before
  store_row<T, width, packs>(mine, shared + threadIdx.x / 32 * unsigned(n), n);
  __syncthreads();
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) {
    const T first = shared[i] + shared[n + i], second = shared[2 * n + i] + shared[3 * n + i];
    out[i] = first + second;
  }
}

// So many blocks share the registers of a multiprocessor, where a lane holds so many numbers of a row.
template <class T>
constexpr int blocks_at_once(int64_t numbers) {
  return numbers * int(sizeof(T)) <= 64 ? 4 : numbers * int(sizeof(T)) <= 96 ? 3 : 2;
}
template <class T, int width, int packs>
__global__ void __launch_bounds__(kRowWarps * 32, blocks_at_once<T>(width* packs))
    layer_norm_grad_in_warps(LayerGrad<T> a) {
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
    store_row<T, width, packs>(x, a.dx + row * n, n);
  }
  if (a.dweight) add_warps<T, width, packs>(dweight, shared, a.dweight + blockIdx.x * a.n, n);
  if (a.dbias) add_warps<T, width, packs>(dbias, shared, a.dbias + blockIdx.x * a.n, n);
}
template <class T, int width, int packs>
struct LayerGradRows {
  static void run(const LayerGrad<T>& a, int64_t blocks) {
    launch("layer_norm_grad", layer_norm_grad_in_warps<T, width, packs>,
           {blocks_for(blocks), kRowWarps * 32, size_t(kRowWarps) * size_t(a.n) * sizeof(T)}, a);
  }
};

// ---- long rows, and those that fill no packs
template <class T, int width>
__global__ void layer_norm_dx_in_blocks(LayerGrad<T> a) {
  using Pack = Packed<T, width>;
  for (int64_t row = blockIdx.x; row < a.rows; row += gridDim.x) {
    const T* const x = a.x + row * a.n;
    const T mean = a.moments[2 * row], scale = a.moments[2 * row + 1];
    // f(g ⊙ weight, x̂) for each pack
    const auto each = [&](auto f) {
      each_pack<width>(a.g + row * a.n, x, a.n, [&](Pack g, Pack v, int64_t i) {
        Pack weight{};
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
      for (int j = 0; j < width; ++j) normal.v[j] = fma(-projected, normal.v[j], g.v[j] - passed) * scale;
      put_pack<width>(a.dx + row * a.n, i, normal);
    });
  }
}

// A block for 32 columns of a part of the rows: 8 threads one below the other for each.
constexpr unsigned kAcross = 32, kDown = 8;
template <class T>
__global__ void layer_norm_dweight_in_blocks(LayerGrad<T> a, int64_t parts) {
  struct Known {
    T g, x, mean, scale;
  };
  __shared__ T dweights[kDown][kAcross], dbiases[kDown][kAcross];
  const unsigned across = threadIdx.x % kAcross, down = threadIdx.x / kAcross;
  const int64_t wide = (a.n + kAcross - 1) / kAcross, part = (a.rows + parts - 1) / parts;
  for (int64_t i = blockIdx.x; i < wide * parts; i += gridDim.x) {
    const int64_t column = i % wide * kAcross + across, number = i / wide, end = (number + 1) * part;
    const int64_t last = column >= a.n ? 0 : end < a.rows ? end : a.rows;
    T dweight = 0, dbias = 0;
    const auto load = [&](int64_t row) {
      const int64_t at = row * a.n + column;
      return Known{a.g[at], a.x[at], a.moments[2 * row], a.moments[2 * row + 1]};
    };
    read_ahead(number * part + down, last, kDown, load, [&](const Known& k, int64_t) {
      dweight = fma(k.g, (k.x - k.mean) * k.scale, dweight);
      dbias += k.g;
    });
    __syncthreads();  // nobody reads those of the time before
    dweights[down][across] = dweight;
    dbiases[down][across] = dbias;
    for (unsigned half = kDown / 2; half > 0; half /= 2) {
      __syncthreads();
      if (down >= half) continue;
      dweights[down][across] += dweights[down + half][across];
      dbiases[down][across] += dbiases[down + half][across];
    }
    if (down > 0 || column >= a.n) continue;
    if (a.dweight) a.dweight[number * a.n + column] = dweights[0][across];
    if (a.dbias) a.dbias[number * a.n + column] = dbiases[0][across];
  }
}

template <class T>
void grad_by_blocks(const LayerGrad<T>& a, bool packed, int64_t parts) {
  constexpr int kWidth = kInPack<T>;
  if (a.dx)
    launch("layer_norm_grad", packed ? layer_norm_dx_in_blocks<T, kWidth> : layer_norm_dx_in_blocks<T, 1>,
           {blocks_for(a.rows), threads_for_row(packed ? a.n / kWidth : a.n)}, a);
  if (a.dweight || a.dbias)
    launch("layer_norm_grad", layer_norm_dweight_in_blocks<T>,
           {blocks_for((a.n + kAcross - 1) / kAcross * parts), kAcross * kDown}, a, parts);
}

// ---- the whole
template <class T>
void layer_norm_grad_of(LayerGrad<T> a, DType dtype) {
  const bool packed = in_packs<T>(a.n, a.g, a.x, a.weight, a.dx), in_warps = fits_in_warp<T>(a.n, packed);
  // Enough parts of the rows for all multiprocessors, but none that are mostly writing sums.
  const int64_t wide = (a.n + kAcross - 1) / kAcross, all = multiprocessors();
  const int64_t wanted = in_warps ? all * blocks_at_once<T>((a.n + 31) / 32) : (all * 8 + wide - 1) / wide,
                least = in_warps ? 8 : 64;
  const int64_t most = (a.rows + least - 1) / least, parts = wanted < most ? wanted : most;
  T *const dweight = a.dweight, *const dbias = a.dbias;
  const Scratch<T> sums(2 * parts * a.n);
  if (dweight) a.dweight = sums.get();
  if (dbias) a.dbias = sums.get() + parts * a.n;
  if (!run_in_warps<LayerGradRows, T>(a.n, packed, a, parts)) grad_by_blocks(a, packed, parts);
  const auto add_parts = [&](T* parts_of, T* to) {
    const Dims shape = {parts, a.n};
    if (to) sum({parts_of, shape, {a.n, 1}, dtype}, {to, shape, {0, 1}, dtype}, 1);
  };
  add_parts(a.dweight, dweight);
  add_parts(a.dbias, dbias);
}

}  // namespace

void layer_norm_grad(const View& g, const View& x, const View& moments, const View& weight, const View& dx,
                     const View& dweight, const View& dbias) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    layer_norm_grad_of(
        LayerGrad<T>{g.as<const T>(), x.as<const T>(), moments.as<const T>(), weight.as<const T>(),
                     dx.as<T>(), dweight.as<T>(), dbias.as<T>(), x.shape.v[0], x.shape.v[1]},
        x.dtype);
  });
}

}  // namespace glassgrad::cuda

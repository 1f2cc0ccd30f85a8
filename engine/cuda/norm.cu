// Layer normalisation on a GPU: a row in a warp's registers or, if it is long, in a block's shared memory.
#include "../numbers/numbers.h"
#include "kernels.h"
#include "packs.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

template <class T>
struct Layer {
  const T *x, *weight, *bias;  // of the last two, null is none
  T *y, *moments;
  int64_t rows, n;
  T eps;
};

// distances·scale, times the weights and plus the biases, if there are any.
template <class T, int width>
__device__ void normalise(T (&distances)[width], T scale, bool weighted, const T (&weights)[width],
                          const T (&biases)[width]) {
  GG_UNROLL_ALL for (int j = 0; j < width; ++j) distances[j] =
      weighted ? fma(distances[j] * scale, weights[j], biases[j]) : fma(distances[j], scale, biases[j]);
}

// ---- rows in warps
template <class T, int width, int packs>
__global__ void layer_norm_in_warps(Layer<T> a) {
  const int n = int(a.n);
  for (int64_t row = first_of_thread() / 32; row < a.rows; row += threads_of_grid() / 32) {
    WarpRow<T, width, packs> v;
    load_row<T, width, packs>(v, a.x + row * n, n, T(0));
    T sum = 0, squares = 0;
    each_in_lane<width, packs>([&](int k, int j, int) { sum += v[k][j]; });
    const T mean = over_warp(sum, Sum()) / T(n);
    each_in_lane<width, packs>([&](int k, int j, int i) {
      v[k][j] = v[k][j] - mean;
      if (i < n) squares = fma(v[k][j], v[k][j], squares);
    });
    const T scale = 1 / sqrt(over_warp(squares, Sum()) / T(n) + a.eps);
    GG_UNROLL_ALL for (int k = 0; k < packs; ++k) {
      Packed<T, width> weight{}, bias{};
      if (a.weight) weight = pack_of_lane<T, width>(a.weight, k, n, T(0));
      if (a.bias) bias = pack_of_lane<T, width>(a.bias, k, n, T(0));
      normalise(v[k], scale, a.weight, weight.v, bias.v);
    }
    store_row<T, width, packs>(v, a.y + row * n, n);
    if (threadIdx.x % 32 == 0) {
      a.moments[2 * row] = mean;
      a.moments[2 * row + 1] = scale;
    }
  }
}
template <class T, int width, int packs>
struct LayerRows {
  static void run(const Layer<T>& a) {
    launch("layer_norm", layer_norm_in_warps<T, width, packs>, grid_of_rows(a.rows), a);
  }
};

// ---- rows in blocks
template <class T, int width>
__global__ void layer_norm_in_blocks(Layer<T> a, bool kept) {
  GG_DYNAMIC_SHARED(T, shared);
  using Pack = Packed<T, width>;
  for (int64_t row = blockIdx.x; row < a.rows; row += gridDim.x) {
    const T* in = a.x + row * a.n;
    T* const out = a.y + row * a.n;
    T sum = 0, squares = 0;
    each_pack<width>(in, a.n, [&](const Pack& p, int64_t i) {
      if (kept) put_shared_pack<width>(shared, i, p);
      for (const T v : p.v) sum += v;
    });
    const T mean = over_block(sum, T(0), Sum()) / T(a.n);
    if (kept) in = shared;
    each_pack<width>(in, a.n, [&](const Pack& p, int64_t) {
      for (const T v : p.v) squares = fma(v - mean, v - mean, squares);
    });
    const T scale = 1 / sqrt(over_block(squares, T(0), Sum()) / T(a.n) + a.eps);
    each_pack<width>(in, a.n, [&](Pack p, int64_t i) {
      for (T& v : p.v) v -= mean;
      Pack weight{}, bias{};
      if (a.weight) weight = get_pack<width>(a.weight, i);
      if (a.bias) bias = get_pack<width>(a.bias, i);
      normalise(p.v, scale, a.weight, weight.v, bias.v);
      put_pack<width>(out, i, p);
    });
    if (threadIdx.x == 0) {
      a.moments[2 * row] = mean;
      a.moments[2 * row + 1] = scale;
    }
  }
}

template <class T>
void layer_norm_of(const Layer<T>& a) {
  constexpr int kWidth = kInPack<T>;
  const bool packed = in_packs<T>(a.n, a.x, a.weight, a.bias, a.y);
  if (run_in_warps<LayerRows, T>(a.n, packed, a)) return;
  const size_t bytes = size_t(a.n) * sizeof(T);
  const bool kept = bytes <= kMostShared;
  const Grid grid{blocks_for(a.rows), threads_for_row(packed ? a.n / kWidth : a.n), kept ? bytes : 0};
  launch("layer_norm", packed ? layer_norm_in_blocks<T, kWidth> : layer_norm_in_blocks<T, 1>, grid, a, kept);
}

}  // namespace

void layer_norm(const View& x, const View& weight, const View& bias, double eps, const View& y,
                const View& moments) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    layer_norm_of(Layer<T>{x.as<const T>(), weight.as<const T>(), bias.as<const T>(), y.as<T>(),
                           moments.as<T>(), x.shape.v[0], x.shape.v[1], T(eps)});
  });
}

}  // namespace glassgrad::cuda

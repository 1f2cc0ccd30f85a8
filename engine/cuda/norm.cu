// Layer normalisation on a GPU: a row in a warp's registers or, if it is long, in a block's shared memory.
#include "../numbers/numbers.h"
#include "kernels.h"
#include "packs.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

// Computes in T; the result may be rounded to a narrower Y. With a branch, in Y, normalizes x + branch, which
// is also written to `sum`.
template <class T, class Y>
struct Layer {
  const T *x, *weight, *bias;  // weight and bias may be null
  Y* y;
  T* moments;
  int64_t rows, n;
  T eps;
  const Y* branch = nullptr;
  T* sum = nullptr;
};

// Returns distances·scale, times the weights and plus the biases if there are any.
template <class T, int width>
__device__ void normalise(T (&distances)[width], T scale, bool weighted, const T (&weights)[width],
                          const T (&biases)[width]) {
  GG_UNROLL_ALL for (int j = 0; j < width; ++j) distances[j] =
      weighted ? fma(distances[j] * scale, weights[j], biases[j]) : fma(distances[j], scale, biases[j]);
}

// ---- rows in warps
template <class T, int width, int packs, class Y>
__global__ void layer_norm_in_warps(Layer<T, Y> a) {
  const int n = int(a.n);
  for (int64_t row = first_of_thread() / 32; row < a.rows; row += threads_of_grid() / 32) {
    WarpRow<T, width, packs> v;
    load_row<T, width, packs>(v, a.x + row * n, n, T(0));
    if (a.branch) {
      WarpRow<T, width, packs> more;
      load_row<T, width, packs>(more, a.branch + row * n, n, T(0));
      each_in_lane<width, packs>([&](int k, int j, int) { v[k][j] += more[k][j]; });
      store_row<T, width, packs>(v, a.sum + row * n, n);
    }
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
  template <class Y>
  static void run(const Layer<T, Y>& a) {
    launch("layer_norm", layer_norm_in_warps<T, width, packs, Y>, grid_of_rows(a.rows), a);
  }
};

// ---- rows in blocks
template <class T, int width, class Y>
__global__ void layer_norm_in_blocks(Layer<T, Y> a, bool kept) {
  GG_DYNAMIC_SHARED(T, shared);
  using Pack = Packed<T, width>;
  for (int64_t row = blockIdx.x; row < a.rows; row += gridDim.x) {
    const T* in = a.x + row * a.n;
    Y* const out = a.y + row * a.n;
    T sum = 0, squares = 0;
    each_pack<width>(in, a.n, [&](Pack p, int64_t i) {
      if (a.branch) {
        const Packed<Y, width> more = get_pack<width>(a.branch + row * a.n, i);
        for (int j = 0; j < width; ++j) p.v[j] += T(more.v[j]);
        put_pack<width>(a.sum + row * a.n, i, p);
      }
      if (kept) put_shared_pack<width>(shared, i, p);
      for (const T v : p.v) sum += v;
    });
    const T mean = over_block(sum, T(0), Sum()) / T(a.n);
    if (a.branch) in = a.sum + row * a.n;  // each thread reads only numbers that it wrote itself
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
      Packed<Y, width> rounded;
      GG_UNROLL_ALL for (int j = 0; j < width; ++j) rounded.v[j] = Y(p.v[j]);
      put_pack<width>(out, i, rounded);
    });
    if (threadIdx.x == 0) {
      a.moments[2 * row] = mean;
      a.moments[2 * row + 1] = scale;
    }
  }
}

template <class T, class Y>
void layer_norm_of(const Layer<T, Y>& a) {
  constexpr int kWidth = kInPack<T>;
  const bool packed = in_packs<T>(a.n, a.x, a.weight, a.bias, a.y, a.branch, a.sum);
  if (run_in_warps<LayerRows, T>(a.n, packed, a)) return;
  const size_t bytes = size_t(a.n) * sizeof(T);
  const bool kept = bytes <= kMostShared;
  const Grid grid{blocks_for(a.rows), threads_for_row(packed ? a.n / kWidth : a.n), kept ? bytes : 0};
  launch("layer_norm", packed ? layer_norm_in_blocks<T, kWidth, Y> : layer_norm_in_blocks<T, 1, Y>, grid, a,
         kept);
}

}  // namespace

void layer_norm(const View& x, const View& weight, const View& bias, double eps, const View& y,
                const View& moments) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto run = [&](auto* out) {
      layer_norm_of(Layer<T, std::remove_pointer_t<decltype(out)>>{x.as<const T>(), weight.as<const T>(),
                                                                   bias.as<const T>(), out, moments.as<T>(),
                                                                   x.shape.v[0], x.shape.v[1], T(eps)});
    };
    if (std::is_same_v<T, float> && y.dtype == bfloat16) return run(y.as<bfloat16_t>());
    run(y.as<T>());
  });
}

void layer_norm_of_sum(const View& x, const View& branch, const View& weight, const View& bias, double eps,
                       const View& sum, const View& y, const View& moments) {
  layer_norm_of(Layer<float, bfloat16_t>{x.as<const float>(), weight.as<const float>(),
                                         bias.as<const float>(), y.as<bfloat16_t>(), moments.as<float>(),
                                         x.shape.v[0], x.shape.v[1], float(eps),
                                         branch.as<const bfloat16_t>(), sum.as<float>()});
}

}  // namespace glassgrad::cuda

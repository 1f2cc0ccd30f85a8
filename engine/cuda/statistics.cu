// Variance, norm and product on a GPU.
#include "../numbers/numbers.h"
#include "kernels.h"
#include "reduction.h"
#include "tensor_batch.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

// Σ (x − mean)² in double by Welford's method; parts are merged by Chan's.
template <class T>
struct Variance {
  using X = T;
  struct Part {
    double n, mean, squares;
  };
  static constexpr bool kInOrder = false;
  T* y;
  double divisor;
  bool root;

  __device__ static Part none() { return {0, 0, 0}; }
  __device__ static Part with(const Part& m, T x, int64_t) {
    const double n = m.n + 1, distance = double(x) - m.mean, mean = m.mean + distance / n;
    return {n, mean, fma(distance, double(x) - mean, m.squares)};
  }
  __device__ Part operator()(const Part& a, const Part& b) const {
    if (a.n == 0 || b.n == 0) return a.n == 0 ? b : a;
    const double n = a.n + b.n, distance = b.mean - a.mean, share = b.n / n;
    return {n, fma(distance, share, a.mean), fma(distance * distance, a.n * share, a.squares + b.squares)};
  }
  __device__ void put(const Part& m, int64_t place) const {
    const double variance = m.n == 0 ? __builtin_nan("") : m.squares / divisor;
    y[place] = T(root ? sqrt(variance) : variance);
  }
};

template <class T>
struct Product {
  using X = T;
  using Part = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;  // integers wrap around
  using Y = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
  static constexpr bool kInOrder = false;
  Y* y;

  __device__ static Part none() { return 1; }
  __device__ static Part with(Part product, T x, int64_t) { return product * Part(x); }
  __device__ Part operator()(Part a, Part b) const { return a * b; }
  __device__ void put(Part product, int64_t place) const { y[place] = Y(product); }
};

template <class T>
struct Norm {
  using X = T;
  using Part = T;
  static constexpr bool kInOrder = false;
  T* y;

  __device__ static Part none() { return 0; }
  __device__ static Part with(Part sum, T x, int64_t) { return fma(x, x, sum); }
  __device__ Part operator()(Part a, Part b) const { return a + b; }
  __device__ void put(Part sum, int64_t place) const { y[place] = sqrt(sum); }
};

// Sums the squares of a tensor's numbers in the same parts as `reduce`, for the same bits.
struct NormOfMany {
  const float* x;
  float* parts;
  int64_t part;
};
__global__ void __launch_bounds__(kManyThreads) norm_parts(const GG_IN_PLACE TensorBatch<NormOfMany> all) {
  const auto& one = all.of_block(blockIdx.x);
  const Norm<float> op{nullptr};
  Reduction r(one.n);
  r.part = one.item.part;
  const int64_t number = int64_t(blockIdx.x) - one.first_block;
  float part = 0;
  if (one.n <= kMostInWarp) {
    const unsigned group = warp_group(r.count, kInPack<float>), lane = threadIdx.x;
    if (lane >= 32) return;
    part = share_of(op, one.item.x, r, 0, lane < group ? r.count : 0, lane % group, group);
    part = over_warp(part, op, group);
  } else {
    part = share_of(op, one.item.x, r, number * r.part, end_of_part(r, number), threadIdx.x, blockDim.x);
    part = over_block<false>(part, op.none(), op);
  }
  if (threadIdx.x == 0) one.item.parts[number] = part;
}
__global__ void norms_of_parts(const GG_IN_PLACE TensorBatch<NormOfMany> all, float* norms) {
  const auto& one = all.entries[blockIdx.x];
  const int64_t end = int(blockIdx.x) + 1 < all.count ? all.entries[blockIdx.x + 1].first_block : all.blocks;
  const Norm<float> op{norms};
  float part = op.none();
  for (int64_t i = threadIdx.x; i < end - one.first_block; i += blockDim.x)
    part = op(part, one.item.parts[i]);
  part = over_block<false>(part, op.none(), op);
  if (threadIdx.x == 0) op.put(part, blockIdx.x);
}

}  // namespace

void norms(std::span<const View> all, float* y) {
  const auto add = [](TensorBatch<NormOfMany>& many, const View& x) {
    Reduction r(x.shape.numel());
    if (r.count > kMostInWarp) r.split(kManyThreads);
    many.add({x.as<const float>(), nullptr, r.part}, r.count, r.parts);
  };
  in_groups<NormOfMany>(all, add, [&](TensorBatch<NormOfMany>& many) {
    const Scratch<float> parts(many.blocks);
    for (int i = 0; i < many.count; ++i)
      many.entries[i].item.parts = parts.get() + many.entries[i].first_block;
    void (*const first)(TensorBatch<NormOfMany>) = norm_parts;
    launch("norms", first, {dim3(unsigned(many.blocks)), kManyThreads}, many);
    void (*const last)(TensorBatch<NormOfMany>, float*) = norms_of_parts;
    launch("norms", last, {dim3(unsigned(many.count)), 128}, many, y);
    y += many.count;
  });
}

void spread(const View& x, const View& y, double divisor, bool root) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    reduce("var", Variance<T>{y.as<T>(), divisor, root}, x, y);
  });
}

void prod(const View& x, const View& y) {
  all_types(x.dtype, [&](auto zero) {
    using P = Product<decltype(zero)>;
    reduce("prod", P{y.as<typename P::Y>()}, x, y);
  });
}

void norm(const View& x, const View& y) {
  floats(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    reduce("norm", Norm<T>{y.as<T>()}, x, y);
  });
}

}  // namespace glassgrad::cuda

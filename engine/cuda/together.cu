// Converts many tensors at once, or multiplies them by one number.
#include "kernels.h"
#include "tensor_batch.h"

namespace glassgrad::cuda {
namespace {

template <class From, class To>
struct Converted {
  const From* from;
  To* to;
  bool packed;  // both at multiples of 16 bytes

  template <int count>
  __device__ void run_packs(int64_t begin, int64_t end) const {
    for (int64_t i = begin + int64_t(threadIdx.x) * count; i < end; i += int64_t(kManyThreads) * count) {
      const Packed<From, count> x = get_pack<count>(from, i);
      Packed<To, count> y;
      for (int k = 0; k < count; ++k) y.v[k] = To(x.v[k]);
      put_pack<count>(to, i, y);
    }
  }
  __device__ void run(int64_t begin, int64_t end) const {
    const int64_t packs = packed ? begin + (end - begin) / 4 * 4 : begin;
    run_packs<4>(begin, packs);
    run_packs<1>(packs, end);
  }
};

template <class From, class To>
void convert_all_of(std::span<const Conversion> all) {
  using Mine = Converted<From, To>;
  const auto add = [](TensorBatch<Mine>& many, const Conversion& x) {
    many.add(
        {static_cast<const From*>(x.from), static_cast<To*>(x.to), is_aligned(x.from) && is_aligned(x.to)},
        x.n);
    gpu::add_work({.bytes = x.n * int64_t(sizeof(From) + sizeof(To))});
  };
  in_groups<Mine>(all, add, [](const TensorBatch<Mine>& many) { launch_many("convert", many); });
}

struct Scaled {
  float* x;
  const float* factor;
  bool packed;

  __device__ void run(int64_t begin, int64_t end) const {
    const float by = *factor;
    const int64_t packs = packed ? begin + (end - begin) / 4 * 4 : begin;
    for (int64_t i = begin + int64_t(threadIdx.x) * 4; i < packs; i += int64_t(kManyThreads) * 4) {
      Packed<float, 4> p = get_pack<4>(x, i);
      for (float& v : p.v) v *= by;
      put_pack<4>(x, i, p);
    }
    for (int64_t i = packs + threadIdx.x; i < end; i += kManyThreads) x[i] *= by;
  }
};

}  // namespace

void convert_all(std::span<const Conversion> all, DType from, DType to) {
  const auto halves = [&](auto half) {
    using Half = decltype(half);
    to == float32 ? convert_all_of<Half, float>(all) : convert_all_of<float, Half>(all);
  };
  (from == float32 ? to : from) == float16 ? halves(float16_t{}) : halves(bfloat16_t{});
}

void scale_all(std::span<const View> all, const float* factor) {
  const auto add = [&](TensorBatch<Scaled>& many, const View& x) {
    many.add({x.as<float>(), factor, is_aligned(x.data)}, x.shape.numel());
    gpu::add_work({.bytes = x.shape.numel() * int64_t{sizeof(float)}});
  };
  in_groups<Scaled>(all, add, [](const TensorBatch<Scaled>& many) { launch_many("scale", many); });
}

}  // namespace glassgrad::cuda

#include "apps/prove/bench/machine.h"

#include <vector>

#include "apps/prove/bench/timing.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"
#include "engine/gpus.h"
#include "engine/matmul_precision.h"
#include "engine/ops.h"

namespace glassgrad::bench {

double peak_flops(int threads, double for_seconds) {
  constexpr int64_t kRounds = 1'000'000;
  int64_t flops = 0;
  const auto chains = [&](int64_t first, int64_t) {
    const int64_t done = kernels().fma_chains(kRounds);
    if (first == 0) flops = done;
  };
  const double seconds = least_seconds([&] { parallel(threads, 1, chains); }, for_seconds);
  return double(flops) * threads / seconds;
}

double bandwidth(int threads, double for_seconds) {
  constexpr int64_t kNumbers = int64_t{1} << 23;  // 32 MiB per array
  std::vector<float> a(kNumbers), b(kNumbers, 1), c(kNumbers, 2);
  const auto triad = [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) a[size_t(i)] = b[size_t(i)] + 3 * c[size_t(i)];
  };
  const double seconds =
      least_seconds([&] { parallel(kNumbers, kNumbers / (int64_t{8} * threads), triad); }, for_seconds);
  return double(3 * sizeof(float) * kNumbers) / seconds;
}

double gpu_bandwidth(int index, double for_seconds) {
  // 2 GiB on an H200, whose cache has 50 MiB: the wait for the copy takes a negligible share of the time.
  const int64_t bytes = gpu_memory(index) / 64;
  const Device gpu{DeviceType::CUDA, int8_t(index)};
  const Tensor from = ones({bytes / int64_t(sizeof(float))}, float32, gpu), to = empty_like(from);
  return 2 * double(bytes) / least_seconds([&] { copy_(to, from); }, for_seconds);
}

double gain_of_bf16() {
  constexpr int64_t kSize = 768;  // the width of a model for which bf16 could pay
  constexpr double kSeconds = 0.02;
  Generator g(1);
  const Tensor a = randn({kSize, kSize}, float32, g), b = randn({kSize, kSize}, float32, g);
  const auto seconds = [&](bool on) {
    set_bf16_matmul(on);
    return least_seconds([&] { matmul(a, b); }, kSeconds);
  };
  const bool before = bf16_matmul();
  const double exact = seconds(false), rounded = seconds(true);
  set_bf16_matmul(before);
  return exact / rounded;
}

}  // namespace glassgrad::bench

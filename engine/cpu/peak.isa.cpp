// Runs as many fma as the processor can: the peak that other kernels are measured against.
#include "kernels.h"
#include "vec.h"

namespace glassgrad::GG_ISA {
namespace {

int64_t fma_chains(int64_t rounds) {
  constexpr int kChains = 12;  // more than a processor runs at once, few enough for the registers
  Wide<float> sum[kChains];
  GG_UNROLL for (int i = 0; i < kChains; ++i) sum[i] = Wide<float>{} + float(i);
  const Wide<float> factor = Wide<float>{} + 0.999f, term = Wide<float>{} + 0.001f;
  for (int64_t k = 0; k < rounds; ++k)
    GG_UNROLL for (int i = 0; i < kChains; ++i) sum[i] = fma(sum[i], factor, term);
  Wide<float> all{};
  for (const Wide<float>& s : sum) all += s;
  volatile float used = all[0];
  (void)used;
  return 2 * rounds * kChains * kWide<float>;
}

}  // namespace

void fill_peak(Kernels& k) { k.fma_chains = fma_chains; }

}  // namespace glassgrad::GG_ISA

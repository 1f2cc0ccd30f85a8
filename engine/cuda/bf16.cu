#include "bf16.h"

#include "launch.h"

namespace glassgrad::cuda {
namespace {

constexpr int kPack = 8;
struct alignas(16) Rounded {
  uint16_t v[kPack];
};
struct alignas(16) Four {
  float v[4];
};

__device__ uint16_t rounded(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Pack number i of all columns of all matrices.
__global__ void round_kernel(const float* x, Columns from, int64_t packs, int64_t all, bool aligned,
                             Rounded* y) {
  const bool small = all < int64_t{1} << 31;  // dividing 64 bits takes several times as long
  for (int64_t i = first_of_thread(); i < all; i += threads_of_grid()) {
    const int64_t line = small ? int64_t(unsigned(i) / unsigned(packs)) : i / packs,
                  row = (i - line * packs) * kPack;
    const int64_t batch = small ? int64_t(unsigned(line) / unsigned(from.columns)) : line / from.columns;
    const float* const at = x + batch * from.batch + (line - batch * from.columns) * from.leading + row;
    Rounded r;
    if (aligned && row + kPack <= from.rows) {
      const Four low = *reinterpret_cast<const Four*>(at), high = *reinterpret_cast<const Four*>(at + 4);
      for (int k = 0; k < 4; ++k) r.v[k] = rounded(low.v[k]), r.v[k + 4] = rounded(high.v[k]);
    } else {
      for (int k = 0; k < kPack; ++k) r.v[k] = row + k < from.rows ? rounded(at[k]) : uint16_t(0);
    }
    y[i] = r;
  }
}

}  // namespace

void round_to_bf16(const float* x, const Columns& from, int64_t batches, uint16_t* y) {
  const int64_t packs = (from.rows + kPack - 1) / kPack;
  const int64_t all = (from.batch == 0 ? 1 : batches) * from.columns * packs;
  const bool aligned =
      reinterpret_cast<uintptr_t>(x) % 16 == 0 && from.leading % 4 == 0 && from.batch % 4 == 0;
  if (all > 0)
    launch("bf16", round_kernel, grid_of(all), x, from, packs, all, aligned, reinterpret_cast<Rounded*>(y));
}

}  // namespace glassgrad::cuda

// PyTorch's random numbers on the CPU, bit for bit: one Mersenne Twister; every distribution draws from it in
// PyTorch's order and with PyTorch's rounding (2.x where it differs from 1.13). A GPU has its own generator
// and draws its own numbers (cuda/random.cu).
#pragma once
#include <concepts>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "core/device.h"
#include "core/types.h"

namespace glassgrad {

// mt19937, plus the second value of the last normal pair, kept for the next small normal fill. r32, r64 and u
// advance the stream; the fills below hold mutex() while they draw.
class Generator {
 public:
  static constexpr uint64_t kDefaultSeed = 67280421310721;
  static constexpr int kWords = 624;

  // The whole state to save: plain data, so it can be copied and written to a file as it is.
  struct State {
    uint32_t words[kWords];
    int32_t used;  // words already handed out; kWords: the next draw makes a new block
    bool has_normal;
    double normal;
    uint64_t seed;
  };

  Generator() { reseed(kDefaultSeed); }
  explicit Generator(std::integral auto seed) { manual_seed(seed); }
  explicit Generator(const State& s) : state_(s) {}
  // A GPU's generator: the GPU draws its tensors, with PyTorch's Philox4x32-10, from all 64 bits of the seed.
  // Throws Error, with the reason, if it cannot compute there.
  Generator(Device device, std::integral auto seed) : Generator(device) { manual_seed(seed); }
  Device device() const { return device_; }
  // For a GPU's generator: how many words each of its threads has used, a multiple of 4. Seed and offset are
  // its whole state.
  uint64_t offset() const { return offset_; }
  void set_offset(uint64_t words);
  // Not null while the draws are captured (gpus.h). Kernels then read two words in the GPU's memory: the
  // seed, and the offset to which offset() is added.
  const int64_t* replayed_from() const { return replayed_from_; }
  void replay_from(const int64_t* seed_and_offset) { replayed_from_ = seed_and_offset; }

  // Restarts the stream, drops the kept normal. Any 64-bit integer; the CPU uses its low 32 bits only.
  Generator& manual_seed(std::integral auto seed) { return reseed(static_cast<uint64_t>(seed)); }
  // Seeds from the system's entropy; returns the seed.
  uint64_t seed();
  uint64_t initial_seed() const { return state_.seed; }

  const State& state() const { return state_; }
  void set_state(const State& s) { state_ = s; }

  uint32_t r32() {
    if (state_.used == kWords) next_block();
    uint32_t y = state_.words[state_.used++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  // Two draws; the first is the high half.
  uint64_t r64() {
    const uint64_t high = r32();
    return high << 32 | r32();
  }
  // Uniform in [0, 1) with the type's own precision: u<float> has 24 bits and takes one draw, u<double> 53
  // bits and two draws. For the two halves, returns a float with their precision: 11 and 8 bits.
  template <class T>
  auto u() {
    if constexpr (std::is_same_v<T, float16_t>)
      return static_cast<float>(r32() & 0x7ff) * 0x1p-11f;
    else if constexpr (std::is_same_v<T, bfloat16_t>)
      return static_cast<float>(r32() & 0xff) * 0x1p-8f;
    else if constexpr (sizeof(T) == 4)
      return static_cast<float>(r32() & 0xffffff) * 0x1p-24f;
    else
      return static_cast<double>(r64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
  }
  // One standard normal in double (Box-Muller): the kept one, or the first of a pair from four draws, whose
  // second is kept.
  double normal();

  std::mutex& mutex() { return mutex_; }

 private:
  explicit Generator(Device device);
  Generator& reseed(uint64_t seed);
  void next_block();

  State state_;
  Device device_;
  uint64_t offset_ = 0;
  const int64_t* replayed_from_ = nullptr;
  std::mutex mutex_;
};

// The generator of every function that is not given one. Starts from a random seed.
Generator& default_generator();
// torch.manual_seed: restarts the default generator.
Generator& manual_seed(std::integral auto seed) { return default_generator().manual_seed(seed); }

// ---- Fills of n elements of plain memory, first to last. T is a float of any width unless stated otherwise;
// arguments must be valid.

// y = fma(u, to - from, from) in T, or in float for a half; from and to are rounded to T first. One u<T>
// each.   Tensor.uniform_
template <class T>
void fill_uniform(Generator& g, T* y, int64_t n, double from, double to);

// y = mean + std·z.   Tensor.normal_
// Fewer than 16 elements, or a tensor that is not contiguous: z is Generator::normal() in double, rounded
// once. Else: n uniforms; each whole block of 16 becomes 8 pairs (r·cos t, r·sin t) with r = √(−2 ln(1 −
// u_j)), t = 2π·u_{j+8} (for halves, each of these numbers is rounded); when 16 does not divide n, the last
// 16 elements are drawn again and transformed.
template <class T>
void fill_normal(Generator& g, T* y, int64_t n, double mean, double std, bool contiguous);

// y = u<double> < p ? 1 : 0. T is any element type. Two draws each.   Tensor.bernoulli_(p)
template <class T>
void fill_bernoulli(Generator& g, T* y, int64_t n, double p);
// y[i] = u<P> < p[i] ? 1 : 0. T is any element type. One u<P> each.   Tensor.bernoulli_(p tensor)
template <class T, class P>
void fill_bernoulli(Generator& g, T* y, int64_t n, const P* p);

// y = −1/λ · log1p(−u<double>), rounded once. Two draws each.   Tensor.exponential_
template <class T>
void fill_exponential(Generator& g, T* y, int64_t n, double lambda);

// y = from + r mod (to − from) for from < to; r is r32, or r64 from a range of 2³² on (bool: always r32).
// T is any element type.   Tensor.random_(from, to), randint
template <class T>
void fill_randint(Generator& g, T* y, int64_t n, int64_t from, int64_t to);

// Draws from the range of integers that T holds exactly: int64 r64 mod 2⁶³, double r64 mod (2⁵³+1), float r32
// mod (2²⁴+1), bool r32 mod 2, other types r32 in the same way. T is any element type.   Tensor.random_()
template <class T>
void fill_random(Generator& g, T* y, int64_t n);

// A permutation of 0 … n−1: for i = 0 … n−2 swaps i with i + r32 mod (n − i); uses r64 from n = 2³²/20 on.
// randperm
void fill_randperm(Generator& g, int64_t* y, int64_t n);

// Draws count samples with replacement from the weights p of n categories: each is the first category whose
// cumulative share, summed in T (float or double), reaches a u<double>. One u<double> per sample. Throws
// Error on weights < 0, not finite, or summing to 0.
template <class T>
void sample_with_replacement(Generator& g, const T* p, int64_t n, int64_t* y, int64_t count);

}  // namespace glassgrad

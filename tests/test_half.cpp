// float16 and bfloat16: conversions in both directions, compared with PyTorch 2.6.
#include <bit>
#include <cmath>

#include "engine/ops.h"
#include "support.h"

using namespace glassgrad;

namespace {

template <class T>
T of_bits(uint64_t bits) {
  T x{};
  x.bits = uint16_t(bits);
  return x;
}

template <class T>
void comes_back() {
  int64_t different = 0;
  for (uint64_t bits = 0; bits < 65536; ++bits) {
    const float x = of_bits<T>(bits);
    different += std::isnan(x) ? !std::isnan(float(T(x))) : T(x).bits != bits;
  }
  CHECK(different == 0);
}

// Σ (i + 1) · the float32 bits of the half with the bits i, modulo 2^62; leaves out nan.
template <class T>
uint64_t widened_sum() {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 65536; ++i)
    if (const float x = of_bits<T>(i); !std::isnan(x)) sum += std::bit_cast<uint32_t>(x) * (i + 1);
  return sum & ((uint64_t{1} << 62) - 1);
}

// A checksum of a million floats of every size, rounded to T.
template <class T>
uint64_t rounded_sum() {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 1000000; ++i) {
    const float x = std::bit_cast<float>(uint32_t(i * 2654435761u));
    if (!std::isnan(x)) sum += T(x).bits * (i % 65521 + 1);
  }
  return sum;
}

}  // namespace

TEST_CASE("every half comes back from float") {
  comes_back<float16_t>();
  comes_back<bfloat16_t>();
  CHECK(widened_sum<float16_t>() == 938145961941663744);
  CHECK(widened_sum<bfloat16_t>() == 1492648339626262528);
}

TEST_CASE("a million floats are rounded to halves as PyTorch does") {
  CHECK(rounded_sum<float16_t>() == 1039407639715495);
  CHECK(rounded_sum<bfloat16_t>() == 1053712415299037);
}

TEST_CASE("ends of the halves") {
  CHECK(float(float16_t(65519.f)) == 65504);
  CHECK(std::isinf(float(float16_t(65520.f))));
  CHECK(float(float16_t(0x1p-25f)) == 0);  // half way from 0, which is even, to the smallest, which is odd
  CHECK(float(float16_t(0x1.8p-25f)) == 0x1p-24f);
  CHECK(std::signbit(float(float16_t(-1e-10f))));
  CHECK(std::isinf(float(bfloat16_t(0x1.ffp127f))));
  CHECK(float(bfloat16_t(1 + 0x1p-8f)) == 1);
  CHECK(float(bfloat16_t(1 + 0x1.8p-7f)) == 1 + 0x1p-6f);
}

TEST_CASE("loops convert as single numbers do") {
  const Tensor bits = arange(65536);
  for (const DType t : {float16, bfloat16}) {
    const Tensor x = to(to(bits, float64) / 65536 * 4 - 2, float32), y = to(x, t);
    int64_t different = 0;
    for (int64_t i = 0; i < x.numel(); ++i) {
      const float one = x.raw().as<float>()[i];
      const float rounded = t == float16 ? float(float16_t(one)) : float(bfloat16_t(one));
      different += rounded != y[i].item<float>();
    }
    CHECK(different == 0);
  }
}

TEST_CASE("a narrow integer keeps the low bits") {
  const Tensor x = tensor({-1, 255, 256, 1000000007});
  CHECK(to(x, uint8).to_vector<int64_t>() == std::vector<int64_t>{255, 255, 0, 7});
  CHECK(to(x, int8).to_vector<int64_t>() == std::vector<int64_t>{-1, -1, 0, 7});
  CHECK(to(x, int16).to_vector<int64_t>() == std::vector<int64_t>{-1, 255, 256, -13817});
  const Tensor a = to(tensor({100, 100}), int8);
  CHECK((a + a).dtype() == int8);
  CHECK((a + a).to_vector<int64_t>() == std::vector<int64_t>{-56, -56});
}

TEST_CASE("rsqrt rounds 32 neighbours at a time once and what is left over twice") {
  const auto expected = [](const Tensor& x, int64_t once) {  // of a row
    const DType t = x.dtype();
    const Tensor wide = to(x, float32);
    const Tensor whole = to(rsqrt(wide), t), twice = to(1 / to(to(sqrt(wide), t), float32), t);
    return where(arange(x.size(-1)) < once, whole, twice);
  };
  for (const DType t : {bfloat16, float16}) {
    const Tensor numbers = to(arange(1, 401) / 7, t), rows = numbers.view({10, 40});
    for (const int64_t n : {1, 31, 32, 33, 64, 95, 400}) {
      const Tensor x = numbers.narrow(0, 0, n);
      CHECK(equal(rsqrt(x), expected(x, n / 32 * 32)));
    }
    const Tensor left = rows.narrow(1, 0, 33), apart = rows.slice(1, 0, 40, 2);
    CHECK(equal(rsqrt(left), expected(left, 32)));
    CHECK(equal(rsqrt(left.t()), expected(left, 32).t()));
    CHECK(equal(rsqrt(apart), expected(apart, 0)));
    CHECK(!equal(rsqrt(left), expected(left, 0)));
    const Tensor written = clone(numbers);
    rsqrt_(written);
    CHECK(equal(written, rsqrt(numbers)));
  }
}

// Products of inputs rounded to bf16: off by default, close to those of float32, forward and backward.
#include <cstring>

#include "engine/core/threads.h"
#include "engine/matmul_precision.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

struct WithBf16 {
  WithBf16() { set_bf16_matmul(true); }
  ~WithBf16() { set_bf16_matmul(false); }
};

// Rounds x to bf16: to 8 bits, to nearest, ties to even.
Tensor rounded(const Tensor& x) {
  const Tensor y = clone(x.contiguous());
  for (int64_t i = 0; i < y.numel(); ++i) {
    float& number = y.raw().as<float>()[i];
    uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    std::memcpy(&number, &bits, sizeof bits);
  }
  return y;
}

bool near_to(const Tensor& a, const Tensor& b, double part) {
  return max(abs(a - b)).item() <= part * (max(abs(b)).item() + 1e-30);
}

}  // namespace

TEST_CASE("products are exact by default and bf16 is refused where the processor lacks it") {
  CHECK(!bf16_matmul());
  if (has_bf16_matmul()) return;
  CHECK_THROWS_AS(set_bf16_matmul(true), ValueError);
  CHECK(!bf16_matmul());
}

TEST_CASE("bf16 products are those of rounded inputs whatever their shape and strides") {
  if (!has_bf16_matmul()) return;
  for (const Dims& s :
       {Dims{1, 1, 1}, Dims{3, 5, 2}, Dims{17, 33, 40}, Dims{70, 129, 300}, Dims{64, 1100, 1}})
    for (const int turned : {0, 1, 2, 3}) {
      const auto matrix = [](int64_t rows, int64_t columns, bool turn) {
        return turn ? randn({2, columns, rows}).transpose(1, 2) : randn({2, rows, columns});
      };
      const Tensor a = matrix(s[0], s[1], turned & 1), b = matrix(s[1], s[2], turned & 2);
      const Tensor expected = bmm(rounded(a), rounded(b)), exact = bmm(a, b);
      const WithBf16 on;
      const Tensor y = bmm(a, b);
      CHECK(near_to(y, expected, 1e-5));
      CHECK(near_to(y, exact, 0.05));
      CHECK(equal(mm(a[0], b[0]), y[0]));
      if (s[1] > 1) CHECK(!equal(y, exact));
    }
}

TEST_CASE("bf16 products have a bias and gradients and the same bits for any number of threads") {
  if (!has_bf16_matmul()) return;
  const Tensor x = randn({90, 130}).requires_grad_(), w = randn({70, 130}).requires_grad_(),
               bias = randn({70});
  const auto results = [&] {
    x.set_grad({}), w.set_grad({});
    const Tensor y = linear(x, w, bias);
    sum(y * y).backward();
    return std::vector<Tensor>{y.detach(), x.grad(), w.grad()};
  };
  const std::vector<Tensor> exact = results();
  const WithBf16 on;
  const int before = threads();
  set_threads(1);
  const std::vector<Tensor> one = results();
  set_threads(3);
  const std::vector<Tensor> three = results();
  set_threads(before);
  for (size_t i = 0; i < exact.size(); ++i) {
    CHECK(!equal(one[i], exact[i]));
    CHECK(near_to(one[i], exact[i], 0.02));
    CHECK(equal(one[i], three[i]));
  }
}

TEST_CASE("bf16 concerns neither other dtypes nor empty products") {
  if (!has_bf16_matmul()) return;
  const Tensor a = randn({20, 30}, float64), b = randn({30, 10}, float64);
  const Tensor exact = mm(a, b);
  const WithBf16 on;
  CHECK(equal(mm(a, b), exact));
  CHECK(equal(mm(zeros({3, 0}), zeros({0, 4})), zeros({3, 4})));
  CHECK(mm(zeros({0, 3}), zeros({3, 4})).numel() == 0);
}

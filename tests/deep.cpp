// Graphs of a million nodes. CTest runs these with a stack of 256 KB, because nothing in the engine may
// recurse over a graph.
#include "support.h"
#include "thorough.h"

using namespace glassgrad;
using namespace testing;

namespace {
constexpr int kMany = kSanitized ? 100'000 : 1'000'000;
}  // namespace

TEST_CASE("a chain of a million ops") {
  const int64_t before = Storage::alive();
  {
    const Tensor x = tensor({1.5, -2.}).requires_grad_();
    const Tensor two = tensor(2.);
    Tensor y = x;
    for (int i = 0; i < kMany / 2; ++i) y = (y * two) / two;
    sum(y).backward();
    CHECK(numbers(x.grad()) == Numbers{1, 1});
  }
  CHECK(Storage::alive() == before);
}

TEST_CASE("a chain that is destroyed without a backward") {
  const int64_t before = Storage::alive();
  {
    const Tensor x = tensor(1.).requires_grad_();
    Tensor y = x;
    for (int i = 0; i < kMany; ++i) y = y * x;
  }
  CHECK(Storage::alive() == before);
}

TEST_CASE("a chain of in-place ops on views") {
  const int64_t before = Storage::alive();
  {
    const Tensor x = tensor({1., 2.}).requires_grad_();
    const Tensor y = x * 1;
    for (int i = 0; i < kMany / 10; ++i) add_(y[i % 2], x[0]);
    sum(y).backward();
    CHECK(numbers(x.grad()) == Numbers{1. + kMany / 10, 1});
  }
  CHECK(Storage::alive() == before);
}

TEST_CASE("a million users of one tensor") {
  const Tensor x = tensor(1.).requires_grad_();
  const Tensor shared = x * 1;
  Tensor total = tensor(0.);
  for (int i = 0; i < kMany / 2; ++i) total = total + shared;
  total.backward();
  CHECK(x.grad().item() == kMany / 2);
}

TEST_CASE("a tensor of many parts") {
  const Tensor x = tensor(1., float64).requires_grad_();
  const std::vector<Tensor> parts(60'000, x);
  sum(stack(parts)).backward();
  CHECK(x.grad().item() == 60'000);
  const Tensor wide = ones(60'000, float64).requires_grad_();
  Tensor total = zeros({}, float64);
  for (const Tensor& part : wide.unbind()) total = total + part;
  total.backward();
  CHECK(sum(wide.grad()).item() == 60'000);
}

TEST_CASE("a diamond of two to the sixtieth paths") {
  const Tensor x = tensor(1., float64).requires_grad_();
  Tensor y = x;
  for (int i = 0; i < 60; ++i) y = y + y;
  y.backward();
  CHECK(x.grad().item() == std::ldexp(1., 60));
  Tensor z = x;  // and through two nodes each time
  for (int i = 0; i < 60; ++i) z = z * 1 + z * 1;
  x.set_grad({});
  z.backward();
  CHECK(x.grad().item() == std::ldexp(1., 60));
}

TEST_CASE("many derivatives of derivatives") {
  const Tensor x = tensor(0.5, float64).requires_grad_();
  Tensor y = sin(x);
  for (int i = 0; i < 8; ++i) y = grad({y}, {x}, {}, {}, true)[0];
  CHECK(std::abs(y.item() - std::sin(0.5)) <= 1e-12);
}

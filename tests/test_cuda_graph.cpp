// Work that is captured on a GPU once and replayed, and the memory it keeps.
#include <doctest/doctest.h>

#include "engine/core/gpu.h"
#include "engine/gpus.h"
#include "engine/ops.h"
#include "gpu.h"

using namespace glassgrad;
using namespace testing;

namespace {

Tensor on_gpu(const std::vector<double>& values) {
  return to(from_values(values, {int64_t(values.size())}), kGpu);
}

}  // namespace

TEST_CASE("a captured graph reads its inputs anew") {
  if (!has_gpu()) return;
  const NoGrad no_grad;
  const Tensor x = on_gpu({1, 2, 3});
  Tensor y;
  Captured graph(kGpu);
  CHECK(!graph);
  graph.capture([&] { y = exp(x * 2.0) + 1.0; });
  CHECK(bool(graph));
  for (const double first : {0.5, -1.0, 4.0}) {
    copy_(x, on_gpu({first, 0, 1}));
    graph.replay();
    CHECK(y.to_vector<float>() == (exp(x * 2.0) + 1.0).to_vector<float>());
  }
}

TEST_CASE("memory of a captured graph serves nobody else") {
  if (!has_gpu()) return;
  const NoGrad no_grad;
  const Tensor x = on_gpu({1, 2, 3});
  Tensor y;
  {
    Captured graph(kGpu);
    graph.capture([&] { y = x * 3.0 + (x * 2.0 + 1.0); });  // the intermediate results die in the capture
    std::vector<Tensor> others;
    for (int i = 0; i < 8; ++i) others.push_back(on_gpu({7, 7, 7}));
    graph.replay();
    CHECK(y.to_vector<float>() == std::vector<float>{6, 11, 16});
    for (const Tensor& other : others) CHECK(other.to_vector<float>() == std::vector<float>{7, 7, 7});
  }
  CHECK(y.to_vector<float>() == std::vector<float>{6, 11, 16});
}

TEST_CASE("work that reads from the GPU cannot be captured") {
  if (!has_gpu()) return;
  const Tensor x = on_gpu({1, 2, 3});
  Captured graph(kGpu);
  CHECK_THROWS_WITH_AS(graph.capture([&] { (x * 2.0).to_vector<float>(); }),
                       doctest::Contains("operation not permitted when stream is capturing"), Error);
  CHECK(!graph);
  CHECK((x * 2.0).to_vector<float>() == std::vector<float>{2, 4, 6});  // and ops still work
}

TEST_CASE("captured work cannot capture and a second capture replaces the first") {
  if (!has_gpu()) return;
  const Tensor x = on_gpu({1, 2, 3});
  Captured graph(kGpu), inner(kGpu);
  CHECK_THROWS_WITH_AS(graph.capture([&] { inner.capture([] {}); }),
                       "captured work cannot capture: capture one piece of work after the other", Error);
  CHECK(!graph);
  Tensor y;
  graph.capture([&] { y = x + 1.0; });
  graph.capture([&] { y = x * 2.0; });
  graph.replay();
  CHECK(y.to_vector<float>() == std::vector<float>{2, 4, 6});
}

TEST_CASE("work that copies from the CPU cannot be captured") {
  if (!has_gpu()) return;
  const Tensor x = on_gpu({1, 2, 3});
  Captured graph(kGpu);
  const DefaultDevice here(kGpu);
  const auto refused = [&](const std::function<void()>& work) {
    CHECK_THROWS_WITH_AS(graph.capture(work),
                         doctest::Contains("operation not permitted when stream is capturing"), Error);
  };
  refused([&] { x* to(ones(3, float32, kCpu), kGpu); });
  refused([&] { x* randn(3); });  // the CPU draws its numbers
  CHECK(!graph);
  CHECK((x * 2.0).to_vector<float>() == std::vector<float>{2, 4, 6});
}

TEST_CASE("a capture takes memory that was given back before") {
  if (!has_gpu()) return;
  const NoGrad no_grad;
  const Tensor x = on_gpu(std::vector<double>(5000, 0.5));
  Tensor y;
  const auto work = [&] { y = exp(x) * 3.0 + x; };
  work();
  y = {};
  const int64_t asked = gpu::memory_use(0).taken;
  Captured graph(kGpu);
  graph.capture(work);
  CHECK(gpu::memory_use(0).taken == asked);
}

TEST_CASE("a steady loop asks the driver for no memory") {
  if (!has_gpu()) return;
  const Tensor x = on_gpu(std::vector<double>(1000, 0.5));
  x.requires_grad_();
  const auto step = [&] {
    x.set_grad({});
    (x * x + exp(x)).backward(ones_like(x.detach()));
  };
  for (int i = 0; i < 3; ++i) step();
  const int64_t asked = gpu::memory_use(0).taken;
  for (int i = 0; i < 20; ++i) step();
  CHECK(gpu::memory_use(0).taken == asked);
}

// A GPU's generator draws PyTorch's numbers for that GPU.
#include "engine/gpus.h"
#include "engine/ops/promote.h"
#include "engine/random.h"
#include "gpu.h"
#include "nn/functional.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

double mean_of(const Numbers& x) {
  double total = 0;
  for (const double v : x) total += v;
  return total / double(x.size());
}

}  // namespace

TEST_CASE("a GPU draws the numbers that PyTorch draws there") {
  if (!has_gpu()) return;
  const DefaultDevice here(kGpu);
  Generator g(kGpu, 0);
  CHECK(g.device() == kGpu);
  // torch.manual_seed(0); torch.rand(4, device="cuda"), and the same with torch.randn
  CHECK(close(rand({4}, float32, g), {0.3990, 0.5167, 0.0249, 0.9401}, 1e-4));
  CHECK(g.offset() == 4);
  g.manual_seed(0);
  CHECK(g.offset() == 0);
  CHECK(close(randn({4}, float32, g), {-0.9247, -0.4253, -2.6438, 0.1452}, 1e-4));
  // Philox4x32-10 of key 0 and counter 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8
  g.set_offset(0);
  CHECK(random_(empty({1}, int64), g).item<int64_t>() == 0x6627e8d5e169c58d);
  g.set_offset(0);
  CHECK(random_(empty({1}, int64), 5, 105, g).item<int64_t>() == 5 + 0x6627e8d5 % 100);
  g.set_offset(0);
  CHECK(close(rand({1}, float64, g), {double(0x6627e8d5ull ^ 0xe169c58dull << 21) * 0x1p-53}));
}

TEST_CASE("what a GPU draws is as it is said to be") {
  if (!has_gpu()) return;
  const DefaultDevice here(kGpu);
  Generator g(kGpu, 5);
  for (const DType t : {float32, float64}) {
    const Numbers u = numbers(rand({9000}, t, g)), z = numbers(normal_(empty({90, 100}, t), 3, 2, g));
    CHECK(std::abs(mean_of(u) - 0.5) < 0.02);
    CHECK(std::abs(mean_of(z) - 3) < 0.1);
    CHECK(std::abs(mean_of(numbers(exponential_(empty({9000}, t), 4, g))) - 0.25) < 0.02);
    CHECK(std::abs(mean_of(numbers(bernoulli_(empty({9000}, t), 0.3, g))) - 0.3) < 0.02);
    CHECK(std::abs(mean_of(numbers(bernoulli(full({9001}, 0.7, t), g))) - 0.7) < 0.02);
    for (const double v : u) CHECK((v >= 0 && v < 1));
  }
  CHECK(std::abs(mean_of(numbers(randint(-5, 6, {9000}, g)))) < 0.2);
  CHECK(std::abs(mean_of(numbers(bernoulli_(empty({9000}, boolean), 0.9, g))) - 0.9) < 0.02);
  // More than the threads draw in one pass, and a tensor with gaps: no number comes twice, none is left out.
  const Numbers many = numbers(sort(rand({20000}, float64, g)).values);
  for (size_t i = 1; i < many.size(); ++i) CHECK(many[i - 1] < many[i]);
  const uint64_t before = g.offset();
  const Tensor gaps = zeros({6, 8}).slice(1, 1, {}, 2);
  const Numbers first = numbers(uniform_(gaps, 1, 2, g));
  for (const double v : first) CHECK((v >= 1 && v < 2));
  g.set_offset(before);
  CHECK(numbers(uniform_(gaps, 1, 2, g)) == first);
}

TEST_CASE("a GPU draws narrow numbers") {
  if (!has_gpu()) return;
  const DefaultDevice here(kGpu);
  Generator g(kGpu, 5);
  const auto drawn = [&](DType t, auto draw) {
    g.set_offset(0);
    const Tensor x = draw(empty({7, 50}, t));
    CHECK(x.dtype() == t);
    CHECK(x.device() == kGpu);
    return x;
  };
  const auto normals = [&](const Tensor& x) { return normal_(x, 3, 2, g); };
  const auto waits = [&](const Tensor& x) { return exponential_(x, 4, g); };
  const auto truths = [&](const Tensor& x) { return bernoulli_(x, 0.3, g); };
  const auto wholes = [&](const Tensor& x) { return random_(x, 0, 100, g); };
  for (const DType t : {float16, bfloat16}) {
    // A half is the rounded float32 draw; if it rounds to the excluded upper bound, it is the lower bound.
    CHECK(equal(drawn(t, normals), to(drawn(float32, normals), t)));
    CHECK(equal(drawn(t, waits), to(drawn(float32, waits), t)));
    const Tensor u = drawn(t, [&](const Tensor& x) { return uniform_(x, 1, 2, g); });
    for (const double v : numbers(u)) CHECK((v >= 1 && v < 2));
    CHECK(equal(bernoulli(full({3, 5}, 1.0, t), g), ones({3, 5}, t)));
    CHECK(numbers(random_(empty({9}, t), g))[0] <= 2 / epsilon(t));
  }
  for (const DType t : {uint8, int8, int16, int32, float16, bfloat16}) {
    CHECK(equal(drawn(t, truths), to(drawn(float32, truths), t)));
    CHECK(equal(drawn(t, wholes), to(drawn(int64, wholes), t)));
  }
  for (const DType t : {uint8, int8, int16, int32}) {
    const Tensor x = random_(empty({4000}, t), g);
    CHECK(min(x).item() >= 0);
    CHECK(max(x).item() > greatest(t) * 0.95);
  }
}

TEST_CASE("a generator draws for its own device alone") {
  if (!has_gpu()) return;
  Generator g(kGpu, 1);
  CHECK(error_of([&] { rand({3}, float32, g); }) ==
        "RuntimeError: Expected a 'cpu' device type for generator but found 'cuda'");
  CHECK(error_of([&] { randperm(3, g); }) ==
        "RuntimeError: Expected a 'cpu' device type for generator but found 'cuda'");
  CHECK(error_of([&] { g.set_offset(3); }) == "RuntimeError: offset must be a multiple of 4");
  CHECK(contains(error_of([&] { bernoulli(to(tensor({0.5, 1.5}), kGpu), g); }), "Expected p_in >= 0"));
}

TEST_CASE("dropout on a GPU draws the masks that PyTorch draws there") {
  if (!has_gpu()) return;
  const DefaultDevice here(kGpu);
  Generator g(kGpu, 0);
  // The four words of thread 0 for seed 0 are the uniform numbers 0.3990, 0.8805, 0.7357, 0.6055.
  CHECK(numbers(dropout_mask_(empty({2, 4}), 0.7, g))[0] == 1);
  CHECK(g.offset() == 4);
  g.set_offset(0);
  const Numbers first = numbers(dropout_mask_(empty({4}), 0.7, g));
  CHECK(first == Numbers{1, 0, 0, 1});
  g.set_offset(0);
  CHECK(numbers(dropout_mask_(empty({4}, float64), 0.7, g)) == first);
  // Each of six elements is drawn by a thread of its own: 0.3990, 0.5167, 0.0249, 0.9401, …
  g.set_offset(0);
  const Numbers apart = numbers(dropout_mask_(empty({6}), 0.5, g));
  CHECK(Numbers(apart.begin(), apart.begin() + 4) == Numbers{1, 0, 1, 0});
  // More elements than the threads draw in one pass.
  double kept = 0;
  const Tensor many = dropout_mask_(empty({3000000}), 0.25, g);
  for (const double v : numbers(many)) kept += v;
  CHECK(std::abs(kept / 3e6 - 0.25) < 0.002);

  const nn::functional::DropoutFrom gpu(&g);
  g.manual_seed(0);
  CHECK(close(nn::functional::dropout(ones({4}), 0.3), {1 / 0.7, 0, 0, 1 / 0.7}, 1e-6));
  CHECK(g.offset() == 4);
  const Generator::State before = default_generator().state();
  nn::functional::dropout(ones({4}, float32, kCpu), 0.3);
  CHECK(g.offset() == 4);
  CHECK(default_generator().state().used != before.used);
}

TEST_CASE("a captured graph goes on drawing") {
  if (!has_gpu()) return;
  const DefaultDevice here(kGpu);
  const NoGrad no_grad;
  Generator g(kGpu, 3);
  Tensor x, mask;
  const auto work = [&] {
    x = rand({5}, float32, g);
    mask = dropout_mask_(empty({300, 4}), 0.5, g);
  };
  std::vector<Numbers> expected;
  for (int i = 0; i < 4; ++i) {
    work();
    expected.push_back(numbers(x));
    expected.push_back(numbers(mask));
  }
  const uint64_t end = g.offset();
  CHECK(expected[0] != expected[2]);

  g.manual_seed(99);
  g.set_offset(40);
  {
    Captured graph(kGpu, &g);
    graph.capture(work);
    CHECK(g.offset() == 40);
    g.manual_seed(3);
    for (int i = 0; i < 4; ++i) {
      if (i == 2) g.set_offset(end / 2);  // like loading a checkpoint
      graph.replay();
      CHECK(numbers(x) == expected[size_t(2 * i)]);
      CHECK(numbers(mask) == expected[size_t(2 * i + 1)]);
    }
    CHECK(g.offset() == end);
  }
  Captured other(kGpu);
  CHECK(contains(error_of([&] { other.capture(work); }), "give it to Captured"));
  CHECK(!other);
  work();  // and drawing still works
  CHECK(numbers(x) != expected[0]);
}

// Training in halves on a GPU: autocast, and ops on many tensors at once. Skipped without a GPU, real or
// emulated.
#include "engine/autocast.h"
#include "engine/core/gpu.h"
#include "gpu.h"
#include "nn/gpt.h"
#include "nn/optim.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

using Tensors = std::vector<Tensor>;

// The loss of a small GPT and the gradients of all its parameters, moved to the CPU.
Tensors loss_and_gradients(const nn::GPTConfig& config, Device device, DType half, bool watched = false) {
  manual_seed(1);
  nn::GPT model(config);
  model.to(device);
  const Dims shape{3, config.context_length};
  const Tensor tokens = to(randint(0, config.vocab_size, shape), device),
               targets = to(randint(0, config.vocab_size, shape), device);
  struct Watching : Observer {
  } observer;
  const Watch watch(watched ? &observer : nullptr);
  Tensor loss;
  {
    const Autocast on(half, device.type);
    loss = softmax_cross_entropy(model(tokens).flatten(0, 1), targets.flatten());
  }
  CHECK(loss.dtype() == float32);
  loss.backward();
  Tensors results{to(loss.detach(), kCpu)};
  for (const nn::NamedTensor& p : model.named_parameters()) {
    CHECK(p.tensor.grad().dtype() == float32);
    results.push_back(to(p.tensor.grad(), kCpu));
  }
  return results;
}

// Returns the largest ‖a − b‖ / ‖b‖ of two lists. Skips a b that is nearly 0, such as the gradient of a key's
// bias, which does not affect attention.
double worst_difference(const Tensors& a, const Tensors& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double size = norm(to(b[i], float64)).item();
    const double d = norm(to(a[i], float64) - to(b[i], float64)).item() / size;
    if (size > 1e-5 && !(d <= worst)) worst = d;
  }
  return worst;
}

nn::GPTConfig config_of(int64_t vocabulary) {
  return {
      .vocab_size = vocabulary, .context_length = 20, .width = 128, .layers = 2, .heads = 2, .dropout = 0};
}

// Returns tensors of many sizes; some exceed what a warp, a block or a launch takes.
Tensors of_many_sizes() {
  Tensors all;
  for (int64_t i = 0; i < 70; ++i) all.push_back(to(randn({i * i + i % 3}), kGpu));
  all.push_back(to(randn({300, 301}), kGpu));
  return all;
}

}  // namespace

TEST_CASE("a GPT under autocast on a GPU has gradients near to those of float32") {
  if (!has_gpu()) return;
  for (const int64_t vocabulary : {101, 128}) {
    const nn::GPTConfig config = config_of(vocabulary);
    const Tensors exact = loss_and_gradients(config, kCpu, float32);
    const Tensors halves = loss_and_gradients(config, kGpu, bfloat16);
    CHECK(std::abs(halves[0].item() - exact[0].item()) < 2e-3);
    const double d = worst_difference(halves, exact);
    CHECK_MESSAGE(d <= 0.02, "vocabulary " << vocabulary << ": " << d);
    CHECK(d > 1e-4);
    const Tensors again = loss_and_gradients(config, kGpu, bfloat16);
    for (size_t i = 0; i < halves.size(); ++i) CHECK(equal(halves[i], again[i]));
    const double steps = worst_difference(loss_and_gradients(config, kGpu, bfloat16, true), halves);
    CHECK_MESSAGE(steps <= 0.02, "watched, vocabulary " << vocabulary << ": " << steps);
  }
}

TEST_CASE("no product of a training step in bf16 is unaligned") {
  if (!has_gpu()) return;
  const gpu::WorkCounts before = gpu::work_done();
  loss_and_gradients(config_of(101), kGpu, bfloat16);
  const gpu::WorkCounts after = gpu::work_done();
  CHECK(after.products > before.products);
  CHECK(after.unaligned_products == before.unaligned_products);
}

TEST_CASE("layer norm of a GPU rounds in the pass that computes it") {
  if (!has_gpu()) return;
  for (const int64_t width : {8, 33, 768, 1500, 5000}) {
    const Tensor x = to(randn({5, width}), kGpu), weight = to(randn({width}), kGpu),
                 bias = to(randn({width}), kGpu);
    const Tensor g = to(to(randn({5, width}), bfloat16), kGpu);
    const auto results = [&](bool fused) {
      Tensors in{x.detach().requires_grad_(), weight.detach().requires_grad_(),
                 bias.detach().requires_grad_()};
      const Tensor y = fused ? layer_norm(in[0], {width}, in[1], in[2], 1e-5, bfloat16)
                             : to(layer_norm(in[0], {width}, in[1], in[2]), bfloat16);
      Tensors all = grad({y}, in, {g});
      all.push_back(y.detach());
      return all;
    };
    const Tensors fused = results(true), separate = results(false);
    for (size_t i = 0; i < fused.size(); ++i)
      CHECK_MESSAGE(equal(to(fused[i], kCpu), to(separate[i], kCpu)), "width " << width << ", result " << i);
  }
}

TEST_CASE("the gradient of a residual connection is added up in the pass of layer norm") {
  if (!has_gpu()) return;
  for (const int64_t width : {32, 5000}) {
    const auto gradient = [&](Device device) {
      manual_seed(2);
      const Tensor x = to(randn({7, width}), device).requires_grad_(), g = to(randn({7, width}), device);
      const Tensor middle = x * 2.0;
      return to(grad({middle + layer_norm(middle, {width})}, {x}, {g})[0], kCpu);
    };
    CHECK(relative_difference(gradient(kGpu), gradient(kCpu)) <= 1e-6);
  }
}

TEST_CASE("attention in halves on a GPU whose inputs share memory has their gradients") {
  if (!has_gpu()) return;
  manual_seed(4);
  const Tensor fused = to(randn({2, 70, 3, 2, 64}), bfloat16), shifted = to(randn({2, 72, 2, 64}), bfloat16),
               g = to(randn({2, 2, 70, 64}), bfloat16);
  const auto gradient = [&](const Tensor& in, Device device, bool overlap) {
    const DType t = device == kCpu ? float32 : bfloat16;
    const Tensor x = to(to(in, t), device).requires_grad_();
    Tensors qkv;
    if (overlap)
      for (int64_t i = 0; i < 3; ++i) qkv.push_back(x.narrow(1, i, 70).transpose(1, 2));
    else
      for (const Tensor& part : x.unbind(2)) qkv.push_back(part.transpose(1, 2));
    const Tensor y = scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], {}, true);
    return to(to(grad({y}, {x}, {to(to(g, t), device)})[0], kCpu), float32);
  };
  for (const bool overlap : {false, true}) {
    const Tensor& in = overlap ? shifted : fused;
    const double d = relative_difference(gradient(in, kGpu, overlap), gradient(in, kCpu, overlap));
    CHECK_MESSAGE(d <= 0.01, d);
    CHECK(d > 1e-4);
  }
}

TEST_CASE("many tensors at once on a GPU are those one by one") {
  if (!has_gpu()) return;
  manual_seed(3);
  std::vector<Tensors> groups;
  const Tensors all = of_many_sizes();
  for (const Tensor& x : all) groups.push_back({x});
  const Tensors halves = to_all(groups, bfloat16);
  const Tensor together = to(norms(all), kCpu);
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK(equal(to(halves[i], kCpu), to(to(all[i], kCpu), bfloat16)));
    CHECK(together[int64_t(i)].item() == to(norm(all[i]), kCpu).item());
  }
  Tensors scaled;
  for (const Tensor& x : all) scaled.push_back(clone(x));
  const Tensor factor = to(full({}, 0.3f), kGpu);
  mul_all_(scaled, factor);
  for (size_t i = 0; i < all.size(); ++i) CHECK(equal(to(scaled[i], kCpu), to(all[i] * factor, kCpu)));
}

TEST_CASE("lists of tensors that are converted together have their gradients") {
  if (!has_gpu()) return;
  const Tensor a = to(randn({30, 4}), kGpu).requires_grad_(), b = to(randn({5}), kGpu).requires_grad_();
  const Tensor c = to(randn({6, 4}), kGpu).requires_grad_();
  const Tensors halves = to_all({{a, c}, {b}}, float16);
  CHECK(halves[0].dtype() == float16);
  CHECK(equal(to(halves[0], kCpu), to(cat({to(a.detach(), kCpu), to(c.detach(), kCpu)}, 0), float16)));
  const Tensors g = grad({sum(halves[0] * halves[0]), sum(halves[1] * 3.0)}, {a, b, c});
  CHECK(equal(to(g[2], kCpu), to(to(to(c.detach(), kCpu), float16) * 2.0, float32)));
  CHECK(equal(to(g[0], kCpu), to(to(to(a.detach(), kCpu), float16) * 2.0, float32)));
  CHECK(equal(to(g[1], kCpu), full({5}, 3.0f)));
}

// The work of a GPU in launches, bytes and products, for single ops and for a step of training.
#include "engine/autocast.h"
#include "engine/core/gpu.h"
#include "engine/gpus.h"
#include "gpu.h"
#include "nn/gpt.h"
#include "nn/optim.h"

using namespace glassgrad;
using namespace testing;

namespace {

template <class F>
gpu::WorkCounts work_of(const F& f) {
  const gpu::WorkCounts before = gpu::work_done();
  f();
  const gpu::WorkCounts after = gpu::work_done();
  return {after.launches - before.launches, after.bytes - before.bytes, after.products - before.products,
          after.unaligned_products - before.unaligned_products};
}

Tensor on_gpu(const Dims& shape) { return ones(shape, float32, kGpu); }

// A GPT with its optimizer and text, all on the GPU.
struct Training {
  nn::GPTConfig config;
  nn::GPT model;
  nn::optim::AdamW optimizer;
  Tensor text;

  static nn::GPTConfig sized(int64_t vocabulary) {
    nn::GPTConfig c;
    c.layers = 2, c.heads = 4, c.width = 64, c.context_length = 32, c.vocab_size = vocabulary, c.dropout = 0;
    return c;
  }
  explicit Training(int64_t vocabulary)
      : config(sized(vocabulary)),
        model(config),
        optimizer((model.to(kGpu), model.parameters()), 1e-3),
        text(to(randint(0, vocabulary, {4, config.context_length + 1}), kGpu)) {}
  void step() {
    optimizer.zero_grad();
    const Tensor inputs = text.narrow(1, 0, config.context_length).contiguous();
    const Tensor targets = text.narrow(1, 1, config.context_length).contiguous();
    softmax_cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).backward();
    nn::optim::clip_grad_norm_(model.parameters(), 1);
    optimizer.step();
  }
};

}  // namespace

TEST_CASE("an op on a GPU counts its launch and the bytes of its operands") {
  if (!has_gpu()) return;
  const NoGrad no_grad;
  const Tensor x = on_gpu({30, 10}), row = on_gpu({10});
  gpu::WorkCounts w = work_of([&] { x + row; });
  CHECK(w.launches == 1);
  CHECK(w.bytes == 4 * (300 + 300 + 10));
  CHECK(work_of([&] { x * 2.0; }).bytes == 4 * 600);
  // The memory of an expanded row counts once.
  CHECK(work_of([&] { row.expand({30, 10}).contiguous(); }).bytes == 4 * (300 + 10));
  w = work_of([&] { softmax(x, -1); });
  CHECK(w.launches == 1);
  CHECK(w.bytes == 4 * 600);
  w = work_of([&] { x.to_vector<float>(); });
  CHECK(w.launches == 1);
  CHECK(w.bytes == 4 * 300);
  CHECK(work_of([&] { ones({3}) + 1.0; }).bytes == 0);  // on the CPU
}

TEST_CASE("a product on a GPU counts as aligned or not") {
  if (!has_gpu()) return;
  const NoGrad no_grad;
  const Tensor a = on_gpu({16, 24}), b = on_gpu({24, 8}), odd = on_gpu({24, 9});
  gpu::WorkCounts w = work_of([&] { addmm(on_gpu({8}), a, b); });
  CHECK(w.products == 1);
  CHECK(w.unaligned_products == 0);
  w = work_of([&] { mm(a, b); });
  CHECK(w.launches == 1);
  CHECK(w.bytes == 4 * (16 * 24 + 24 * 8 + 16 * 8));
  w = work_of([&] { mm(a, odd); });
  CHECK(w.products == 1);
  CHECK(w.unaligned_products == 1);
  CHECK(work_of([&] { mm(a.narrow(1, 1, 20), b.narrow(0, 0, 20)); }).unaligned_products == 1);  // from byte 4
  CHECK(work_of([&] { mm(to(a, float64), to(odd, float64)); }).unaligned_products == 0);
}

TEST_CASE("attention on a GPU counts each operand once") {
  if (!has_gpu()) return;
  const NoGrad no_grad;
  const Tensor x = to(on_gpu({1, 2, 64, 64}), bfloat16);
  const gpu::WorkCounts w = work_of([&] { scaled_dot_product_attention(x, x, x); });
  CHECK(w.bytes == 2 * 4 * x.numel() + 4 * 2 * 128);  // and two float32 for each of 128 queries
}

TEST_CASE("a replayed graph counts as what it holds") {
  if (!has_gpu()) return;
  const NoGrad no_grad;
  const Tensor x = on_gpu({100});
  Captured graph(kGpu);
  const gpu::WorkCounts captured = work_of([&] { graph.capture([&] { exp(x * 2.0); }); });
  CHECK(captured.launches == 2);
  CHECK(captured.bytes == 4 * 400);
  const gpu::WorkCounts replayed = work_of([&] { graph.replay(), graph.replay(); });
  CHECK(replayed.launches == 4);
  CHECK(replayed.bytes == 2 * captured.bytes);
}

TEST_CASE("a step of a small GPT on a GPU stays within its launches and bytes") {
  if (!has_gpu()) return;
  Training even(72), odd(65);
  for (Training* t : {&even, &odd}) t->step(), t->step();
  const gpu::WorkCounts w = work_of([&] { even.step(); });
  MESSAGE(w.launches << " launches, " << w.bytes / 1024 << " KiB, " << w.products << " products");
  CHECK(w.launches <= 160);
  CHECK(w.bytes <= 14 << 20);
  CHECK(w.unaligned_products == 0);  // all widths are multiples of 8
  {
    const Autocast half(bfloat16, DeviceType::CUDA);
    const gpu::WorkCounts in_halves = work_of([&] { even.step(); });
    MESSAGE("in bfloat16: " << in_halves.launches << " launches, " << in_halves.bytes / 1024 << " KiB, "
                            << in_halves.products << " products");
    CHECK(in_halves.launches <= 170);
    CHECK(in_halves.bytes <= 10 << 20);
    CHECK(in_halves.unaligned_products == 0);
  }
  CHECK(work_of([&] { odd.step(); }).unaligned_products == 3);  // 65 logits and both their gradients
}

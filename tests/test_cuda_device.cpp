// Moves tensors to a GPU and back, in models, optimizers and files. Skipped without a GPU, real or emulated.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "engine/autograd.h"
#include "engine/cuda/runtime.h"
#include "engine/glass/snapshot.h"
#include "engine/glass/why.h"
#include "engine/gpus.h"
#include "engine/io/npy.h"
#include "engine/io/safetensors.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "gpu.h"
#include "nn/gpt.h"
#include "nn/optim.h"
#include "nn/sampling.h"
#include "scratch_file.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

Tensor on_gpu(const Tensor& x) { return to(x, kGpu); }

// Compares tensors of any device.
bool same_values(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() && numbers(a) == numbers(b);
}

std::string bytes_of(const ScratchFile& file) {
  std::ifstream stream(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

nn::GPTConfig tiny() {
  return {.vocab_size = 11, .context_length = 6, .width = 8, .layers = 2, .heads = 2, .dropout = 0};
}

}  // namespace

TEST_CASE("a device that is not there says why") {
  const int there = gpu_count();
  const Device missing{DeviceType::CUDA, int8_t(there)};
  CHECK_FALSE(why_unavailable(missing).empty());
  CHECK_THROWS_AS(DefaultDevice{missing}, Error);
  CHECK_THROWS_AS(to(ones({2}), missing), Error);
  CHECK(default_device == kCpu);
  CHECK(why_unavailable(kCpu).empty());
  synchronize(kCpu);
}

TEST_CASE("a build knows which GPUs its kernels run on") {
  const std::string usual = "80-real 90a-real 90-virtual";
  for (const int capability : {80, 86, 89, 90, 100, 120}) CHECK(cuda::has_kernels_for(usual, capability));
  for (const int capability : {61, 70, 75}) CHECK_FALSE(cuda::has_kernels_for(usual, capability));
  CHECK(cuda::has_kernels_for("90a-real", 90));
  CHECK_FALSE(cuda::has_kernels_for("90a-real", 100));
  CHECK_FALSE(cuda::has_kernels_for("86-real", 80));
  CHECK(cuda::has_kernels_for("75", 89));
  CHECK(cuda::has_kernels_for("native", 75));
}

TEST_CASE("the default device is where new tensors are made") {
  if (!has_gpu()) return;
  {
    const DefaultDevice here(kGpu);
    for (const Tensor& x :
         {zeros({2, 3}), arange(5), randn({4}), from_values(std::vector<int64_t>{1, 2}, {2}), full({2}, 3.5),
          eye(3), randperm(6)})
      CHECK(x.device() == kGpu);
    CHECK(Tensor(2.5).device() == kCpu);  // a number can be used on every device
  }
  CHECK(zeros({2}).device() == kCpu);
  CHECK(zeros_like(on_gpu(ones({2}))).device() == kGpu);
  CHECK(repr(on_gpu(ones({2}))) == "tensor([1., 1.], device='cuda:0')");
}

TEST_CASE("values go to a GPU and back in every layout") {
  if (!has_gpu()) return;
  const Tensor x = randn({3, 4, 5});
  for (const Tensor& view :
       {x, x.transpose(0, 2), x.slice(1, 1, 4, 2), x[1], x.select(2, 3), x.slice(0, 0, 0)}) {
    const Tensor there = on_gpu(view);
    CHECK(there.device() == kGpu);
    CHECK(there.shape() == view.shape());
    CHECK(same_values(there, view));
    CHECK(same_values(to(there, kCpu), view));
    if (view.numel() > 0) {
      const Dims last = index_of(view.shape(), view.numel() - 1);
      CHECK(element(there, last).real == element(view, last).real);
    }
  }
}

TEST_CASE("operands on two devices are refused") {
  if (!has_gpu()) return;
  const Tensor a = ones({2}), b = on_gpu(a);
  CHECK_THROWS_WITH(
      a + b,
      "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!");
  CHECK(same_values(b * 2 + 1, full({2}, 3.0)));
}

TEST_CASE("a module moves with its parameters gradients and buffers") {
  if (!has_gpu()) return;
  nn::GPT model(tiny());
  const std::vector<NamedTensor> before = model.state_dict();
  const Tensor first = model.parameters()[0];
  first.set_grad(ones(first.shape()));
  const std::string text = model.repr();
  model.to(kGpu);
  for (const NamedTensor& p : model.named_parameters()) CHECK_MESSAGE(p.tensor.device() == kGpu, p.name);
  for (const NamedTensor& b : model.named_buffers()) CHECK_MESSAGE(b.tensor.device() == kGpu, b.name);
  CHECK(first.ref() == model.parameters()[0].ref());  // tensors that are held elsewhere move too
  CHECK(first.grad().device() == kGpu);
  CHECK(model.out_head.weight.ref() == model.tok_emb.weight.ref());
  CHECK(model.repr() == text);
  const std::vector<NamedTensor> moved = model.state_dict();
  for (size_t i = 0; i < before.size(); ++i) CHECK(same_values(moved[i].tensor, before[i].tensor));
  CHECK_THROWS_AS(model.to(Device{DeviceType::CUDA, int8_t(gpu_count())}), Error);
  model.to(kCpu);
  CHECK(first.device() == kCpu);
}

TEST_CASE("a leaf that has moved gets its gradient where it lies") {
  if (!has_gpu()) return;
  const Tensor x = ones({3}).requires_grad_();
  (x * 2).backward(ones({3}));
  const Tensor old = x * 3;  // a graph from before the move
  x.set_grad({});
  set_data(x, on_gpu(x.detach()));
  CHECK_THROWS_AS(old.backward(ones({3})), Error);
  CHECK_FALSE(x.grad());
  const Tensor y = x * 4;
  y.backward(ones_like(y));
  CHECK(x.grad().device() == kGpu);
  CHECK(same_values(x.grad(), full({3}, 4.0)));
}

TEST_CASE("weights and the state of an optimizer are loaded to where they belong") {
  if (!has_gpu()) return;
  nn::GPT cpu(tiny()), gpu(tiny());
  gpu.to(kGpu);
  gpu.load_state_dict(cpu.state_dict());
  for (size_t i = 0; i < cpu.parameters().size(); ++i)
    CHECK(same_values(gpu.parameters()[i], cpu.parameters()[i]));
  nn::optim::AdamW on_cpu(cpu.parameters(), 1e-3), there(gpu.parameters(), 1e-3);
  for (const Tensor& p : cpu.parameters()) p.set_grad(ones(p.shape()));
  on_cpu.step();
  there.load_state_dict(on_cpu.state_dict());
  const auto state = there.state_dict(), expected = on_cpu.state_dict();
  REQUIRE(state.size() == expected.size());
  for (size_t i = 0; i < state.size(); ++i) {
    CHECK(state[i].tensor.device() == (state[i].tensor.dim() > 0 ? kGpu : kCpu));
    CHECK(same_values(state[i].tensor, expected[i].tensor));
  }
}

TEST_CASE("tensors on a GPU are written as they are on the CPU") {
  if (!has_gpu()) return;
  const Tensor x = randn({4, 6}), y = arange(5), z = x.slice(1, 0, 6, 2).t();
  const ScratchFile here, there, npy;
  save_safetensors(here.path(), {{"x", x}, {"y", y}, {"z", z}});
  save_safetensors(there.path(),
                   {{"x", on_gpu(x)}, {"y", on_gpu(y)}, {"z", on_gpu(x).slice(1, 0, 6, 2).t()}});
  CHECK(bytes_of(here) == bytes_of(there));
  save_npy(on_gpu(x).t(), npy.path());
  const DefaultDevice elsewhere(kGpu);
  CHECK(load_npy(npy.path()).device() == kCpu);
  CHECK(same_values(load_npy(npy.path()), x.t()));
}

TEST_CASE("snapshots of a GPU are read on the CPU") {
  if (!has_gpu()) return;
  Snapshots snapshots;
  const Tensor x = on_gpu(ones({2, 2}));
  const Snapshot before = snapshots.take(x.t());
  snapshots.before_write(x);
  fill_(x, 5.0);
  const Snapshot after = snapshots.take(x);
  CHECK(before.tensor().device() == kCpu);
  CHECK(same_values(before.tensor(), ones({2, 2})));
  CHECK(same_values(after.tensor(), full({2, 2}, 5.0)));
  CHECK(after.tensor_there().device() == kGpu);
  CHECK(same_values(after.tensor_there(), full({2, 2}, 5.0)));
}

TEST_CASE("more memory than a GPU has is refused with numbers") {
  if (!has_gpu()) return;
  const int64_t used = gpu_memory_use(0).used, numbers = gpu_memory(0) / int64_t(sizeof(float)) + 1;
  try {
    empty({numbers}, float32, kGpu);
    FAIL_CHECK("it was given");
  } catch (const Error& e) {
    const std::string text = e.what();
    for (const char* part :
         {"CUDA out of memory. Tried to allocate ", "GPU 0 has a total capacity of ", "is free"})
      CHECK_MESSAGE(text.find(part) != text.npos, text);
  }
  CHECK(gpu_memory_use(0).used == used);
  CHECK(same_values(on_gpu(ones({3})) + 1, full({3}, 2.0)));  // and the GPU still works
}

TEST_CASE("memory that tensors give back is counted") {
  if (!has_gpu()) return;
  forget_most_used(0);
  const int64_t before = gpu_memory_use(0).used;
  { const Tensor x = empty({1 << 20}, float32, kGpu); }
  CHECK(gpu_memory_use(0).used == before);
  CHECK(gpu_memory_use(0).most_used >= before + (1 << 22));
  synchronize(kGpu);
}

TEST_CASE("a model foretells on a GPU what it foretells on the CPU") {
  if (!has_gpu()) return;
  manual_seed(3);
  nn::GPT model(tiny());
  model.eval();
  const auto foretold = [&](Device device) {
    nn::KvCache cache;
    std::vector<int64_t> tokens;
    Tensor next = to(from_values(std::vector<int64_t>{1, 2}, {1, 2}), device);
    for (int i = 0; i < 9; ++i) {  // beyond the context
      tokens.push_back(nn::sample(model.step(next, cache), {.temperature = 0}));
      next = to(from_values(std::vector<int64_t>{tokens.back()}, {1, 1}), device);
    }
    return tokens;
  };
  const std::vector<int64_t> cpu = foretold(kCpu);
  model.to(kGpu);
  CHECK(foretold(kGpu) == cpu);
}

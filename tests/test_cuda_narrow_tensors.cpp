// Compares narrow tensors on a GPU with those on the CPU: made, written to, printed, saved and trained.
// Skipped without a GPU, real or emulated.
#include <fstream>
#include <iterator>

#include "engine/autocast.h"
#include "engine/autograd.h"
#include "engine/glass/why.h"
#include "engine/gpus.h"
#include "engine/io/npy.h"
#include "engine/io/safetensors.h"
#include "engine/ops.h"
#include "engine/ops/promote.h"
#include "engine/print.h"
#include "gpu.h"
#include "nn/functional.h"
#include "nn/gpt.h"
#include "nn/optim.h"
#include "scratch_file.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

constexpr DType kNarrow[] = {uint8, int8, int16, int32, float16, bfloat16};

Tensor on_gpu(const Tensor& x) { return to(x, kGpu); }

bool same_values(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() && numbers(a) == numbers(b);
}

// make() must return the same tensor with the GPU as default device as with the CPU.
template <class F>
void check_made(DType t, F make) {
  const Tensor cpu = make();
  const DefaultDevice here(kGpu);
  const Tensor gpu = make();
  CHECK(gpu.device() == kGpu);
  CHECK(gpu.dtype() == t);
  CHECK(gpu.strides() == cpu.strides());
  CHECK(same_values(gpu, cpu));
}

// f(x, y) writes to x; both devices must end with the same x.
template <class F>
void check_written(DType t, F f) {
  const auto written = [&](Device device) {
    const Tensor x = to(to(arange(12).view({3, 4}), t), device), y = to(to(arange(4) + 1, t), device);
    const uint32_t before = x.version();
    f(x, y);
    CHECK(x.version() > before);
    return x;
  };
  const Tensor gpu = written(kGpu);
  CHECK(gpu.device() == kGpu);
  CHECK(same_values(gpu, written(kCpu)));
}

std::string bytes_of(const ScratchFile& file) {
  std::ifstream stream(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("narrow tensors are made on a GPU") {
  if (!has_gpu()) return;
  for (const DType t : kNarrow) {
    INFO(std::string(dtype_name(t)));
    check_made(t, [&] { return zeros({2, 3}, t); });
    check_made(t, [&] { return ones({}, t); });
    check_made(t, [&] { return full({5}, 7.0, t); });
    check_made(t, [&] { return eye(3, 4, t); });
    check_made(t, [&] { return arange(1.0, 9.0, 2.0, t); });
    check_made(t, [&] { return linspace(0, 100, 7, t); });
    check_made(t, [&] { return from_values(std::vector<double>{1, 2, 3, 4}, {2, 2}, t); });
    check_made(t, [&] { return tensor({{1, 2}, {3, 100}}, t); });
    check_made(t, [&] { return ones_like(zeros({3, 2}, t).t()); });
    check_made(t, [&] { return full_like(zeros({3, 2}, float32), 3.0, t); });
    if (!is_floating(t)) continue;
    const auto drawn = [&](auto draw) {
      check_made(t, [&] {
        Generator g(5);
        return draw(g);
      });
    };
    drawn([&](Generator& g) { return rand({3, 4}, t, g); });
    drawn([&](Generator& g) { return randn({40}, t, g); });
  }
}

TEST_CASE("narrow tensors go to a GPU and back in every layout") {
  if (!has_gpu()) return;
  for (const DType t : kNarrow) {
    const Tensor x = to(arange(60).view({3, 4, 5}), t);
    for (const Tensor& view : {x, x.transpose(0, 2), x.slice(1, 1, 4, 2), x[1], x.select(2, 3),
                               x.slice(0, 0, 0), x[1][2].expand({3, 5})}) {
      const Tensor there = on_gpu(view);
      CHECK(there.device() == kGpu);
      CHECK(same_values(there, view));
      CHECK(same_values(to(there, kCpu), view));
      for (const DType other : {boolean, int64, float32, bfloat16, int8})
        CHECK(same_values(to(there, other), to(view, other)));
    }
    const Tensor there = on_gpu(x);
    CHECK(there[2][3][4].item() == 59);
    CHECK(element(there, {1, 1, 1}).dtype == t);
    CHECK(there.to_vector<int64_t>() == x.to_vector<int64_t>());
    CHECK(same_values(index(there, {on_gpu(tensor({2, 0, 2}))}), index(x, {tensor({2, 0, 2})})));
    CHECK(same_values(masked_select(there, there > 30), masked_select(x, x > 30)));
    CHECK(repr(there) == repr(x).substr(0, repr(x).size() - 1 - std::string(", dtype=").size() -
                                               std::string(dtype_name(t)).size()) +
                             ", device='cuda:0', dtype=" + dtype_name(t) + ")");
  }
}

TEST_CASE("narrow tensors on a GPU are written to in place") {
  if (!has_gpu()) return;
  for (const DType t : kNarrow) {
    INFO(std::string(dtype_name(t)));
    using T = const Tensor&;
    check_written(t, [](T x, T y) { add_(x, y); });
    check_written(t, [](T x, T y) { mul_(x.t(), y.slice(0, 0, 3)); });
    check_written(t, [](T x, T y) { sub_(x, to(y, int64)); });
    check_written(t, [](T x, T) { fill_(x.slice(1, 0, 4, 2), 3.0); });
    check_written(t, [](T x, T y) { copy_(x, to(y, float32)); });
    check_written(t, [](T x, T y) { copy_(x, to(y, kCpu)); });
    check_written(t, [](T x, T) { masked_fill_(x, x > 5, 9.0); });
    check_written(t, [](T x, T) { clamp_(x, 2.0, 8.0); });
    check_written(t, [](T x, T y) { index_put_(x, {to(tensor({0, 2, 0}), x.device())}, y, false); });
    check_written(t, [](T x, T y) { index_put_(x, {tensor({0, 2, 0})}, y, true); });
    check_written(t, [](T x, T) { zero_(x.select(0, 1)); });
    const Tensor x = on_gpu(zeros({2}, t));
    CHECK(
        error_of([&] { add_(x, ones({2}, t)); }) ==
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
        "cpu!");
    if (!is_floating(t))
      CHECK(error_of([&] { add_(x, on_gpu(ones({2}))); }) ==
            error_of([&] { add_(zeros({2}, t), ones({2})); }));
  }
}

TEST_CASE("dtypes are promoted on a GPU as on the CPU") {
  if (!has_gpu()) return;
  for (const DType a : kAllDTypes)
    for (const DType b : kAllDTypes) {
      const Tensor x = to(arange(3), a), y = to(arange(3) + 1, b), one = to(tensor(1), b);
      CHECK(same_values(on_gpu(x) * on_gpu(y), x * y));
      CHECK(same_values(on_gpu(x) + on_gpu(one), x + one));
      CHECK(same_values(on_gpu(x) + one, x + one));
      CHECK(same_values(where(on_gpu(x) > 0, on_gpu(x), on_gpu(y)), where(x > 0, x, y)));
    }
}

TEST_CASE("narrow tensors on a GPU are filed as they are on the CPU") {
  if (!has_gpu()) return;
  std::vector<NamedTensor> cpu, gpu;
  for (const DType t : kNarrow) {
    const Tensor x = to(arange(24).view({4, 6}), t);
    cpu.push_back({dtype_name(t), x.slice(1, 0, 6, 2)});
    gpu.push_back({dtype_name(t), on_gpu(x).slice(1, 0, 6, 2)});
    const ScratchFile npy;
    if (t == bfloat16) continue;
    save_npy(on_gpu(x).t(), npy.path());
    CHECK(same_values(load_npy(npy.path()), x.t()));
  }
  const ScratchFile here, there;
  save_safetensors(here.path(), cpu);
  save_safetensors(there.path(), gpu);
  CHECK(bytes_of(here) == bytes_of(there));
}

// ---- models
namespace {

nn::GPTConfig tiny() {
  return {.vocab_size = 11, .context_length = 6, .width = 8, .layers = 2, .heads = 2, .dropout = 0};
}

// The losses and the last weights of some steps, with all parameters in this dtype.
template <class Optimizer, class... A>
std::pair<Numbers, Numbers> trained(DType t, Device device, A... settings) {
  manual_seed(1);
  nn::GPT model(tiny());
  for (const Tensor& p : model.parameters()) set_data(p, to(p.detach(), t));
  model.to(device);
  const Tensor ids = to(randint(0, 11, {3, 6}), device), targets = to(randint(0, 11, {3, 6}), device);
  Optimizer optimizer(model.parameters(), settings...);
  Numbers losses, weights;
  for (int step = 0; step < 3; ++step) {
    const Tensor loss = nn::functional::cross_entropy(model(ids).view({-1, 11}), targets.view({-1}));
    CHECK(loss.dtype() == t);
    losses.push_back(loss.item());
    optimizer.zero_grad();
    loss.backward();
    for (const Tensor& p : model.parameters()) CHECK(p.grad().dtype() == t);
    optimizer.step();
  }
  for (const Tensor& p : model.parameters())
    for (const double v : numbers(p)) weights.push_back(v);
  return {losses, weights};
}

double distance(const Numbers& a, const Numbers& b) {
  double d = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) d += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
  return std::sqrt(d / size);
}

// Sums in a different order occasionally round a number to its neighbour.
template <class Optimizer, class... A>
void check_training(DType t, A... settings) {
  const auto [losses, weights] = trained<Optimizer>(t, kCpu, settings...);
  const auto [losses_there, weights_there] = trained<Optimizer>(t, kGpu, settings...);
  CHECK(distance(losses_there, losses) <= epsilon(t));
  CHECK(distance(weights_there, weights) <= epsilon(t) / 8);
}

}  // namespace

TEST_CASE("a model of halves is trained on a GPU as on the CPU") {
  if (!has_gpu()) return;
  for (const DType t : {float16, bfloat16}) {
    check_training<nn::optim::SGD>(t, 0.1);
    check_training<nn::optim::SGD>(t, 0.1, 0.9, 0.1, 0.01);
  }
  check_training<nn::optim::AdamW>(bfloat16, 1e-3);
  // In float16 eps becomes 0, as in PyTorch: where a gradient is 0, the step divides by 0.
  CHECK(std::isnan(trained<nn::optim::AdamW>(float16, kCpu, 1e-3).first.back()));
  CHECK(std::isnan(trained<nn::optim::AdamW>(float16, kGpu, 1e-3).first.back()));
}

TEST_CASE("autocast on a GPU lowers products there and leaves the CPU alone") {
  if (!has_gpu()) return;
  const Tensor x = randn({4, 4}), there = on_gpu(x), wide = on_gpu(to(x, float64));
  for (const DType t : {float16, bfloat16}) {
    const Autocast lower(t, DeviceType::CUDA);
    const Tensor y = matmul(there, there);
    CHECK(y.dtype() == t);
    CHECK(same_values(y, matmul(to(x, t), to(x, t))));
    CHECK(linear(there, there, there[0]).dtype() == t);
    CHECK(matmul(x, x).dtype() == float32);
    CHECK(matmul(wide, wide).dtype() == float64);
    CHECK((there + there).dtype() == float32);
    Tensor p = on_gpu(x).requires_grad_();
    sum(matmul(there, p)).backward();
    CHECK(p.grad().dtype() == float32);
  }
  const Autocast cpu(bfloat16);
  CHECK(matmul(there, there).dtype() == float32);
  CHECK(matmul(x, x).dtype() == bfloat16);
}

TEST_CASE("captured work on halves reads its inputs anew") {
  if (!has_gpu()) return;
  const Tensor x = on_gpu(to(randn({4, 8}), bfloat16)),
               w = on_gpu(to(randn({8, 3}), bfloat16)).requires_grad_();
  const auto gradient = [&] {
    const Tensor y = log_softmax(gelu(matmul(x, w)), -1);
    return grad({sum(y * y)}, {w}).at(0);
  };
  Tensor g;
  Captured graph(kGpu);
  graph.capture([&] { g = gradient(); });
  for (int i = 0; i < 2; ++i) {
    copy_(x, randn({4, 8}));
    graph.replay();
    CHECK(same_values(g, gradient()));
  }
}

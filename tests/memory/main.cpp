// Runs out of memory: repeats a step of training and refuses a different allocation each time. Then measures
// the memory of a thousand steps. Built with GG_POOL=0, so that the engine's blocks come directly from
// operator new, which this program replaces.
#include <fmt/format.h>

#include <new>

#include "engine/core/threads.h"
#include "engine/ops.h"
#include "nn/functional.h"
#include "nn/gpt.h"
#include "nn/optim.h"
#include "tests/memory/allocations.h"

using testing::allocations;

namespace glassgrad {
namespace {

int failures = 0;
void expect(bool holds, const char* what, int64_t when) {
  if (holds) return;
  ++failures;
  fmt::print(stderr, "FAILED: {} (allocation {})\n", what, when);
}

// A small GPT with all parts: embeddings, attention, dropout, norms, tied weights, AdamW.
class Training {
 public:
  Training()
      : model_((manual_seed(3),
                nn::GPTConfig{.vocab_size = 11, .context_length = 4, .width = 8, .layers = 2, .heads = 2})),
        optimizer_(model_.parameters(), 0.01),
        tokens_(from_values(std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}, {2, 4})),
        targets_(from_values(std::vector<int64_t>{2, 3, 4, 5, 6, 7, 8, 9}, {8})) {
    for (const Tensor& p : model_.parameters()) beginning_.push_back(clone(p.detach()));
    step();  // the moments exist from now on
    reset();
  }

  double step() {
    optimizer_.zero_grad();
    const Tensor loss = nn::functional::cross_entropy(model_(tokens_).flatten(0, 1), targets_);
    loss.backward();
    nn::optim::clip_grad_norm_(model_.parameters(), 1);
    optimizer_.step();
    return loss.item();
  }

  // Restores the initial weights and the moments of the first step: a failed step may have changed only some.
  void reset() {
    optimizer_.zero_grad();
    size_t i = 0;
    for (const Tensor& p : model_.parameters()) copy_(p.data(), beginning_[i++]);
    if (moments_.empty())
      for (const nn::NamedTensor& t : optimizer_.state_dict()) moments_.push_back({t.name, clone(t.tensor)});
    optimizer_.load_state_dict(moments_);
    manual_seed(3);
  }

  std::vector<double> numbers() const {
    std::vector<double> all;
    for (const Tensor& p : model_.parameters())
      for (const double x : p.to_vector<double>()) all.push_back(x);
    return all;
  }

 private:
  nn::GPT model_;
  nn::optim::AdamW optimizer_;
  Tensor tokens_, targets_;
  std::vector<Tensor> beginning_;
  std::vector<nn::NamedTensor> moments_;
};

// Repeats the work, each time with the next allocation refused, until there are no more. reset() undoes what
// the failed work has changed; check(n) checks the next complete run of the work.
template <class Work, class Reset, class Check>
int64_t refuse_each(Work work, Reset reset, Check check) {
  reset();
  const int64_t storages = Storage::alive(), held = allocations.blocks;
  for (int64_t n = 0; failures < 20; ++n) {
    bool refused = false;
    allocations.refuse_at = n;
    try {
      work();
    } catch (const std::bad_alloc&) {
      refused = true;
    } catch (const std::exception& e) {
      expect(false, e.what(), n);
    }
    const bool done = allocations.refuse_at >= 0;  // the work has fewer allocations than refuse_at
    allocations.refuse_at = -1;
    if (done) return n;
    reset();
    expect(refused, "a refused allocation is a bad_alloc", n);
    expect(Storage::alive() == storages, "no storage is left behind", n);
    expect(allocations.blocks == held, "no memory is left behind", n);
    expect(grad_mode && !watching && !in_backward_of, "the modes of the thread are as before", n);
    check(n);
    reset();
  }
  return 0;
}

int64_t refuse_in_training() {
  Training training;
  const double loss = training.step();
  const std::vector<double> expected = training.numbers();
  return refuse_each([&] { training.step(); }, [&] { training.reset(); },
                     [&](int64_t n) {
                       expect(training.step() == loss && training.numbers() == expected,
                              "the next step has the same bits", n);
                     });
}

// A hook starts a second backward pass through the graph of the running pass. If the hook's pass fails, the
// outer pass continues.
int64_t refuse_in_hooks() {
  const Tensor x = ones(2, float64).requires_grad_(), one = ones(2, float64);
  const Tensor y = x * x, z = sum(y * y * y);
  bool inside = false, failed_inside = false;
  y.register_hook([&](const Tensor&) {
    if (inside) return Tensor();
    inside = true;
    try {
      grad({y}, {x}, {one}, true);
    } catch (const std::bad_alloc&) {
      failed_inside = true;
    }
    inside = false;
    return Tensor();
  });
  const auto backward = [&](int64_t when) {
    z.backward({}, true);
    expect(x.grad().to_vector<double>() == std::vector<double>{6, 6}, "the right gradient", when);
  };
  const auto work = [&] {
    failed_inside = false;
    backward(-1);
    if (failed_inside) throw std::bad_alloc();
  };
  return refuse_each(
      work, [&] { x.set_grad({}); }, backward);
}

void many_steps() {
  constexpr int kSteps = 1000;
  Training training;
  for (int i = 0; i < 10; ++i) training.step();
  const int64_t held = allocations.blocks, size = allocations.bytes, before = allocations.made;
  for (int i = 10; i < kSteps; ++i) training.step();
  // The system may round the size of a block up differently each time.
  expect(allocations.blocks == held && allocations.bytes < size + size / 100,
         "a thousand steps hold what ten hold", allocations.made);
  fmt::print("memory: after {} steps {} bytes in {} blocks, after 10 {} in {}; {} allocations a step\n",
             kSteps, allocations.bytes, allocations.blocks, size, held,
             (allocations.made - before) / (kSteps - 10));
}

}  // namespace
}  // namespace glassgrad

int main() {
  using namespace glassgrad;
  set_threads(1);
  const int64_t before = Storage::alive();
  const int64_t refused = refuse_in_training() + refuse_in_hooks();
  fmt::print("memory: {} allocations of a training step refused, one after the other: {} failures\n", refused,
             failures);
  many_steps();
  expect(Storage::alive() == before, "no storage is left at the end", 0);
  return failures == 0 && refused > 500 ? 0 : 1;
}

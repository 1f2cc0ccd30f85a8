#include "apps/prove/bench/rows.h"

#include <fmt/core.h>

#include <memory>

#include "apps/prove/bench/memory.h"
#include "apps/prove/bench/own_process.h"
#include "apps/train/step_graph.h"
#include "engine/autocast.h"
#include "engine/gpus.h"
#include "engine/matmul_precision.h"
#include "engine/ops.h"
#include "nn/gpt.h"
#include "nn/optim.h"

namespace glassgrad::bench {
namespace {

// ---- products
BenchRow product_row(const std::string& name, const Product& p, DType dtype = float32) {
  const auto size = [](int64_t rows, int64_t cols, bool turned) {
    return fmt::format("{}×{}{}", rows, cols, turned ? "ᵀ" : "");
  };
  const std::string batch = p.batches > 1 ? fmt::format("{} times ", p.batches) : "";
  const auto make = [p, dtype]() -> Work {
    Generator g(1);
    const auto matrix = [&](int64_t rows, int64_t cols, bool turned) {
      const Tensor x = to(randn({p.batches, turned ? cols : rows, turned ? rows : cols}, float32, g), dtype);
      const Tensor y = turned ? x.transpose(1, 2) : x;
      return p.batches == 1 ? y[0] : y;
    };
    const Tensor a = matrix(p.m, p.k, p.a_turned), b = matrix(p.k, p.n, p.b_turned);
    return [a, b] { matmul(a, b); };
  };
  return {.name = name,
          .what = batch + size(p.m, p.k, p.a_turned) + " · " + size(p.k, p.n, p.b_turned) +
                  (dtype == float32 ? "" : ", of bfloat16"),
          .unit = "GFLOP/s",
          .amount = p.flops() / 1e9,
          .flops = dtype == float32 ? p.flops() : 0,
          .make = make,
          .product = dtype == float32 ? std::optional(p) : std::nullopt};
}

// Products one after the other, as in training, so that matrices come from an outer cache or from memory.
BenchRow products_in_turn_row(const char* name, const Product& p) {
  constexpr size_t kSets = 32;
  struct Sets {
    std::vector<Tensor> a, b, y = std::vector<Tensor>(kSets);
    size_t next = 0;
  };
  const auto make = [p]() -> Work {
    Generator g(1);
    const auto sets = std::make_shared<Sets>();
    for (size_t i = 0; i < kSets; ++i) {
      sets->a.push_back(randn({p.m, p.k}, float32, g));
      sets->b.push_back(randn({p.n, p.k}, float32, g).t());
    }
    return [sets] {
      const size_t i = sets->next++ % kSets;
      sets->y[i] = mm(sets->a[i], sets->b[i]);
    };
  };
  return {.name = name,
          .what = fmt::format("{}×{} · {}×{}ᵀ, {} of them in turn", p.m, p.k, p.k, p.n, kSets),
          .unit = "GFLOP/s",
          .amount = p.flops() / 1e9,
          .flops = p.flops(),
          .make = make};
}

BenchRow softmax_row() {
  const auto make = []() -> Work {
    Generator g(1);
    const Tensor x = randn({1024, 1024}, float32, g);
    return [x] { softmax(x, -1); };
  };
  return {
      .name = "softmax", .what = "1024×1024, rows", .unit = "µs", .amount = 1e-6, .flops = 0, .make = make};
}

// ---- an attention block: projections, attention of all heads, projection
Work attention_block(bool backward) {
  manual_seed(1);
  nn::GPTConfig config;
  config.dropout = 0;
  const auto block = std::make_shared<nn::CachedAttention>(config);
  const Tensor x = randn({2, 1024, 768});
  return [=] {
    const Tensor y = (*block)(x);
    if (!backward) return;
    for (const Tensor& p : block->parameters()) p.set_grad({});
    sum(y).backward();
  };
}

std::string attention_text(bool backward) {
  return fmt::format("(2, 1024, 768), 12 heads, causal: forward{}", backward ? " and backward" : "");
}

BenchRow attention_row(const char* name, bool backward) {
  const double projections = 4 * 2.0 * 2048 * 768 * 768, products = 2 * 2 * 2.0 * 1024 * 1024 * 768 / 2;
  const double again = 7.0 / 4 * projections + 5.0 / 2 * products;  // x has no gradient; recomputes scores
  return {.name = name,
          .what = attention_text(backward),
          .unit = "ms",
          .amount = 1e-3,
          .flops = projections + products + (backward ? again : 0),
          .make = [backward] { return attention_block(backward); }};
}

// ---- memory: a call's peak, minus the memory before the call
BenchRow memory_row(const std::string& name, const std::string& what, const std::function<Work()>& make) {
  return {.name = name,
          .what = "memory at the peak, over the inputs: " + what,
          .unit = "MB",
          .amount = 1e6,
          .flops = 0,
          .make = {},
          .bytes = [make] { return peak_bytes(make); },
          .one_thread = true};
}

// ---- time and memory of attention by length
constexpr int64_t kHeads = 2, kHeadWidth = 64;

Work long_attention(int64_t length, DType dtype = float32) {
  manual_seed(1);
  const auto operand = [&] {
    return to(randn({1, kHeads, length, kHeadWidth}), dtype).detach().requires_grad_();
  };
  const Tensor q = operand(), k = operand(), v = operand();
  return [=] {
    for (const Tensor* x : {&q, &k, &v}) x->set_grad({});
    sum(scaled_dot_product_attention(q, k, v, {}, true)).backward();
  };
}

void add_long_attention_rows(std::vector<BenchRow>& all) {
  for (const int64_t thousands : {1, 2, 4, 8, 16}) {
    const int64_t length = thousands * 1024;
    const std::string name = fmt::format("sdpa.{}k", thousands);
    const std::string what = fmt::format(
        "attention of {} heads of {}, {} tokens, causal: forward and backward", kHeads, kHeadWidth, length);
    const double product = 2.0 * double(length) * double(length) * kHeads * kHeadWidth / 2;
    const auto make = [length] { return long_attention(length); };
    all.push_back(
        {.name = name, .what = what, .unit = "ms", .amount = 1e-3, .flops = 7 * product, .make = make});
    all.push_back(memory_row(name + ".memory", what, make));
    if (default_device == kCpu || thousands == 2 || thousands == 8) continue;
    all.push_back({.name = name + ".bf16",
                   .what = what + ", of bfloat16",
                   .unit = "ms",
                   .amount = 1e-3,
                   .flops = 0,
                   .make = [length] { return long_attention(length, bfloat16); }});
  }
}

// ---- training: a step of AdamW with clipped gradients on random tokens, the same step as in `train`
BenchRow training_row(const char* name, const nn::GPTConfig& config, int64_t batch, int steps_before = 0) {
  const int64_t tokens = batch * config.context_length;
  const auto make = [config, batch, steps_before]() -> Work {
    manual_seed(1);
    const auto model = std::make_shared<nn::GPT>(config);
    const std::vector<Tensor> parameters = model->parameters();
    const auto optimizer = std::make_shared<nn::optim::AdamW>(parameters, 1e-3);
    const Tensor text = randint(0, config.vocab_size, {batch, config.context_length + 1});
    const Batch texts{text.narrow(1, 0, config.context_length).contiguous(),
                      text.narrow(1, 1, config.context_length).contiguous()};
    // The logits are not kept in a variable, so their gradient can reuse the buffer.
    const auto loss = [=](const Batch& b) {
      return softmax_cross_entropy((*model)(b.inputs).flatten(0, 1), b.targets.flatten());
    };
    const auto gradients = [=](const Batch& b) {
      optimizer->zero_grad();
      loss(b).backward();
      return nn::optim::clip_grad_norm_(parameters, 1);
    };
    const auto graph = std::make_shared<train::StepGraph>(parameters, nullptr);
    const Work step = [=] {
      graph->run(texts, gradients);
      optimizer->step();
    };
    for (int i = 0; i < steps_before; ++i) step();
    return step;
  };
  const std::string after = steps_before ? fmt::format(", after {} steps", steps_before) : "";
  return {.name = name,
          .what = fmt::format("{} layers, width {}, context {}, batch {}{}", config.layers, config.width,
                              config.context_length, batch, after),
          .unit = "tokens/s",
          .amount = double(tokens),
          .flops = config.training_flops_per_token() * double(tokens),
          .make = make};
}

// Returns the row with --matmul tf32 or bf16, and with the precision in its name. It has no share of the
// peak, which is measured in float32.
BenchRow in_precision(BenchRow row, MatmulPrecision precision) {
  const char* const word = precision == MatmulPrecision::fp32   ? "fp32"
                           : precision == MatmulPrecision::tf32 ? "tf32"
                                                                : "bf16";
  row.name += fmt::format(".{}", word);
  row.what += fmt::format(", --matmul {}", word);
  if (precision != MatmulPrecision::fp32) row.flops = 0;
  row.make = [make = row.make, precision]() -> Work {
    return [work = make(), precision] {
      struct Restore {
        MatmulPrecision before = matmul_precision();
        ~Restore() { set_matmul_precision(before, default_device); }
      } restore;
      const DeviceType type = default_device.type;
      const bool in_halves = precision == MatmulPrecision::bf16 && type == DeviceType::CUDA;
      set_matmul_precision(in_halves ? MatmulPrecision::fp32 : precision, default_device);
      const Autocast half(in_halves ? bfloat16 : autocast_dtype(type), type);
      work();
    };
  };
  return row;
}

nn::GPTConfig config_of(int64_t layers, int64_t heads, int64_t width, int64_t context, int64_t vocabulary) {
  nn::GPTConfig config;
  config.layers = layers, config.heads = heads, config.width = width;
  config.context_length = context, config.vocab_size = vocabulary, config.dropout = 0;
  return config;
}

// ---- typical work of a GPU: products of bfloat16, and training at a common size
void add_gpu_rows(std::vector<BenchRow>& all) {
  all.push_back(product_row("mm.2048.bf16", {2048, 2048, 2048}, bfloat16));
  all.push_back(product_row("linear.2304.bf16", {2048, 768, 2304, false, true}, bfloat16));
  all.push_back(product_row("linear.2304.dx.bf16", {2048, 2304, 768}, bfloat16));
  all.push_back(product_row("linear.2304.dw.bf16", {2304, 2048, 768, true, false}, bfloat16));
  const nn::GPTConfig config = config_of(12, 12, 768, 1024, 50257);
  constexpr int64_t kBatch = 16;
  if (nn::training_memory(config, kBatch).total() > 0.9 * double(gpu_memory(default_device.index))) return;
  for (const MatmulPrecision p : {MatmulPrecision::bf16, MatmulPrecision::tf32, MatmulPrecision::fp32})
    all.push_back(in_precision(training_row("train.124m.1k", config, kBatch), p));
}

// ---- the overhead of an op: x·w, + w, ⊙ w over and over
BenchRow chain_row() {
  constexpr int kOps = 1002;
  const auto make = []() -> Work {
    manual_seed(1);
    const Tensor x = (randn({6, 6}) * 0.1).detach().requires_grad_(), w = (randn({6, 6}) * 0.1).detach();
    w.requires_grad_();
    return [=] {
      Tensor y = x;
      for (int i = 0; i < kOps / 3; ++i) y = mul(add(mm(y, w), w), w);
      sum(y).backward();
      x.set_grad({}), w.set_grad({});
    };
  };
  return {.name = "chain",
          .what = "per op: 1002 of mm, add, mul on 6×6, forward and backward",
          .unit = "µs",
          .amount = 1e-6 * kOps,
          .flops = 0,
          .make = make,
          .one_thread = true};
}

// ---- the whole program
std::vector<std::string> lesson_words() {
  return {"learn", "journey", "--outputs", "--device", to_string(default_device)};
}

BenchRow lesson_row() {
  return {.name = "journey",
          .what = "the program's start and a whole lesson: learn journey --outputs",
          .unit = "ms",
          .amount = 1e-3,
          .flops = 0,
          .make = []() -> Work { return [words = lesson_words()] { run_program(words); }; },
          .one_thread = true};
}
BenchRow lesson_memory_row() {
  return {.name = "journey.memory",
          .what = "the most memory of that process",
          .unit = "MB",
          .amount = 1e6,
          .flops = 0,
          .make = {},
          .bytes = [] { return peak_bytes_of_program(lesson_words()); },
          .one_thread = true};
}

std::vector<BenchRow> all_rows() {
  std::vector<BenchRow> all;
  for (const int64_t n : {64, 256, 512, 1024, 2048})
    all.push_back(product_row(fmt::format("mm.{}", n), {n, n, n}));
  all.push_back(product_row("mm.512.nt", {512, 512, 512, false, true}));
  all.push_back(product_row("mm.512.tn", {512, 512, 512, true, false}));
  all.push_back(product_row("linear.768", {1024, 768, 768, false, true}));
  all.push_back(product_row("linear.2304", {2048, 768, 2304, false, true}));
  all.push_back(product_row("linear.2304.dx", {2048, 2304, 768}));
  all.push_back(product_row("linear.2304.dw", {2304, 2048, 768, true, false}));
  all.push_back(product_row("linear.50257", {256, 768, 50257, false, true}));
  all.push_back(product_row("linear.small", {768, 128, 384, false, true}));
  all.push_back(products_in_turn_row("linear.in-turn", {768, 128, 128}));
  all.push_back(product_row("qk", {1024, 64, 1024, false, true, 24}));
  all.push_back(product_row("pv", {1024, 1024, 64, false, false, 24}));
  all.push_back(product_row("qk.small", {64, 32, 64, false, true, 48}));
  all.push_back(softmax_row());
  all.push_back(attention_row("attention", false));
  all.push_back(attention_row("attention.backward", true));
  all.push_back(memory_row("attention.memory", attention_text(true), [] { return attention_block(true); }));
  add_long_attention_rows(all);
  all.push_back(training_row("train.128", config_of(4, 4, 128, 64, 65), 12));
  all.push_back(training_row("train.384", config_of(6, 6, 384, 256, 65), 8));
  all.push_back(training_row("train.124m", config_of(12, 12, 768, 64, 50257), 4));
  if (default_device != kCpu || has_bf16_matmul())
    for (const size_t fp32 : {all.size() - 2, all.size() - 1})
      all.push_back(in_precision(all[fp32], MatmulPrecision::bf16));
  if (default_device != kCpu) add_gpu_rows(all);
  const nn::GPTConfig small = config_of(2, 4, 64, 32, 65);
  all.push_back(training_row("train.64", small, 16));
  all.push_back(training_row("train.64.later", small, 16, 1000));
  all.push_back(chain_row());
  all.push_back(lesson_row());
  all.push_back(lesson_memory_row());
  return all;
}

}  // namespace

double BenchRow::rate(double measured) const {
  return std::string_view(unit).ends_with("/s") ? amount / measured : measured / amount;
}

const std::vector<BenchRow>& rows() {
  static const std::vector<BenchRow> all = all_rows();
  return all;
}

}  // namespace glassgrad::bench

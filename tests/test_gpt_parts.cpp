// GPTs with parts that are not GPT-2's: their cost, their gradients, generation with the cache.
#include "engine/core/default_float64.h"
#include "gpt_model.h"
#include "gradcheck.h"
#include "nn/optim.h"
#include "support.h"
#include "thorough.h"

using namespace glassgrad;
using nn::KvCache, nn::Mlp, nn::Norm, nn::Positions;
using testing::close, testing::contains, testing::parameter_count, testing::error_of,
    testing::config_variants, testing::Model, testing::numbers, testing::row, testing::saved_bytes,
    testing::logits_without_cache;
using testing::GPT, testing::GPTConfig;

namespace {

constexpr GPTConfig kSmall{
    .vocab_size = 31, .context_length = 24, .width = 32, .layers = 2, .heads = 4, .dropout = 0};

// For messages.
std::string names_of_parts(const GPTConfig& c) {
  return fmt::format("norm {}, positions {}, mlp {}, kv_heads {}, window {}",
                     names_of(c.norm)[size_t(c.norm)], names_of(c.positions)[size_t(c.positions)],
                     names_of(c.mlp)[size_t(c.mlp)], c.kv_heads, c.window);
}

std::string names(const std::vector<nn::NamedTensor>& tensors) {
  std::string all;
  for (const nn::NamedTensor& t : tensors) all += t.name + " ";
  return all;
}

}  // namespace

TEST_CASE("the parts have names") {
  CHECK(nn::part_called<Norm>("rms") == Norm::Rms);
  CHECK(nn::part_called<Positions>("sinusoid") == Positions::Sinusoid);
  CHECK(nn::part_called<Mlp>("swiglu") == Mlp::SwiGlu);
  CHECK_FALSE(nn::part_called<Mlp>("silu").has_value());
  CHECK(kSmall.is_gpt2());
  for (const GPTConfig& config : config_variants(kSmall)) CHECK_FALSE(config.is_gpt2());
}

TEST_CASE("parameters of each kind are what its configuration says") {
  for (GPTConfig config : config_variants(kSmall))
    for (const bool option : {false, true}) {
      config.bias = option;
      config.tie_weights = !option;
      CHECK(config.parameters() == parameter_count(GPT(config)));
    }
}

TEST_CASE("names of a GPT of the parts of Llama") {
  const GPT model(config_variants(kSmall).back());
  const auto block = [](int i) {
    std::string all;
    for (const char* name : {"att.W_query.weight", "att.W_key.weight", "att.W_value.weight",
                             "att.out_proj.weight", "att.out_proj.bias", "ff.gate.weight", "ff.up.weight",
                             "ff.down.weight", "norm1.weight", "norm2.weight"})
      all += fmt::format("trf_blocks.{}.{} ", i, name);
    return all;
  };
  CHECK(names(model.named_parameters()) == "tok_emb.weight " + block(0) + block(1) + "final_norm.weight ");
  CHECK(model.trf_blocks[0].att.W_key.weight.shape() == Dims{8, 32});
  CHECK(model.trf_blocks[0].ff.gate->weight.shape() == Dims{88, 32});  // 8/3 of 32 is 85.3
  CHECK(contains(model.repr(), "(norm1): RMSNorm((32,), eps=1e-05, elementwise_affine=True)"));
  const GPT waves(config_variants(kSmall)[2]);
  CHECK_FALSE(contains(names(waves.state_dict()), "pos_emb"));
}

TEST_CASE("a down projection begins as small as that of GELU") {
  GPTConfig config = config_variants(GPTConfig::preset("small", 300))[3];
  config.layers = 8;
  manual_seed(1);
  const GPT model(config);
  const nn::FeedForward& ff = model.trf_blocks[5].ff;
  CHECK(std::abs(glassgrad::std(ff.down->weight).item() - 0.02 / 4) < 0.02 / 80);
  CHECK(std::abs(glassgrad::std(ff.up->weight).item() - 0.02) < 0.02 / 20);
}

TEST_CASE("planned memory of each kind is what the graph holds") {
  for (const GPTConfig& config : config_variants(GPTConfig::preset("small", 65))) {
    constexpr int64_t kBatch = 3;
    const GPT model(config);
    const Dims shape{kBatch, config.context_length};
    const Tensor loss =
        softmax_cross_entropy(model(zeros(shape, int64)).flatten(0, 1), zeros(shape, int64).flatten());
    const auto memory = training_memory(config, kBatch);
    const double held = saved_bytes(loss, model);
    CHECK_MESSAGE(std::abs(memory.activations / held - 1) <= 0.02, names_of_parts(config), ": ",
                  memory.activations, " ", held);
  }
}

TEST_CASE("flops of a token") {
  const GPTConfig c{.vocab_size = 10,
                    .context_length = 5,
                    .width = 4,
                    .layers = 3,
                    .heads = 2,
                    .mlp = Mlp::SwiGlu,
                    .kv_heads = 1,
                    .window = 2};
  CHECK(c.training_flops_per_token() == 6 * (3 * (2 * 16 + 2 * 8 + 3 * 4 * 16) + 40) + 12 * 3 * 4 * 2);
}

TEST_CASE("steps of training of each kind end with the same bits whether they are watched or not") {
  for (const GPTConfig& config : config_variants(kSmall)) {
    const auto trained = [&](Observer* observer) {
      const Watch watch(observer);
      manual_seed(1);
      const GPT model(config);
      nn::optim::AdamW optimizer(model.parameters(), 1e-3);
      for (int step = 0; step < 20; ++step) {
        const Tensor tokens = randint(0, config.vocab_size, {2, config.context_length});
        optimizer.zero_grad();
        softmax_cross_entropy(model(tokens).flatten(0, 1), (tokens + 1).flatten() % config.vocab_size)
            .backward();
        optimizer.step();
      }
      std::vector<testing::Numbers> weights;
      for (const Tensor& p : model.parameters()) weights.push_back(numbers(p));
      return weights;
    };
    Observer steps;
    const auto weights = trained(nullptr);
    CHECK(weights == trained(&steps));
    CHECK(std::isfinite(weights[0][0]));
  }
}

TEST_CASE("gradients of each kind are those of differences") {
  const DefaultFloat64 doubles;
  const GPTConfig plain{
      .vocab_size = 7, .context_length = 6, .width = 8, .layers = 2, .heads = 2, .dropout = 0};
  std::vector<GPTConfig> kinds = config_variants(plain);
  kinds.push_back(plain);
  for (const GPTConfig& config : kinds) {
    manual_seed(3);
    const GPT model(config);
    for (const Tensor& p : model.parameters()) {
      const NoGrad no_grad;
      copy_(p, p.dim() == 2 ? p * 20 : p + randn(p.shape()) / 4);
    }
    const Tensor tokens = tensor({{1, 4, 2, 2, 6, 0}, {5, 3, 1, 0, 4, 4}}, int64);
    Generator g(11);
    const std::vector<Tensor> parameters = model.parameters();
    const Tensor logits = model(tokens);
    REQUIRE(logits.dtype() == float64);
    const Tensor cotangent = randn(logits.shape(), float64, g);
    const std::vector<Tensor> gradients = grad({logits}, parameters, {cotangent});
    const NoGrad no_grad;
    const auto slope = [&](double* cell) {
      const double at = *cell;
      const auto moved = [&](double by) {
        *cell = at + by;
        return testing::weighted_sum({model(tokens)}, {cotangent});
      };
      const double difference = moved(testing::kStep) - moved(-testing::kStep);
      *cell = at;
      return difference / (2 * testing::kStep);
    };
    double worst = 0;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const auto cells = testing::cells_of(parameters[i]);
      const auto analytic = gradients[i].to_vector<double>();
      for (size_t c = 0; c < cells.size(); c += kSanitized ? 10 : 1)
        worst = std::max(worst, std::abs(analytic[c] - slope(cells[c])) / (1 + std::abs(analytic[c])));
    }
    CHECK(worst < 1e-6);
  }
}

TEST_CASE("tokens of each kind with the cache are those without it") {
  constexpr int kTokens = kSanitized ? 60 : 200;  // more than twice the context
  std::vector<GPTConfig> kinds = config_variants(kSmall);
  CHECK(kinds.back().slides());
  CHECK(kinds.back().cache_rows() == 12);     // two windows
  for (const int64_t window : {1, 12, 13}) {  // with two layers, 13 reaches past the context
    GPTConfig& config = kinds.emplace_back(kinds[1]);
    config.window = window;
    CHECK(config.slides() == (window < 13));
  }
  for (const GPTConfig& config : kinds) {
    const Model model(config);
    KvCache cache;
    std::vector<int64_t> with{3, 1, 4}, without = with;
    Tensor logits = model.step(row(with), cache);
    double worst = 0;
    for (int i = 0; i < kTokens; ++i) {
      const Tensor expected = logits_without_cache(model, without);
      worst = std::max(worst, max(abs(logits - expected)).item());
      without.push_back(argmax(expected).item<int64_t>());
      with.push_back(argmax(logits).item<int64_t>());
      logits = model.step(row({with.back()}), cache);
    }
    CHECK(with == without);
    CHECK(worst <= 1e-4);
    CHECK(std::unordered_set<int64_t>(with.begin(), with.end()).size() > 2);
    double bytes = 0;
    for (const nn::AttentionCache& layer : cache.layers)
      bytes += 4 * double(layer.keys.numel() + layer.values.numel());
    CHECK(config.cache_bytes() == bytes);
    CHECK(std::ssize(cache.tokens) <= config.cache_rows());
    CHECK(cache.first + std::ssize(cache.tokens) == (config.slides() ? 3 + kTokens : config.context_length));
  }
}

TEST_CASE("the cache of each kind takes tokens in pieces of any size") {
  for (const GPTConfig& config : config_variants(kSmall)) {
    const Model model(config);
    std::vector<int64_t> tokens;
    KvCache cache;
    for (const int64_t piece : {1, 5, 2, 16, 3, 24, 1, 40}) {  // past the context three times
      std::vector<int64_t> added;
      for (int64_t i = 0; i < piece; ++i)
        added.push_back((7 * std::ssize(tokens) + 5 * i) % config.vocab_size);
      tokens.insert(tokens.end(), added.begin(), added.end());
      const Tensor logits = model.step(row(added), cache);
      CHECK_MESSAGE(max(abs(logits - logits_without_cache(model, tokens))).item() <= 1e-4, piece);
    }
  }
}

TEST_CASE("a window hides what is older") {
  GPTConfig config = kSmall;
  config.layers = 1;
  config.window = 3;
  const Model model(config);
  const Tensor near = model(row({1, 2, 3, 4, 5, 6}))[0][-1], other = model(row({9, 8, 7, 4, 5, 6}))[0][-1];
  CHECK(numbers(near) == numbers(other));
  CHECK(numbers(near) != numbers(model(row({1, 2, 3, 9, 5, 6}))[0][-1]));
}

TEST_CASE("rotary scores depend on distances alone") {
  const nn::RopeTables start = nn::rope_tables(0, 6, 8, float32),
                       later = nn::rope_tables(99'000, 6, 8, float32);
  const Tensor q = (manual_seed(2), randn({6, 8})), k = randn({6, 8});
  const auto scores = [&](const nn::RopeTables& by) {
    return matmul(apply_rope(q, by), apply_rope(k, by).T());
  };
  CHECK(max(abs(scores(later) - scores(start))).item() < 1e-5);
  CHECK(close(square(start.cos) + square(start.sin), testing::Numbers(48, 1), 1e-6));
  CHECK(numbers(apply_rope(q, start)[0]) == numbers(q[0]));  // position 0 turns by 0
}

TEST_CASE("errors of configurations of other parts") {
  const auto error = [](auto change) {
    GPTConfig config = kSmall;
    change(config);
    return error_of([&] { GPT model(config); });
  };
  CHECK(error([](GPTConfig& c) { c.kv_heads = 3; }) ==
        "ValueError: GPT: kv_heads must divide heads 4, so that each is read by equally many, but is 3");
  CHECK(contains(error([](GPTConfig& c) { c.kv_heads = -1; }), "but is -1"));
  CHECK(contains(error([](GPTConfig& c) { c.kv_heads = 8; }), "but is 8"));
  CHECK(error([](GPTConfig& c) { c.window = 25; }) ==
        "ValueError: GPT: window must be at most the context of 24, but is 25");
  CHECK(contains(error([](GPTConfig& c) { c.window = -1; }), "but is -1"));
  CHECK(error([](GPTConfig& c) { c.width = 12, c.positions = Positions::Rope; }) ==
        "ValueError: GPT: rope turns pairs of a head's numbers, but width 12 / heads 4 is 3");
  CHECK(error([](GPTConfig& c) { c.heads = 1, c.width = 5, c.positions = Positions::Sinusoid; }) ==
        "ValueError: GPT: sinusoid makes pairs of a row's numbers, but width is 5");
}

// GPT: its cost, generation with and without the cache, errors of sampling and of configurations.
#include "nn/gpt.h"

#include <unordered_set>

#include "gpt_model.h"
#include "nn/optim.h"
#include "nn/sampling.h"
#include "support.h"
#include "thorough.h"

using namespace glassgrad;
using nn::GPT, nn::GPTConfig, nn::KvCache, nn::Sampling, nn::next_token_probabilities, nn::sample;
using testing::error_of, testing::numbers, testing::close, testing::contains;
using testing::parameter_count, testing::saved_bytes, testing::Model, testing::row,
    testing::logits_without_cache;

namespace {

constexpr GPTConfig kSmall{.vocab_size = 31, .context_length = 24, .width = 32, .layers = 2, .heads = 4};

}  // namespace

TEST_CASE("parameters of GPT are what its configuration says") {
  CHECK(GPTConfig::preset("gpt2-124m", 50257).parameters() == 124439808);
  GPTConfig untied = GPTConfig::preset("gpt2-124m", 50257);
  untied.tie_weights = false;
  untied.bias = false;
  CHECK(untied.parameters() == 124439808 + 50257 * 768 - 12 * 3 * 768);
  for (GPTConfig config : {kSmall, GPTConfig::preset("tiny", 40), GPTConfig::preset("small", 65)})
    for (const bool option : {false, true}) {
      config.bias = option;
      config.tie_weights = !option;
      CHECK(config.parameters() == parameter_count(GPT(config)));
    }
}

TEST_CASE("names of GPT") {
  const GPT model({.vocab_size = 5, .context_length = 4, .width = 8, .layers = 1, .heads = 2, .bias = false});
  const auto names = [](const std::vector<nn::NamedTensor>& tensors) {
    std::string all;
    for (const nn::NamedTensor& t : tensors) all += t.name + " ";
    return all;
  };
  const std::string block =
      "trf_blocks.0.att.W_query.weight trf_blocks.0.att.W_key.weight trf_blocks.0.att.W_value.weight "
      "trf_blocks.0.att.out_proj.weight trf_blocks.0.att.out_proj.bias trf_blocks.0.ff.layers.0.weight "
      "trf_blocks.0.ff.layers.0.bias trf_blocks.0.ff.layers.2.weight trf_blocks.0.ff.layers.2.bias "
      "trf_blocks.0.norm1.weight trf_blocks.0.norm1.bias trf_blocks.0.norm2.weight trf_blocks.0.norm2.bias ";
  CHECK(names(model.named_parameters()) ==
        "tok_emb.weight pos_emb.weight " + block + "final_norm.weight final_norm.bias ");
  const std::string state = names(model.state_dict());
  CHECK_FALSE(contains(state, "mask"));
  CHECK(contains(state, "out_head.weight "));
}

TEST_CASE("the wide layer has the same bits whether its steps are watched or not") {
  for (const bool tanh : {false, true}) {
    GPTConfig config = kSmall;
    config.tanh_gelu = tanh;
    const nn::FeedForward layers((manual_seed(6), config));
    const auto gradients = [&](Observer* observer) {
      const Watch watch(observer);
      Tensor x = (manual_seed(7), randn({3, 5, config.width}));
      x.requires_grad_();
      const Tensor y = layers(x);
      std::vector<Tensor> all = layers.parameters();
      all.push_back(x);
      all = grad({sum(square(y))}, all);
      all.push_back(y);
      std::vector<testing::Numbers> values;
      for (const Tensor& t : all) values.push_back(numbers(t));
      return values;
    };
    Observer steps;
    CHECK(gradients(&steps) == gradients(nullptr));
  }
}

// Runs every op of a training step, forward and backward, with and without an observer.
TEST_CASE("steps of training end with the same bits whether they are watched or not") {
  constexpr int kSteps = kSanitized ? 5 : 50;
  struct Size {
    int64_t width, heads, context, batch;
  };
  for (const Size s : {Size{64, 4, 32, 2}, Size{384, 6, 24, 1}}) {
    GPTConfig config{.vocab_size = 61, .context_length = s.context, .width = s.width, .layers = 2};
    config.heads = s.heads;
    config.dropout = 0;
    const auto trained = [&](Observer* observer) {
      const Watch watch(observer);
      manual_seed(1);
      const GPT model(config);
      nn::optim::AdamW optimizer(model.parameters(), 1e-3);
      for (int step = 0; step < kSteps; ++step) {
        const Tensor tokens = randint(0, config.vocab_size, {s.batch, s.context});
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

TEST_CASE("initial weights of GPT") {
  manual_seed(1);
  GPTConfig config = GPTConfig::preset("small", 300);
  config.layers = 8;
  const GPT model(config);
  for (const nn::NamedTensor& t : model.named_parameters()) {
    const Tensor& p = t.tensor;
    const bool residual = t.name.ends_with("out_proj.weight") || t.name.ends_with("layers.2.weight");
    const double expected = p.dim() == 1 ? 0 : residual ? 0.02 / 4 : 0.02;
    CHECK_MESSAGE(std::abs(glassgrad::std(p).item() - expected) <= 0.05 * expected, t.name);
    const bool norm_weight = contains(t.name, "norm") && t.name.ends_with("weight");
    if (p.dim() == 1) CHECK_MESSAGE(p[0].item() == norm_weight, t.name);
  }
}

TEST_CASE("planned memory is what the graph holds") {
  for (const double dropout : {0.0, 0.1}) {
    GPTConfig config = GPTConfig::preset("small", 65);
    config.dropout = dropout;
    constexpr int64_t kBatch = 3;
    const GPT model(config);
    const Dims shape{kBatch, config.context_length};
    const Tensor loss =
        softmax_cross_entropy(model(zeros(shape, int64)).flatten(0, 1), zeros(shape, int64).flatten());
    const auto memory = training_memory(config, kBatch);
    const double held = saved_bytes(loss, model);
    CHECK_MESSAGE(std::abs(memory.activations / held - 1) <= 0.02, memory.activations, " ", held);
    CHECK(memory.parameters == 4.0 * double(parameter_count(model)));
    CHECK(memory.total() > 4 * memory.parameters);
  }
}

TEST_CASE("flops of a token") {
  const GPTConfig c{.vocab_size = 10, .context_length = 5, .width = 4, .layers = 3, .heads = 1};
  CHECK(c.training_flops_per_token() == 6 * (3 * 12 * 16 + 40) + 12 * 3 * 4 * 5);
}

TEST_CASE("200 tokens with the cache are those without it") {
  const Model model(kSmall);
  KvCache cache;
  std::vector<int64_t> with{3, 1, 4}, without = with;
  Tensor logits = model.step(row(with), cache);
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    const Tensor expected = logits_without_cache(model, without);
    worst = std::max(worst, max(abs(logits - expected)).item());
    without.push_back(argmax(expected).item<int64_t>());
    with.push_back(argmax(logits).item<int64_t>());
    logits = model.step(row({with.back()}), cache);
  }
  CHECK(with == without);
  CHECK(worst <= 1e-5);
  CHECK(std::ssize(cache.tokens) == kSmall.context_length);
  CHECK_FALSE(logits.requires_grad());
  CHECK(std::unordered_set<int64_t>(with.begin(), with.end()).size() > 3);
}

TEST_CASE("the cache takes tokens in pieces of any size") {
  const Model model(kSmall);
  std::vector<int64_t> tokens;
  KvCache cache;
  for (const int64_t piece : {1, 5, 2, 16, 3, 24, 1, 40}) {  // past the context three times
    std::vector<int64_t> added;
    for (int64_t i = 0; i < piece; ++i) added.push_back((7 * std::ssize(tokens) + 5 * i) % kSmall.vocab_size);
    tokens.insert(tokens.end(), added.begin(), added.end());
    const Tensor logits = model.step(row(added), cache);
    CHECK_MESSAGE(max(abs(logits - logits_without_cache(model, tokens))).item() <= 1e-5, piece);
  }
}

TEST_CASE("a failed step leaves the cache usable") {
  const Model model(kSmall);
  KvCache cache;
  model.step(row({1, 2}), cache);
  CHECK(error_of([&] { model.step(row({99}), cache); }) == "IndexError: index out of range in self");
  CHECK(close(model.step(row({3}), cache), numbers(logits_without_cache(model, {1, 2, 3})), 1e-5));
}

TEST_CASE("errors of GPT") {
  const GPT model(kSmall);
  CHECK(
      error_of([&] {
        model(zeros({2, 25}, int64));
      }) ==
      "ValueError: GPT: 25 tokens are more than the context of 24; give the last 24, or train a model with a "
      "longer context_length");
  CHECK(error_of([&] { model(zeros(3, int64)); }) ==
        "ValueError: GPT: tokens must have the shape (b, T), but have [3]");
  CHECK(error_of([&] { model(row({31})); }) == "IndexError: index out of range in self");
  KvCache cache;
  CHECK(contains(error_of([&] {
                   model.step(zeros({2, 3}, int64), cache);
                 }),
                 "shape (1, t), but they have [2, 3]"));
  CHECK(contains(error_of([&] { model.step(zeros({1, 0}, int64), cache); }), "[1, 0]"));
  cache.layers.resize(5);
  CHECK(contains(error_of([&] { model.step(row({1}), cache); }), "a model of 5 layers, this one has 2"));
  CHECK(model(zeros({2, 24}, int64)).shape() == Dims{2, 24, 31});
}

TEST_CASE("errors of configurations") {
  const auto error = [](auto change) {
    GPTConfig config = kSmall;
    change(config);
    return error_of([&] { GPT model(config); });
  };
  CHECK(error([](GPTConfig& c) { c.heads = 5; }) ==
        "ValueError: GPT: every head gets the same share of width, but width 32 is not divisible by heads 5");
  CHECK(error([](GPTConfig& c) { c.layers = 0; }) ==
        "ValueError: GPT: layers must be between 1 and 1024, but is 0");
  CHECK(error([](GPTConfig& c) { c.vocab_size = INT64_MAX; }) ==
        "ValueError: GPT: vocab_size must be between 1 and 16777216, but is 9223372036854775807");
  CHECK(contains(error([](GPTConfig& c) { c.context_length = -1; }), "context_length must be"));
  CHECK(contains(error([](GPTConfig& c) { c.width = 0; }), "width must be"));
  CHECK(contains(error([](GPTConfig& c) { c.heads = 0; }), "heads must be"));
  for (const double p : {1.0, -0.1, double(NAN)})
    CHECK(contains(error([p](GPTConfig& c) { c.dropout = p; }), "dropout must be at least 0 and below 1"));
  CHECK(error_of([] { GPTConfig::preset("huge", 5); }) ==
        "ValueError: there is no preset 'huge'; there are tiny, small and gpt2-124m");
}

TEST_CASE("every value of a GPT has a name in the trace") {
  struct Names : Observer {
    std::vector<std::string> scopes;
    std::unordered_set<std::string> seen;
    void scope(const char* name, bool enter) override { enter ? scopes.push_back(name) : scopes.pop_back(); }
    void named(const Tensor&, const char* name) override {
      std::string path;
      for (const std::string& scope : scopes) path += scope + "/";
      seen.insert(path + name);
    }
  } names;
  const GPT model(kSmall);
  {
    const Watch watch(&names);
    model(zeros({1, 4}, int64));
  }
  for (const char* name :
       {"GPT/tok_embeds", "GPT/pos_embeds", "GPT/x", "GPT/logits", "GPT/trf_blocks.0/normed",
        "GPT/trf_blocks.1/att/attn_weights", "GPT/trf_blocks.1/att/W_query/weight",
        "GPT/trf_blocks.1/attended", "GPT/trf_blocks.1/ff/layers/x", "GPT/trf_blocks.1/fed",
        "GPT/trf_blocks.1/x", "GPT/normed"})
    CHECK_MESSAGE(names.seen.count(name), std::string(name));
}

// ---- sampling
TEST_CASE("greedy sampling takes the first of the likeliest and draws nothing") {
  manual_seed(1);
  const Tensor logits = tensor({1.0, 5.0, 5.0, -INFINITY});
  Generator g(3), untouched(3);
  CHECK(sample(logits, {.temperature = 0}, g) == 1);
  CHECK(g.r32() == untouched.r32());
  CHECK(numbers(next_token_probabilities(logits, {.temperature = 0})) == testing::Numbers{0, 1, 0, 0});
}

TEST_CASE("probabilities of sampling") {
  const Tensor logits = log(tensor({0.1, 0.4, 0.2, 0.3}));
  const auto p = [&](const Sampling& s) { return next_token_probabilities(logits, s); };
  CHECK(close(p({}), {0.1, 0.4, 0.2, 0.3}, 1e-6));
  CHECK(close(p({.top_k = 2}), {0, 4 / 7., 0, 3 / 7.}, 1e-6));
  CHECK(close(p({.top_k = 99}), {0.1, 0.4, 0.2, 0.3}, 1e-6));
  CHECK(close(p({.top_p = 0.65}), {0, 4 / 7., 0, 3 / 7.}, 1e-6));
  CHECK(close(p({.top_p = 0.75}), {0, 4 / 9., 2 / 9., 3 / 9.}, 1e-6));
  CHECK(close(p({.top_p = 1e-9}), {0, 1, 0, 0}, 1e-6));
  CHECK(close(p({.temperature = 0.5}), {1 / 30., 16 / 30., 4 / 30., 9 / 30.}, 1e-6));
  CHECK(close(p({.temperature = 1e-5}), {0, 1, 0, 0}, 1e-6));
  CHECK(close(p({.temperature = 1e6}), {0.25, 0.25, 0.25, 0.25}, 1e-5));
}

TEST_CASE("errors of sampling") {
  const auto error = [](const Tensor& logits, const Sampling& s) {
    return error_of([&] { sample(logits, s); });
  };
  const Tensor fine = tensor({1.0, 2.0});
  CHECK(error(fine, {.temperature = -1}) ==
        "ValueError: temperature must be between 0 (the likeliest token) and 1e6, but is -1.0");
  CHECK(contains(error(fine, {.temperature = NAN}), "but is nan"));
  CHECK(error(fine, {.top_k = -1}) == "ValueError: top_k must be 0 (all tokens) or more, but is -1");
  for (const double p : {0.0, 1.5, double(NAN)})
    CHECK(contains(error(fine, {.top_p = p}), "top_p must be above 0 and at most 1"));
  for (const double bad : {double(NAN), double(INFINITY)})
    for (const double temperature : {0.0, 1.0})
      CHECK(contains(error(tensor({1.0, bad}), {.temperature = temperature}), "the model is broken"));
  CHECK(contains(error(tensor({-INFINITY, -INFINITY}), {}), "all logits are -inf"));
  CHECK(contains(error(ones({2, 2}), {}), "a vector, but got shape [2, 2]"));
}

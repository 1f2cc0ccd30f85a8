// Training of a GPT, and sampling of tokens.
#include <cmath>

#include "golden.h"
#include "nn/functional.h"
#include "nn/gpt.h"
#include "nn/sampling.h"
#include "nn/schedule.h"

using namespace glassgrad;
using golden::print;

namespace {

constexpr int64_t kData = 400, kBatch = 4;

// Returns the part that a case names; GPT-2's if it names none.
template <class Part>
Part part_of(const golden::Json& args, const char* key) {
  return args.contains(key) ? nn::part_called<Part>(args[key].get<std::string>()).value() : Part();
}

nn::GPTConfig config_of(const golden::Json& args) {
  return {.vocab_size = args["vocab_size"],
          .context_length = args["context_length"],
          .width = args["width"],
          .layers = args["layers"],
          .heads = args["heads"],
          .dropout = args["dropout"],
          .bias = args["bias"],
          .tie_weights = args["tie_weights"],
          .tanh_gelu = args["tanh_gelu"],
          .norm = part_of<nn::Norm>(args, "norm"),
          .positions = part_of<nn::Positions>(args, "positions"),
          .mlp = part_of<nn::Mlp>(args, "mlp"),
          .kv_heads = args.value("kv_heads", 0),
          .window = args.value("window", 0)};
}

nn::optim::AdamW decaying_matrices(const nn::GPT& model) {
  nn::optim::ParamGroup decayed{{}, 1e-2, 0.1}, others{{}, 1e-2, 0};
  for (const auto& [name, p] : model.named_parameters())
    (p.dim() == 2 && name.find("emb") == name.npos ? decayed : others).params.push_back(p);
  return nn::optim::AdamW({decayed, others}, {0.9, 0.95});
}

Tensor rows(const Tensor& data, const std::vector<int64_t>& starts, int64_t shift, int64_t n) {
  std::vector<Tensor> all;
  for (const int64_t start : starts) all.push_back(data.narrow(0, start + shift, n));
  return stack(all);
}

}  // namespace

GOLDEN("gpt train") {
  nn::GPT model(config_of(args));
  print(model.config().parameters());
  const Tensor data = remainder(pow(remainder(arange(kData), 13), 2), model.config().vocab_size);
  nn::optim::AdamW optimizer = decaying_matrices(model);
  const nn::optim::WarmupCosine schedule{1e-2, 1e-3, 5, 18};
  const int64_t n = model.config().context_length;
  for (int64_t step = 0; step < args["steps"]; ++step) {
    const auto starts = randint(0, kData - n, {kBatch}).to_vector<int64_t>();
    const Tensor x = rows(data, starts, 0, n), y = rows(data, starts, 1, n);
    const double lr = schedule.at(step);
    set_lr(optimizer, lr);
    const Tensor loss = nn::functional::cross_entropy(model(x).flatten(0, 1), y.flatten());
    optimizer.zero_grad();
    loss.backward();
    const Tensor norm = nn::optim::clip_grad_norm_(model.parameters(), 1);
    optimizer.step();
    print(fmt::format("step {:2} lr {} loss {} norm {}", step, fixed(lr, 6), fixed(loss.item(), 4),
                      fixed(norm.item(), 4)));
  }
  model.eval();
  const NoGrad no_grad;
  print(model(data.unsqueeze(0).slice(1, {}, n - 2))[0][-1]);
}

GOLDEN("gpt gradients") {
  nn::GPT model(config_of(args));
  {
    const NoGrad no_grad;
    for (const Tensor& p : model.parameters()) mul_(p, p.dim() == 2 ? 5 : 1);
  }
  const int64_t n = model.config().context_length, vocabulary = model.config().vocab_size;
  const Tensor tokens = remainder(pow(arange(2 * n).view({2, n}), 2), vocabulary);
  const Tensor loss =
      nn::functional::cross_entropy(model(tokens).flatten(0, 1), remainder(tokens + 3, vocabulary).flatten());
  loss.backward();
  print(fmt::format("loss {}", fixed(loss.item(), 4)));
  for (const auto& [name, p] : model.named_parameters()) {
    const Tensor g = p.grad(), row = g.dim() == 2 ? g[0] : g;
    std::vector<double> shown = row.slice(0, {}, 6).to_vector<double>();
    shown.insert(shown.begin(), sqrt(sum(square(g))).item());
    std::string line = name;
    for (const double x : shown) line += " " + fixed(std::round(x * 1e4) / 1e4 + 0.0, 4);
    print(line);
  }
}

GOLDEN("gpt sample") {
  const Tensor logits = randn(args["vocab_size"].get<int64_t>()) * 3;
  const nn::Sampling sampling{args["temperature"], args["top_k"], args["top_p"]};
  print(next_token_probabilities(logits, sampling));
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < args["draws"]; ++i) tokens.push_back(sample(logits, sampling));
  print(golden::list(tokens));
}

TEST_CASE("golden GPT") { golden::check_group("gpt"); }

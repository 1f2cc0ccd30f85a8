#include "apps/inspect/model_run.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/learn/lesson.h"
#include "apps/learn/phrases.h"
#include "engine/autograd.h"
#include "nn/sampling.h"

namespace glassgrad::inspect {
namespace {

using learn::digits, learn::quoted, learn::Teller;

constexpr learn::Axes kAxes[] = {
    {"embeddings:tokens", "token"},
    {"tok_embeds pos_embeds x normed combined attended fed", "token width"},
    {"queries keys values context_vec", "token head_dim"},
    {"masked_scores", "query key"},
    {"hidden activated", "token hidden"},
    {"logits", "token vocabulary"},
    {"probabilities", "vocabulary"},
    {"change", "layer head"},
};

constexpr learn::Lesson kInspection = {.id = "inspect",
                                       .source = "",
                                       .understand = "",
                                       .minutes = 0,
                                       .parameters = {},
                                       .axes = kAxes,
                                       .tokens = {},
                                       .inputs = nullptr,
                                       .check = nullptr,
                                       .tell = nullptr};

Tensor probabilities_of(const Tensor& logits) {
  return nn::next_token_probabilities(logits[0].select(0, -1), {});
}

void embeddings(Teller& l, const Tensor& tokens) {
  l.step("embeddings", "", "A vector for each token, and one for its position");
  l.show("tokens", tokens);
  for (const char* name : {"tok_embeds", "pos_embeds", "x"}) l.show_next(name);
  l.skip_next("x");  // after the dropout, which does nothing in evaluation
}

// What a part of a block has named.
class LayerSteps {
 public:
  LayerSteps(Teller& l, int64_t layer)
      : l_(l), layer_(layer), block_(fmt::format("trf_blocks.{}.", layer)), att_(block_ + "att.") {}

  void attention() {
    step("projections", "queries, keys and values, parted into heads");
    next(block_, "normed");
    for (const char* name : {"queries", "keys", "values"}) {
      for (int move = 0; move < 2; ++move) l_.skip_next(att_ + name);  // until the heads stand in front
      next(att_, name);
    }
    step("scores", "each query times each key");
    next(att_, "attn_scores");
    step("masked-scores", "no token sees a later one");
    next(att_, "mask_bool");
    l_.show_next(att_ + "attn_scores", "masked_scores");
    step("scaled-scores", "divided by the root of head_dim");
    next(att_, "scaled_scores");
    step("weights", "attention weights");
    next(att_, "attn_weights");
    l_.skip_next(att_ + "attn_weights");  // after the dropout
    step("context", "what each head has read, side by side, mixed and added");
    next(att_, "context_vec");
    l_.skip_next(att_ + "context_vec");
    l_.show_next(att_ + "context_vec", "combined");
    l_.skip_next(att_ + "context_vec");
    next(block_, "attended");
    next(block_, "x");
  }

  void feed_forward() {
    const std::string layers = block_ + "ff.layers.";
    step("feed-forward", "each token by itself");
    next(block_, "normed");
    l_.show_next(layers + "x", "hidden");
    l_.show_next(layers + "x", "activated");
    l_.skip_next(layers + "x");
    next(block_, "fed");
    next(block_, "x");
    l_.skip_next("x");  // the same as the model names it
  }

 private:
  void step(const char* part, const char* title) {
    const std::string id = fmt::format("layer-{}-{}", layer_, part);
    l_.step(id.c_str(), "", fmt::format("Layer {}: {}", layer_, title));
  }
  void next(const std::string& scope, const char* name) { l_.show_next(scope + name, name); }

  Teller& l_;
  int64_t layer_;
  std::string block_, att_;
};

void last_steps(Teller& l, const Tokenizer& tokenizer, const Tensor& probabilities, size_t top) {
  l.step("final-norm", "", "The last norm");
  l.show_next("normed");
  l.step("logits", "", "A score for each token of the vocabulary");
  l.show_next("logits");
  const std::string likeliest = quoted(tokenizer.token_text(int64_t(top)));
  l.step(kNextToken, "", fmt::format("The likeliest next token: {}", likeliest));
  l.show(kProbabilities, probabilities);
}

// A head's context meets only its own columns of out_proj: where these are 0, it is as if the context were.
Tensor probabilities_without(const nn::GPT& model, const Tensor& tokens, Head h) {
  const int64_t head_dim = model.config().width / model.config().heads;
  const Tensor& weight = model.trf_blocks[size_t(h.layer)].att.out_proj.weight;
  const Tensor columns = weight.narrow(1, h.head * head_dim, head_dim), kept = clone(columns);
  zero_(columns);
  const Tensor probabilities = probabilities_of(model(tokens));
  copy_(columns, kept);
  return probabilities;
}

struct Zeroed {
  Head head;
  Tensor probabilities;
  Tensor
      change;  // (layers, heads), of the likeliest token's probability; undefined if one head was asked for
};

Zeroed zero_each(const nn::GPT& model, const Tensor& tokens, const Tensor& before) {
  const auto& config = model.config();
  Zeroed found;
  std::vector<Tensor> changes;
  double furthest = -1;
  for (int64_t layer = 0; layer < config.layers; ++layer)
    for (int64_t head = 0; head < config.heads; ++head) {
      const Tensor after = probabilities_without(model, tokens, {layer, head});
      const auto top = int64_t(learn::position_of_largest(before));
      changes.push_back(after[top] - before[top]);
      const double moved = std::abs(changes.back().item());
      if (moved <= furthest) continue;
      furthest = moved;
      found.head = {layer, head};
      found.probabilities = after;
    }
  found.change = stack(changes, 0).view({config.layers, config.heads});
  return found;
}

void zeroed_head(Teller& l, const Tokenizer& tokenizer, const Zeroed& zeroed, const Tensor& before) {
  const auto top = int64_t(learn::position_of_largest(before));
  const auto now = int64_t(learn::position_of_largest(zeroed.probabilities));
  const auto [layer, head] = zeroed.head;
  const std::string likeliest = quoted(tokenizer.token_text(top));
  l.step(kZeroedHead, "", fmt::format("Without head {} of layer {}", head, layer));
  if (zeroed.change) {
    l.show("change", zeroed.change);
    l.say("Each head's context vector was set to 0 in turn, before out_proj, and the model run again.");
    l.say("change says by how much that moves the probability of {}; no head moves it further than this one.",
          likeliest);
  } else {
    l.say("The head's context vector was set to 0, before out_proj, and the model run again.");
  }
  l.show(kProbabilities, zeroed.probabilities);
  l.say("The probability of {} is {} with the head and {} without it.", likeliest, digits(before[top]),
        digits(zeroed.probabilities[top]));
  if (now == top)
    l.say("It remains the likeliest token.");
  else
    l.say("Without it {} is the likeliest token, with {}.", quoted(tokenizer.token_text(now)),
          digits(zeroed.probabilities[now]));
  l.say(
      "Attention weights are not an explanation: they say where a head looked, not what the prediction owes to "
      "it.");
}

}  // namespace

std::string weights_step(int64_t layer) { return fmt::format("layer-{}-weights", layer); }

learn::Recording run_recorded(const nn::GPT& model, const Tokenizer& tokenizer,
                              const std::vector<int64_t>& tokens, std::optional<Head> zeroed,
                              learn::Keep keep) {
  const NoGrad no_grad;
  const Tensor x = from_values(tokens, {1, std::ssize(tokens)});
  std::vector<std::string> names;
  for (const int64_t token : tokens) names.push_back(tokenizer.token_text(token));

  const auto tell = [&](Teller& l) {
    for (const NamedTensor& weight : model.state_dict()) l.given(weight.name, weight.tensor);
    const Tensor probabilities = probabilities_of(l.call([&] { return model(x); }));
    for (const NamedTensor& weight : model.state_dict()) l.skip_next(weight.name);  // the checkpoint has them
    embeddings(l, x);
    for (int64_t layer = 0; layer < model.config().layers; ++layer) {
      LayerSteps steps(l, layer);
      steps.attention();
      steps.feed_forward();
    }
    last_steps(l, tokenizer, probabilities, learn::position_of_largest(probabilities));
    const Zeroed without = zeroed ? Zeroed{*zeroed, probabilities_without(model, x, *zeroed), {}}
                                  : zero_each(model, x, probabilities);
    zeroed_head(l, tokenizer, without, probabilities);
  };
  return learn::record(kInspection, names, tell, keep);
}

}  // namespace glassgrad::inspect

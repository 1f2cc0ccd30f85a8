#include "apps/model/model_run.h"

#include <fmt/core.h>

#include <cmath>

#include "apps/cli/arguments.h"
#include "apps/lesson/gpt_parts.h"
#include "apps/lesson/phrases.h"
#include "engine/autograd.h"
#include "engine/ops.h"

namespace glassgrad::inspect {
namespace {

using learn::digits, learn::in_quotes, learn::StepBuilder;

const learn::Lesson kInspection = {.id = "inspect",
                                   .source = "",
                                   .understand = "",
                                   .minutes = 0,
                                   .setting_specs = {},
                                   .axes = learn::kGptAxes,
                                   .tokens = {},
                                   .inputs = nullptr,
                                   .tell = nullptr};

void embeddings(StepBuilder& l, const nn::GPTConfig& model, const Tensor& tokens) {
  const bool turns = model.positions == nn::Positions::Rope;
  l.step("embeddings", "",
         turns ? "A vector for each token" : "A vector for each token, and one for its position");
  l.show("tokens", tokens);
  learn::show_embeddings(l, model);
}

void layer_steps(StepBuilder& l, const nn::GPTConfig& model, int64_t layer) {
  const auto step = [&](const char* part, const std::string& title) {
    const std::string id = fmt::format("layer-{}-{}", layer, part);
    l.step(id.c_str(), "", fmt::format("Layer {}: {}", layer, title));
  };
  learn::BlockParts block(l, model, layer);
  step("projections", "queries, keys and values, parted into heads");
  block.norm();
  block.heads();
  step("scores", "each query times each key");
  block.scores();
  step("masked-scores", model.window > 0
                            ? fmt::format("no token sees a later one, or one {} or more before", model.window)
                            : "no token sees a later one");
  block.masked_scores();
  step("scaled-scores", "divided by the root of head_dim");
  block.scaled_scores();
  step("weights", "attention weights");
  block.weights();
  step("context", "what each head has read, side by side, mixed and added");
  block.context();
  block.combined();
  block.attended();
  block.between();
  step("feed-forward", "each token by itself");
  block.norm();
  block.feed_forward();
  block.fed();
  block.out();
}

void last_steps(StepBuilder& l, const Tokenizer& tokenizer, const Tensor& probabilities) {
  l.step("final-norm", "", "The last norm");
  l.show_next("normed");
  l.step("logits", "", "A score for each token of the vocabulary");
  l.show_next("logits");
  const auto top = int64_t(learn::position_of_largest(probabilities));
  const std::string likeliest = in_quotes(tokenizer.token_text(top));
  l.step(kNextToken, "", fmt::format("The likeliest next token: {}", likeliest));
  l.show(kProbabilities, probabilities);
}

void loss_step(StepBuilder& l, const Tensor& logits, const Tensor& tokens) {
  if (tokens.size(1) < 2) return l.no_loss(learn::kNoNextToken);
  l.step("loss", "", "The mean loss of guessing each next token of the text");
  l.loss("loss", l.show("loss", learn::loss_on(logits, tokens)));
}

// Runs the model without a head. Keeps each block's input with all heads, so that only the blocks from the
// head's own on are run again.
class WithoutHeads {
 public:
  WithoutHeads(const nn::GPT& model, const Tensor& tokens) : model_(model) {
    Tensor x = model.embed(tokens);
    for (const auto& block : model.trf_blocks) {
      read_.push_back(x);
      x = (*block)(x);
    }
  }

  // The probabilities of the next token without head h. A head's context meets only its own columns of
  // out_proj: zeroing these columns has the same effect as zeroing the context.
  Tensor probabilities(Head h) const {
    const int64_t head_dim = model_.config().head_dim();
    const Tensor& weight = model_.trf_blocks[size_t(h.layer)].att.out_proj.weight;
    const Tensor columns = weight.narrow(1, h.head * head_dim, head_dim), kept = clone(columns);
    zero_(columns);
    Tensor x = read_[size_t(h.layer)];
    for (size_t i = size_t(h.layer); i < read_.size(); ++i) x = model_.trf_blocks[i](x);
    copy_(columns, kept);
    const Tensor last = (*model_.final_norm)(x.narrow(1, x.size(1) - 1, 1));  // (1, 1, width)
    return learn::next_token_of(model_.out_head(last));
  }

  // Multiplications and additions of probabilities(h).
  double flops(Head h) const {
    const auto& config = model_.config();
    const double whole = config.training_flops_per_token() / 3 * double(read_.front().size(1));
    return whole * double(config.layers - h.layer) / double(config.layers);
  }

 private:
  const nn::GPT& model_;
  std::vector<Tensor> read_;  // (1, T, width) each
};

struct Zeroed {
  Head head;
  Tensor probabilities;
  Tensor change;  // (layers, heads), for the likeliest token, nan if not tried; undefined for one chosen head
  int64_t tried = 0;
};

// Tries the heads of the last layers first: they are the quickest.
Zeroed zero_each(const nn::GPT& model, const WithoutHeads& without, const Tensor& before, double most_flops) {
  const auto& config = model.config();
  const auto top = int64_t(learn::position_of_largest(before));
  Zeroed found;
  found.change = full({config.layers, config.heads}, std::nan(""));
  double furthest = -1, flops = 0;
  for (int64_t layer = config.layers - 1; layer >= 0; --layer)
    for (int64_t head = 0; head < config.heads; ++head) {
      flops += without.flops({layer, head});
      if (found.tried > 0 && flops > most_flops) return found;
      const Tensor after = without.probabilities({layer, head});
      const double change = (after[top] - before[top]).item();
      fill_(found.change[layer][head], change);
      ++found.tried;
      if (std::abs(change) <= furthest) continue;
      furthest = std::abs(change);
      found.head = {layer, head};
      found.probabilities = after;
    }
  return found;
}

void zeroed_head(StepBuilder& l, const Tokenizer& tokenizer, const Zeroed& zeroed, const Tensor& before) {
  const auto top = int64_t(learn::position_of_largest(before));
  const auto now = int64_t(learn::position_of_largest(zeroed.probabilities));
  const auto [layer, head] = zeroed.head;
  const std::string likeliest = in_quotes(tokenizer.token_text(top));
  l.step(kZeroedHead, "", fmt::format("Without head {} of layer {}", head, layer));
  if (zeroed.change) {
    l.show("change", zeroed.change);
    const int64_t heads = zeroed.change.numel();
    const bool all = zeroed.tried == heads;
    if (!all)
      l.say(
          "{} of the {} heads were tried, those of the last layers first; the others are nan in change, and --zero all "
          "tries every one.",
          zeroed.tried, heads);
    l.say("{} context vector was set to 0 in turn, before out_proj, and the model run again.",
          all ? "Each head's" : "Each one's");
    l.say("change says by how much that moves the probability of {}; no {} moves it further than this one.",
          likeliest, all ? "head" : "tried one");
  } else {
    l.say("The head's context vector was set to 0, before out_proj, and the model run again.");
  }
  l.show(kProbabilities, zeroed.probabilities);
  l.say("The probability of {} is {} with the head and {} without it.", likeliest, digits(before[top]),
        digits(zeroed.probabilities[top]));
  if (now == top)
    l.say("It remains the likeliest token.");
  else
    l.say("Without it {} is the likeliest token, with {}.", in_quotes(tokenizer.token_text(now)),
          digits(zeroed.probabilities[now]));
  l.say(
      "Attention weights are not an explanation: they say where a head looked, not what the prediction owes to "
      "it.");
}

// The head to zero at the end of a run, or the budget for trying all.
struct Trial {
  std::optional<Head> zeroed;
  double most_flops;
};

void tell(StepBuilder& l, const learn::ModelRun& r, const Tokenizer& tokenizer, const Trial& trial) {
  const Tensor logits = l.call([&] { return r.model(r.ids); });
  const Tensor probabilities = learn::next_token_of(logits);
  learn::skip_weights(l, r.model);  // the checkpoint has them
  const nn::GPTConfig& config = r.model.config();
  embeddings(l, config, r.ids);
  for (int64_t layer = 0; layer < config.layers; ++layer) layer_steps(l, config, layer);
  last_steps(l, tokenizer, probabilities);
  loss_step(l, logits, r.ids);
  if (r.only_loss) return;
  const NoGrad no_grad;
  const WithoutHeads without(r.model, r.ids);
  const Zeroed zeroed = trial.zeroed ? Zeroed{*trial.zeroed, without.probabilities(*trial.zeroed), {}}
                                     : zero_each(r.model, without, probabilities, trial.most_flops);
  zeroed_head(l, tokenizer, zeroed, probabilities);
}

}  // namespace

std::string weights_step(int64_t layer) { return fmt::format("layer-{}-weights", layer); }

learn::Recording run_recorded(const nn::GPT& model, const Tokenizer& tokenizer,
                              const std::vector<int64_t>& tokens, std::optional<Head> zeroed,
                              double most_flops) {
  const NoGrad no_grad;
  learn::ModelRun model_run{model, from_values(tokens, {1, std::ssize(tokens)}), {}, false};
  for (const int64_t token : tokens) model_run.names.push_back(tokenizer.token_text(token));
  return learn::record(kInspection, model_run.names, [&](StepBuilder& l) {
    tell(l, model_run, tokenizer, {zeroed, most_flops});
  });
}

learn::Runner runner(const std::shared_ptr<const learn::TrainedModel>& model,
                     const std::vector<int64_t>& tokens) {
  return learn::runner(model, kInspection, tokens, [model](StepBuilder& l, const learn::ModelRun& model_run) {
    tell(l, model_run, model->tokenizer(), {{}, kMostFlops});
  });
}

std::vector<int64_t> tokens_of(const train::Checkpoint& checkpoint, const std::string& text) {
  check<UsageError>(!text.empty(), "--text is empty: a model reads one token at least");
  std::vector<int64_t> tokens = checkpoint.tokenizer->encode(text);
  const int64_t context = checkpoint.settings.model.context_length;
  check<UsageError>(std::ssize(tokens) <= context,
                    "--text has {} tokens, but the model sees {} at once: give a shorter text", tokens.size(),
                    context);
  return tokens;
}

}  // namespace glassgrad::inspect

// Sections 4 and 5 of a trained model: what it says comes next, and what it would have said before it was
// trained.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/lesson/gpt_parts.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/trained/climb_model.h"
#include "engine/autograd.h"
#include "engine/ops.h"

namespace glassgrad::learn::climb_parts {
namespace {

constexpr const char* kPrediction = "4.1";
constexpr const char* kLearned = "5.1";
constexpr int64_t kMostNames = 5;

std::string names_and(const Reading& r, const Tensor& ids, const Tensor& values) {
  std::vector<std::string> words;
  for (int64_t i = 0; i < ids.numel(); ++i)
    words.push_back(fmt::format("{} {}", r.token(ids[i].item<int64_t>()), digits(values[i])));
  return joined(words, ", ");
}

}  // namespace

Tensor prediction(Narrator& l, const Reading& r) {
  l.step("final-norm", kPrediction, "The last norm");
  l.code("normed = model.final_norm(x)");
  const Tensor normed = l.show_next("normed");
  l.say("What comes out of the {} is normalised once more, with a weight and a bias of its own.",
        r.config().layers > 1 ? "last block" : "block");

  l.step("logits", kPrediction, "A score for each token of the vocabulary");
  l.formula("logits = normed W^T", R"(\mathrm{logits} = \mathrm{normed}\, W^\top)");
  l.code("logits = model.out_head(normed)\nlast_logits = logits[0, -1]");
  l.show_next("logits");
  const Tensor last = l.show("last_logits", r.last_row(r.logits));
  const auto best = int64_t(position_of_largest(last));
  l.say("Each row scores which token comes after its own; what comes after the text stands in the last one.");
  if (r.config().tie_weights)
    l.say("W is the table of the embeddings: a score is the last row times a token's own vector, for {} {}.",
          r.token(best), digits(dot(r.last_row(normed), r.model.out_head.weight[best])));
  l.say("The highest score is {}, for {}; the {} scores have the mean {}.", digits(last[best]), r.token(best),
        last.numel(), digits(mean(last)));

  l.step("next-token", kPrediction, "What comes next?");
  l.formula("p = softmax(last_logits)", R"(p = \mathrm{softmax}(\mathrm{logits}_T))");
  l.code(
      "probabilities = torch.softmax(last_logits, dim=-1)\ntop_probabilities, top_ids = torch.topk(probabilities, k)");
  const Tensor p = l.show("probabilities", next_token_of(r.logits));
  const auto [values, ids] = topk(p, std::min(kMostNames, p.numel()));
  l.show("top_probabilities", values);
  l.show("top_ids", ids);
  l.say("After {} the model expects {}.", in_quotes(fmt::format("{}", fmt::join(r.names, ""))),
        names_and(r, ids, values));
  l.say("Together these have {}; the other {} share {}.", digits(sum(values)),
        counted(p.numel() - ids.numel(), "token"), digits(sum(p) - sum(values)));
  return p;
}

void loss(Narrator& l, const Reading& r) {
  const int64_t next = r.ids.size(1) - 1;
  if (next == 0) return l.no_loss(kNoNextToken);
  l.step("loss", kPrediction, "How well does the model guess the text itself?");
  l.formula("loss = mean of -ln p(next token)",
            R"(L = -\frac{1}{T-1} \sum_t \ln p(\mathrm{id}_{t+1} \mid \mathrm{id}_{\le t}))");
  l.code(
      "next_ids = ids[0, 1:]\nprobabilities = torch.softmax(logits[0, :-1], dim=-1)\n"
      "next_probabilities = probabilities.gather(1, next_ids.unsqueeze(1)).squeeze(1)\n"
      "loss = torch.nn.functional.cross_entropy(logits[0, :-1], next_ids)");
  const Tensor ids = r.ids[0].slice(0, 1, {});
  const Tensor p = l.show("next_probabilities",
                          gather(softmax(r.logits[0].slice(0, {}, -1), -1), 1, ids.unsqueeze(1)).squeeze(1));
  const Tensor loss = l.show("loss", loss_on(r.logits, r.ids));
  l.loss("loss", loss);
  if (next <= kMostNames) {
    l.say(
        "The model guessed every token but the first from the tokens before it. The probability of the right one was: {}.",
        names_and(r, ids, p));
  } else {
    const auto best = int64_t(position_of_largest(p)), worst = int64_t(position_of_largest(-p));
    l.say(
        "The model guessed every token but the first from the tokens before it: {} best, with probability {}, and {} "
        "worst, with {}.",
        r.token(ids[best].item<int64_t>()), digits(p[best]), r.token(ids[worst].item<int64_t>()),
        digits(p[worst]));
  }
  l.say(
      "-ln of {} is {}. The loss, which cross_entropy computes from the logits, is {}. If the model were sure "
      "of every right token, it would be 0.",
      next == 1 ? "this number" : "these numbers, on average,", digits(-mean(log(p))), digits(loss));
  l.say("The loss is what training makes small, and where a backward pass begins.");
}

void before_training(Narrator& l, const Reading& r, const Tensor& weights, const Tensor& probabilities) {
  const uint64_t seed = r.checkpoint.settings.seed;
  manual_seed(seed);
  nn::GPT fresh(r.config());
  fresh.eval();
  const Tensor logits = l.call([&] {
    const NoGrad no_grad;
    return fresh(r.ids);
  });
  l.step("untrained-weights", kLearned, "Before it was trained: the attention");
  l.code(fmt::format("torch.manual_seed({})\nfresh = GPT(config)", seed));
  const Tensor fresh_weights = l.show_next("trf_blocks.0.att.attn_weights", "attn_weights");
  l.skip_part("");
  l.say("The same model, newly drawn with seed {}: nothing of it is learned.", seed);
  l.say("In the first block {} then looks most: {}. After training: {}.", r.last(),
        looks_of_last(r, fresh_weights), looks_of_last(r, weights));

  l.step("untrained-next-token", kLearned, "Before it was trained: the prediction");
  l.code("probabilities = torch.softmax(fresh(ids)[0, -1], dim=-1)");
  const Tensor p = l.show("probabilities", next_token_of(logits));
  const auto best = int64_t(position_of_largest(probabilities)), then = int64_t(position_of_largest(p));
  l.say("The likeliest token was {} with {}; all alike would be {}.", r.token(then), digits(p[then]),
        digits(1 / double(p.numel())));
  l.say("{}, which the trained model finds likeliest, had {} and now has {}.", r.token(best), digits(p[best]),
        digits(probabilities[best]));
  if (r.ids.size(1) < 2) return;
  const Tensor losses = l.show("losses", stack({loss_on(logits, r.ids), loss_on(r.logits, r.ids)}, 0));
  l.say(
      "Foretelling each token of the text from those before it cost {} on average, and costs {} now; knowing "
      "nothing costs ln {} = {}.",
      digits(losses[0]), digits(losses[1]), p.numel(), digits(std::log(double(p.numel()))));
}

}  // namespace glassgrad::learn::climb_parts

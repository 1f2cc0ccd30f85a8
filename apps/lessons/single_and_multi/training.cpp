// Section 4.3, which the post leaves to its reader: five steps of training, and what they change.
#include <algorithm>
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/phrases.h"
#include "apps/lesson/recording.h"
#include "apps/lessons/single_and_multi/single_and_multi.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/optim.h"

namespace glassgrad::learn::single_and_multi_parts {
namespace {

constexpr const char* kTraining = "4.3";
constexpr int kSteps = 5;
constexpr double kLearningRate = 1e-3;
constexpr int64_t kPositionsShown = 8;

struct Trained {
  std::vector<Tensor> losses;  // before each step
  Tensor logits;               // of the last backward pass
  Tensor first_change;         // of fc_out.bias, in the first step
};

Trained train(const MyGPT& model, const Tensor& inputs, const Tensor& targets) {
  Trained t;
  nn::optim::AdamW optimizer(model.parameters(), kLearningRate);
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    const MyGPT::Output output = model(inputs, targets);
    output.loss.backward();
    const Tensor bias = clone(model.fc_out.bias.detach());
    optimizer.step();
    if (step == 0) t.first_change = model.fc_out.bias.detach() - bias;
    t.losses.push_back(output.loss.detach());
    t.logits = output.logits.detach();
  }
  return t;
}

// Numbers of the rows that are not all 0.
std::vector<int64_t> touched(const Tensor& rows) {
  return nonzero(amax(abs(rows), {1}) != 0).to_vector<int64_t>();
}

std::string listed(const std::vector<int64_t>& numbers) {
  std::vector<std::string> words;
  for (const int64_t n : numbers) words.push_back(std::to_string(n));
  return words.empty() ? "none" : joined(words, ", ", 12);
}

void five_steps(Narrator& l, const Guesser& g, const Trained& t) {
  step(l, g, "training", kTraining, g.multi ? "Several heads: five steps" : "Five steps of training");
  l.code(
      "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)\nfor step in range(5):\n"
      "    optimizer.zero_grad()\n    logits, loss = model(inputs, targets)\n    loss.backward()\n"
      "    optimizer.step()\n    print(f\"step {step}: loss {loss.item():.4f}\")");
  int fell = 0;
  for (int i = 0; i < kSteps; ++i) {
    const size_t at = size_t(i);
    l.print_line(fmt::format("step {}: loss {}", i, fixed(t.losses[at].item(), 4)));
    if (i > 0 && t.losses[at].item() < t.losses[at - 1].item()) ++fell;
  }
  l.show("training_losses", stack(t.losses, 0));
  if (!g.multi)
    l.say(
        "A step: forget the old gradients, compute the loss, send it backward, move every number a little.");
  l.say("Step 0 prints the loss from before any change; from step to step it has fallen {} of {} times.",
        fell, kSteps - 1);
  if (g.multi) return;
  l.show("first_change", t.first_change);
  const double least = min(abs(t.first_change)).item(), most = max(abs(t.first_change)).item();
  l.say("In the first step each number of fc_out.bias has moved by {} to {}.", digits(least), digits(most));
  if (least > 0.9 * kLearningRate && most < 1.1 * kLearningRate)
    l.say(
        "That is about lr = {}, however large its gradient: AdamW divides a gradient by its own size, and at first "
        "only the sign is left.",
        digits(kLearningRate));
}

void gradients(Narrator& l, const Guesser& g, const Trained& t) {
  const MyGPT& model = *g.model;
  step(l, g, "gradients", kTraining, g.multi ? "Several heads: gradients" : "Where gradients arrive");
  l.code(
      "print(model.fc_out.bias.grad)\nprint(model.attention.query.weight.grad[0])\n"
      "print(model.ln_f.weight.grad)");
  const Tensor by_bias = l.print("fc_out.bias.grad", model.fc_out.bias.grad());
  const Tensor by_query = model.attention->W_query.weight.grad();
  l.print("attention.query.weight.grad[0]", by_query[0]);
  const Tensor by_norm = model.ln_f.weight.grad();
  l.print_line(by_norm ? printed(by_norm) : "None");
  if (g.multi)
    return l.say(
        "The largest gradient of attention.query.weight is {:.1e}, that of fc_out.bias {:.1e}. ln_f has {}.",
        max(abs(by_query)).item(), max(abs(by_bias)).item(), by_norm ? "one too" : "none here either");
  l.say(
      "The loss reaches attention.query.weight through fc_out, the feed-forward layers and the softmax of the "
      "weights: its largest gradient is {:.1e}, that of fc_out.bias {:.1e}.",
      max(abs(by_query)).item(), max(abs(by_bias)).item());
  if (!by_norm)
    l.say(
        "ln_f.weight.grad is None, not zeros: nothing that was computed has used it. AdamW passes it by; it is "
        "still {}.",
        equal(model.ln_f.weight, ones_like(model.ln_f.weight)) ? "all ones" : "as it was given");

  const int64_t rows = g.targets.numel();
  const Tensor probabilities = softmax(t.logits, -1).view({rows, -1});
  const Tensor targets = g.targets.view({rows, 1});
  l.code("bias_grad = (probabilities - F.one_hot(targets, vocab_size)).mean(dim=(0, 1))  # of the last loss");
  const Tensor bias_grad =
      l.show("bias_grad", mean(scatter_add(probabilities, 1, targets, full({rows, 1}, Tensor(-1.0))), {0}));
  l.say(
      "What arrives at fc_out.bias is the mean of (probabilities - 1 at the target): too high is pushed down, "
      "targets up. By hand it is bias_grad, off by {}; it adds to {:.0e}.",
      largest_difference(bias_grad, by_bias), sum(bias_grad).item());
}

void embedding_rows(Narrator& l, const Guesser& g, const Tensor& untouched_before) {
  const nn::single_and_multi::GPTEmbedding& embedding = g.model->embedding;
  const Tensor by_token = embedding.token.weight.grad(), by_position = embedding.position.weight.grad();
  step(l, g, "embedding-rows", kTraining, "Which rows of the tables learn");
  l.code(
      fmt::format("token_grad = model.embedding.token.weight.grad.norm(dim=1)\n"
                  "position_grad = model.embedding.position.weight.grad.norm(dim=1)[:{}]",
                  kPositionsShown));
  l.show("token_grad", norm(by_token, {1}));
  l.show("position_grad", norm(by_position.slice(0, 0, kPositionsShown), {1}));
  std::vector<int64_t> ids = g.inputs.to_vector<int64_t>();
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  l.say("Ids in inputs: {}. Rows of the token table with a gradient: {}. {}", listed(ids),
        listed(touched(by_token)), ids == touched(by_token) ? "A row is asked only when its id occurs." : "");
  l.say(
      "Of the table of positions {} of {} rows have one; training on short sentences teaches nothing about later "
      "positions.",
      touched(by_position).size(), by_position.size(0));
  const Tensor last = embedding.position.weight.detach()[by_position.size(0) - 1];
  const double before = norm(untouched_before).item();
  if (before > 0)
    l.say(
        "The other rows move all the same: AdamW's weight decay shrinks every number that has a gradient tensor, "
        "be it zeros. The last row is {:.6f} times what it was.",
        norm(last).item() / before);
}

void guesses(Narrator& l, const Guesser& g) {
  step(l, g, "argmax", kTraining, g.multi ? "Several heads: what it guesses now" : "What it guesses now");
  l.code("before = logits.argmax(dim=-1)  # before the training\nprint(model(inputs).argmax(dim=-1))");
  const Tensor before = l.show("before", argmax(g.logits, -1));
  const Tensor now = l.print("argmax", argmax((*g.model)(g.inputs), -1));
  l.show("targets", g.targets);
  const auto right = [&](const Tensor& guesses) { return sum(guesses == g.targets).item<int64_t>(); };
  l.say("The guess is the token with the largest logit. Of {} guesses {} were right before, {} are now.",
        g.targets.numel(), right(before), right(now));
  if (!g.multi)
    l.say(
        "{} steps are few. And these ids are random: what could be learned is this batch by heart, not a "
        "language.",
        kSteps);
}

}  // namespace

void training(Narrator& l, const Guesser& g) {
  const Tensor& positions = g.model->embedding.position.weight;
  const Tensor last = clone(positions.detach()[positions.size(0) - 1]);
  const Trained trained = train(*g.model, g.inputs, g.targets);
  five_steps(l, g, trained);
  gradients(l, g, trained);
  if (!g.multi) embedding_rows(l, g, last);
  guesses(l, g);
}

void same_ids(Narrator& l, const Settings& s, const Guesser& first) {
  const Guesser single = draw(s, false), multi = draw(s, true);
  const std::string difference =
      largest_difference(single.model->embedding.token.weight, multi.model->embedding.token.weight);
  std::vector<Tensor> rows;
  for (const Guesser* g : {&single, &multi}) {
    std::vector<Tensor> losses = train(*g->model, first.inputs, first.targets).losses;
    losses.push_back((*g->model)(first.inputs, first.targets).loss.detach());
    rows.push_back(stack(losses, 0));
  }
  l.step("same-ids", kTraining, "One switch, the same ids");
  l.code("# both models drawn anew and trained on the ids of the first");
  const Tensor losses = l.show("losses", stack(rows, 0));
  const bool same = equal(first.ids, multi.ids);
  l.say("The two runs above read {} ids, so {}. Here both read those of the first.",
        same ? "the same" : "different",
        same ? "they can be compared" : "their losses say little about heads");
  l.say(
      "The seed gives both the same tables (difference {}) and the same query, key and value; what is drawn after "
      "them differs.",
      difference);
  const double a = losses[0][kSteps].item(), b = losses[1][kSteps].item();
  l.say("A row for one head, a row for {}; after {} steps the losses are {} and {}: {}.",
        counted(s.count("--heads"), "head"), kSteps, digits(a), digits(b),
        a == b  ? "the same"
        : a < b ? "one head is ahead"
                : "the second is ahead");
  l.say(
      "On {} random targets that says nothing about texts. use_multiple_head is True unless said otherwise; it costs "
      "{} parameters.",
      first.targets.numel(),
      numbers_in(multi.model->named_parameters()) - numbers_in(single.model->named_parameters()));
}

}  // namespace glassgrad::learn::single_and_multi_parts

// Sections 4.1 and 4.2: MyGPT, from ids to a loss, with either attention.
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/single_and_multi/single_and_multi.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::single_and_multi_parts {
namespace {

constexpr const char* kModel = "4.1";
constexpr const char* kGptForward = "4.2";
constexpr int64_t kMaxLen = 5000;
constexpr int64_t kSentences = 2, kIds = 6;

// ---- the model
void what_is_filled_in(Narrator& l, const Settings& s, const Guesser& g) {
  l.say(
      "The post's class does not run: it calls self.embedding and self.compute_loss and never makes them, takes "
      "max_len and never uses it, and FeedForwardNN is nowhere shown.");
  l.say(
      "We fill in the plainest: GPTEmbedding, a table with a row for each of {} tokens plus one with a row for "
      "each of max_len = {} positions; FeedForwardNN, {} to {}, ReLU, and back; compute_loss, the mean "
      "cross-entropy.",
      s.count("--vocab"), kMaxLen, g.model->ln_f.weight.numel(), s.count("--hidden"));
  l.say("num_heads is given as well, but with the switch at False nothing reads it.");
}

void print_model(Narrator& l, const Settings& s, const Guesser& g) {
  const MyGPT& model = *g.model;
  step(l, g, "model", kModel,
       g.multi ? "MyGPT with several heads" : "MyGPT with one head, and what was missing");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format(
      "model = MyGPT(vocab_size={}, d_model={}, hidden_dim={}, use_multiple_head={}, num_heads={})\nprint(model)\n"
      "print(sum(p.numel() for p in model.parameters()))",
      s.count("--vocab"), s.inputs.size(-1), s.count("--hidden"), g.multi ? "True" : "False",
      s.count("--heads")));
  const auto numbers = [](const nn::Module& m) { return numbers_in(m.named_parameters()); };
  const int64_t all = numbers(model), attention = numbers(*model.attention);
  const int64_t positions = numbers(model.embedding.position);
  l.print_line(model.repr());
  l.print_line(std::to_string(all));
  l.show("parameters",
         from_values(std::vector<int64_t>{numbers(model.embedding.token), positions, attention,
                                          numbers(model.ffn), numbers(model.ln_f), numbers(model.fc_out)},
                     {6}));
  if (!g.multi) what_is_filled_in(l, s, g);
  l.say(
      "{} numbers to learn: in token, position, attention, ffn, ln_f and fc_out as listed. {:.1f} % stand in the "
      "table of positions, for up to {} tokens.",
      all, 100 * double(positions) / double(all), kMaxLen);
  if (g.multi)
    l.say(
        "Two layers are called fc_out: attention.fc_out, {0} to {0}, mixes heads; the model's own, {0} to {1}, "
        "scores the next token.",
        model.fc_out.weight.size(1), model.fc_out.weight.size(0));
}

void print_ids(Narrator& l, const Settings& s, const Guesser& g) {
  if (!g.multi) step(l, g, "ids", kModel, "What to read and what to guess");
  l.code(fmt::format(
      "ids = torch.randint(0, {}, ({}, {}))\ninputs, targets = ids[:, :-1], ids[:, 1:].contiguous()\n"
      "print(inputs)\nprint(targets)",
      s.count("--vocab"), kSentences, kIds));
  l.show("ids", g.ids);
  l.print("inputs", g.inputs);
  l.print("targets", g.targets);
  if (g.multi) {
    l.say(
        "The seed is the same, but attention.fc_out takes its numbers from the generator before the ids do: these "
        "are drawn anew.");
    return;
  }
  const auto id = [&](int64_t position) { return g.ids[0][position].item<int64_t>(); };
  l.say("Here ids stand for words, {} in a sentence, drawn at random; the post has no data and no training.",
        kIds);
  l.say(
      "inputs leaves out the last id and targets the first: after {} comes {}, after {}, {} comes {}, and so on. "
      "One sentence asks {} questions.",
      id(0), id(1), id(0), id(1), id(2), g.inputs.size(1));
  l.say(
      "compute_loss flattens targets by view, and a cut from the middle of ids is not in one piece "
      "(is_contiguous() is {}): contiguous() copies it.",
      g.ids.slice(1, 1, {}).is_contiguous() ? "True" : "False");
}

// ---- forward
void show_embeddings(Narrator& l, const Guesser& g) {
  if (g.multi)
    l.skip_next("embedding.token.weight");
  else
    l.show_next("embedding.token.weight");
  l.skip_next("embedding.position.weight");  // too long a table: `positions` are its first rows
  for (const char* name : {"tokens", "positions", "embeddings"})
    l.show_next(fmt::format("embedding.{}", name), name);
}

void show_attention(Narrator& l, bool multi) {
  for (const char* layer : {"query", "key", "value"})
    for (const char* part : {"weight", "bias"}) l.skip_next(fmt::format("attention.{}.{}", layer, part));
  constexpr std::pair<const char*, const char*> kProjected[] = {
      {"attention.queries", "Q"}, {"attention.keys", "K"}, {"attention.values", "V"}};
  for (const auto& [name, shown_as] : kProjected) {
    for (int i = 0; i < (multi ? 2 : 0); ++i) l.skip_next(name);  // not yet cut, and not yet transposed
    l.show_next(name, shown_as);
  }
  for (const char* name : {"attention.attn_scores", "attention.scaled_scores", "attention.mask"})
    l.skip_next(name);
  l.show_next("attention.scaled_scores", "attention_scores");
  l.show_next("attention.attn_weights", "attention_weights");
  if (!multi) {
    l.show_next("attention.attention_output", "attn_output");
    return;
  }
  for (int i = 0; i < 2; ++i) l.skip_next("attention.attention_output");  // heads in front, and behind
  l.show_next("attention.attention_output", "attention_output");
  l.skip_next("attention.fc_out.weight");
  l.skip_next("attention.fc_out.bias");
  l.show_next("attention.out", "attn_output");
}

// Gives the share of zeros after ReLU.
double show_feed_forward(Narrator& l, const Guesser& g) {
  for (const char* name : {"ffn.fc1.weight", "ffn.fc1.bias", "ffn.fc2.weight", "ffn.fc2.bias"})
    if (g.multi)
      l.skip_next(name);
    else
      l.show_next(name, name + std::string_view("ffn.").size());
  l.show_next("ffn.hidden", "hidden");
  const Tensor hidden_relu = l.show_next("ffn.hidden", "hidden_relu");
  l.show_next("ffn.output", "ffn_output");
  return double(sum(hidden_relu == 0).item<int64_t>()) / double(hidden_relu.numel());
}

// An id that stands at two positions: what it has in common there.
void say_repeated(Narrator& l, const Guesser& g, const Tensor& embeddings) {
  const std::vector<int64_t> ids = g.inputs.to_vector<int64_t>();
  const int64_t positions = g.inputs.size(1);
  const Tensor rows = embeddings.view({-1, embeddings.size(2)});
  for (size_t i = 0; i < ids.size(); ++i)
    for (size_t k = i + 1; k < ids.size(); ++k) {
      const int64_t a = int64_t(i), b = int64_t(k);
      if (ids[i] != ids[k] || a % positions == b % positions) continue;
      l.say(
          "Id {} stands at position {} and at position {}: the same row of tokens, but the embeddings differ by up "
          "to {}. So attention can tell them apart.",
          ids[i], a % positions, b % positions, digits(max(abs(rows[a] - rows[b]))));
      return;
    }
}

void embeddings(Narrator& l, const Guesser& g) {
  step(l, g, "embeddings", kGptForward, "MyGPT: from ids to rows (filled in)");
  l.code(
      "tokens = self.token(idx)\npositions = self.position(torch.arange(idx.size(1)))\n"
      "embeddings = tokens + positions");
  l.formula("e_t = E[id_t] + P[t]", R"(e_t = E_{\mathrm{id}_t} + P_t)");
  show_embeddings(l, g);
  const int64_t first = g.inputs[0][0].item<int64_t>();
  l.say("tokens[0][0] is row {} of the token table, looked up, not multiplied: the difference is {}.", first,
        largest_difference(g.model->embedding.token(g.inputs)[0][0], g.model->embedding.token.weight[first]));
  l.say(
      "positions are the first {} of {} rows of the other table, the same for both sentences. Their sum is "
      "embeddings.",
      g.inputs.size(1), kMaxLen);
  say_repeated(l, g, g.model->embedding(g.inputs));
  try {
    g.model->embedding.position(from_values(std::vector<int64_t>{kMaxLen}, {1}));
  } catch (const Error& e) {
    l.say("Now there is a limit to the length: position {} ends in \"{}: {}\".", kMaxLen, e.kind(), e.what());
  }
}

void attention(Narrator& l, const Guesser& g) {
  step(l, g, "attention", kGptForward, "MyGPT: attention inside the model");
  l.code("attn_output = self.attention(embeddings)");
  show_attention(l, g.multi);
  l.say("The class of section 2 at work: every position gathers from itself and those before it.");
}

void feed_forward(Narrator& l, const Guesser& g) {
  step(l, g, "feed-forward", kGptForward, "MyGPT: each position for itself (filled in)");
  l.code("hidden = self.fc1(x)\nhidden_relu = self.relu(hidden)\nffn_output = self.fc2(hidden_relu)");
  l.formula("ffn(x) = relu(x W_1^T + b_1) W_2^T + b_2",
            R"(\mathrm{ffn}(x) = \max(0,\, x W_1^\top + b_1)\, W_2^\top + b_2)");
  const double zeros = show_feed_forward(l, g);
  l.say(
      "Attention has mixed the positions; here each row goes its own way through two layers: {} to {} and back.",
      g.model->ffn.fc1.weight.size(1), g.model->ffn.fc1.weight.size(0));
  l.say("ReLU sets what is negative to 0: {:.0f} % of hidden. Without it the two layers would be one.",
        100 * zeros);
}

void print_logits(Narrator& l, const Guesser& g) {
  l.code("logits = self.fc_out(ffn_output)\nprint(model(inputs).shape)\nprint(logits)");
  l.show_next("fc_out.weight");
  l.show_next("fc_out.bias");
  l.skip_next("logits");
  l.print_line(size_repr(g.logits.shape()));
  l.print("logits", g.logits);
  l.say("{}: (B, T, vocabulary), a score for every token as the next one, at every position.",
        to_string(g.logits.shape()));
}

void left_out(Narrator& l, const Guesser& g) {
  const MyGPT& model = *g.model;
  const Tensor embeddings = model.embedding(g.inputs), attn_output = (*model.attention)(embeddings);
  const Tensor ffn_output = model.ffn(attn_output);
  step(l, g, "left-out", kGptForward, "MyGPT: what a GPT has and this one has not");
  l.code(
      "normalised = model.ln_f(ffn_output)\nspread = torch.stack([t.std() for t in (embeddings, attn_output, "
      "ffn_output)])");
  const Tensor normalised = l.show("normalised", model.ln_f(ffn_output));
  const Tensor spread = l.show("spread", stack({std(embeddings), std(attn_output), std(ffn_output)}, 0));
  l.say(
      "ln_f is made in the post and then forgotten: forward never calls it. Called before fc_out it would bring "
      "each row to mean 0{}, apply its own weight and bias, and move the logits by up to {}.",
      normalised.size(-1) > 1 ? " and variance 1" : "",
      digits(max(abs(model.fc_out(normalised) - g.logits))));
  l.say(
      "There are no residual connections: each part replaces its input where a GPT adds to it, as in x + "
      "attention(x). The spread of the numbers goes {}.",
      joined_digits(spread, ", "));
  l.say("And there is one block where a GPT has a stack of them, and no dropout.");
}

// ---- loss
void print_loss(Narrator& l, const Guesser& g) {
  const int64_t vocab = g.logits.size(2);
  l.code(
      "logits, loss = model(inputs, targets)\nprobabilities = torch.softmax(logits, dim=-1)\n"
      "p_target = probabilities.gather(-1, targets.unsqueeze(-1)).squeeze(-1)\n"
      "token_losses = -p_target.log()\nprint(loss)");
  l.formula("loss = mean over all positions of -log p(target)",
            R"(\mathrm{loss} = -\frac{1}{B\,T} \sum_{b,t} \log p_{b,t}(\mathrm{target}_{b,t}))");
  const Tensor probabilities = l.show("probabilities", softmax(g.logits, -1));
  const Tensor p_target = l.show("p_target", gather(probabilities, -1, g.targets.unsqueeze(-1)).squeeze(-1));
  const Tensor token_losses = l.show("token_losses", -log(p_target));
  l.skip_next("loss");
  l.loss("loss", l.print("loss", g.loss));
  if (!g.multi) {
    l.say("Softmax makes probabilities of each row. The first target, {}, gets {}: its loss is -log {} = {}.",
          g.targets[0][0].item<int64_t>(), digits(p_target[0][0]), digits(p_target[0][0]),
          digits(token_losses[0][0]));
    l.say(
        "loss is the mean of all {}. cross_entropy computes it from the logits in one go; the difference is {}.",
        g.targets.numel(), largest_difference(mean(token_losses).unsqueeze(0), g.loss.unsqueeze(0)));
  }
  l.say("Who knows nothing gives every token 1/{0}, a loss of ln({0}) = {1}. The untrained model has {2}.",
        vocab, digits(std::log(double(vocab))), digits(g.loss));
}

}  // namespace

Guesser draw(const Settings& s, bool use_multiple_head) {
  manual_seed(s.seed("--seed"));
  Guesser g;
  g.multi = use_multiple_head;
  g.model = std::make_unique<MyGPT>(s.count("--vocab"), s.inputs.size(-1), kMaxLen, s.count("--hidden"),
                                    use_multiple_head, s.count("--heads"));
  g.ids = randint(0, s.count("--vocab"), {kSentences, kIds});
  g.inputs = g.ids.slice(1, {}, -1);
  g.targets = g.ids.slice(1, 1, {}).contiguous();
  return g;
}

void step(Narrator& l, const Guesser& g, const char* about, const char* section, const char* title) {
  l.step(fmt::format("gpt-{}-{}", g.multi ? "multi" : "single", about).c_str(), section, title);
}

void model(Narrator& l, const Settings& s, const Guesser& g) {
  print_model(l, s, g);
  print_ids(l, s, g);
}

void forward(Narrator& l, Guesser& g) {
  l.call([&] {
    const MyGPT::Output output = (*g.model)(g.inputs, g.targets);
    g.logits = output.logits, g.loss = output.loss;
    return output.loss;
  });
  if (g.multi) {
    step(l, g, "forward", kGptForward, "MyGPT with several heads: the way to the logits");
    l.code(
        "embeddings = self.embedding(inputs)\nattn_output = self.attention(embeddings)\n"
        "ffn_output = self.ffn(attn_output)");
    show_embeddings(l, g);
    show_attention(l, g.multi);
    l.say(
        "Nothing but the attention is another: Q, K and V have a dimension of heads, and fc_out mixes them.");
    l.say("ReLU leaves {:.0f} % zeros this time.", 100 * show_feed_forward(l, g));
    step(l, g, "logits", kGptForward, "MyGPT with several heads: logits and loss");
    print_logits(l, g);
    print_loss(l, g);
    return;
  }
  embeddings(l, g);
  attention(l, g);
  feed_forward(l, g);
  step(l, g, "logits", kGptForward, "MyGPT: scores for the next token");
  print_logits(l, g);
  left_out(l, g);
  step(l, g, "loss", kGptForward, "MyGPT: how wrong it is (compute_loss, filled in)");
  print_loss(l, g);
}

}  // namespace glassgrad::learn::single_and_multi_parts

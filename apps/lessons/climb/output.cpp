// Sections 5.5 and 6: what the head gives, what its class does not check, and how it learns.
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/phrases.h"
#include "apps/lesson/recording.h"
#include "apps/lessons/climb/climb.h"
#include "engine/ops.h"

namespace glassgrad::learn::climb_parts {
namespace {

constexpr const char* kOutput = "5.5";
constexpr const char* kOutputClass = "6.1";
constexpr const char* kSamples = "6.2";
constexpr const char* kLearning = "6.3";

void mask_is_not_cut(Narrator& l, const SingleSelfAttentionHead& head, const Tensor& x) {
  const int64_t tokens = x.size(1);
  const auto error_of = [&](const Tensor& chunk) -> std::string {
    try {
      head(chunk);
    } catch (const Error& error) {
      return fmt::format("{}: {}", error.kind(), error.what());
    }
    return "no error, but the mask of one token is stretched and hides nothing";
  };
  l.step("mask-is-not-cut", kOutputClass, "The trap: a chunk of another length");
  l.code(tokens > 1 ? "head(x[:, :-1])\nhead(torch.cat([x, x[:, :1]], dim=1))"
                    : "head(torch.cat([x, x[:, :1]], dim=1))");
  l.show("causal_mask", head.causal_mask);
  l.say(
      "forward() reads chunk_size from x, into a name that it then does not use; the mask keeps the chunk_size of the "
      "constructor, {}.",
      tokens);
  if (tokens > 1)
    l.say("With {} it ends with {}.", counted(tokens - 1, "token"), error_of(x.slice(1, 0, tokens - 1)));
  l.say("With {} it ends with {}.", counted(tokens + 1, "token"), error_of(cat({x, x.slice(1, 0, 1)}, 1)));
  l.say(
      "But a model that writes begins with few tokens. Other classes cut the mask to the tokens that are there, "
      "mask[:num_tokens, :num_tokens].");
}

void one_pair(Narrator& l, const Settings& s) {
  const int64_t head_size = s.count("--head-size");
  l.step("one-pair", kSamples, "One pair of random vectors proves little");
  l.code(fmt::format("q = torch.randn({0})\nk = torch.randn({0})\nprint(q.var(), k.var())", head_size));
  l.code(fmt::format("print(torch.dot(q, k), torch.dot(q, k) * {}**-0.5)", head_size));
  const Tensor q = l.show("q", randn({head_size})), k = l.show("k", randn({head_size}));
  const Tensor q_var = l.show("q_var", var(q)), k_var = l.show("k_var", var(k));
  const Tensor raw = l.show("raw", dot(q, k));
  const Tensor scaled = l.show("scaled", raw * std::pow(double(head_size), -0.5));
  l.print_line(fmt::format("{} {}", printed(q_var), printed(k_var)));
  l.print_line(fmt::format("{} {}", printed(raw), printed(scaled)));
  if (head_size > 1)
    l.say(
        "The numbers come from a distribution with variance 1, but {} of them have the variance {}, the next {} have {}.",
        head_size, digits(q_var), head_size, digits(k_var));
  else
    l.say("One number has no variance: the division by n - 1 = 0 gives {}.", digits(q_var));
  l.say(
      "Unit variance is a statement about many draws, and so is the one about dot products: {} raw and {} scaled are one "
      "draw each. Step dot-product-variance takes 2000.",
      digits(raw), digits(scaled));
}

// The gradient of the query's matrix if only the first token's output counted.
Tensor gradient_of_first_row(const SingleSelfAttentionHead& head, const Tensor& x) {
  head.zero_grad();
  mean(pow(head(x).select(1, 0), 2)).backward();
  return head.W_query.weight.grad();
}

void gradients(Narrator& l, const Settings& s, const SingleSelfAttentionHead& head, const Tensor& x) {
  l.step("gradients", kLearning, "Every matrix learns how to change");
  l.code(
      "loss.backward()\nprint(head.key.weight.grad)\nprint(head.query.weight.grad)\nprint(head.value.weight.grad)");
  const Tensor key = l.print("key.weight.grad", head.W_key.weight.grad());
  const Tensor query = l.print("query.weight.grad", head.W_query.weight.grad());
  const Tensor value = l.print("value.weight.grad", head.W_value.weight.grad());
  l.say("The average had no number to change; here each of the {} weights gets a gradient.",
        numbers_in(head.named_parameters()));
  l.say(
      "Those of key and query have come through softmax; their largest numbers are {} and {}. The value's has not: {}.",
      digits(max(abs(key))), digits(max(abs(query))), digits(max(abs(value))));
  const Tensor first = gradient_of_first_row(head, x);
  if (all_finite(first))
    l.say(
        "{} teaches its query nothing: its one weight is 1 whatever the query says. From the first outputs alone the "
        "largest gradient of the query's matrix is {}.",
        in_quotes(s.tokens[0]), digits(max(abs(first))));
}

void one_step(Narrator& l, const SingleSelfAttentionHead& head, const Tensor& x, const Tensor& loss) {
  constexpr double kRate = 0.1;
  head.zero_grad();
  mean(pow(head(x), 2)).backward();
  {
    const NoGrad off;
    for (const Tensor& weight : head.parameters()) sub_(weight, weight.grad() * kRate);
  }
  l.step("one-step", kLearning, "One step against the gradient");
  l.code(fmt::format(
      "with torch.no_grad():\n    for weight in head.parameters():\n        weight -= {} * weight.grad",
      kRate));
  const Tensor after = mean(pow(head(x), 2)).detach();
  l.show("losses", stack({loss.detach(), after}, 0));
  l.say("Each matrix moves by a tenth of its gradient, against it. The loss goes from {} to {}.",
        digits(loss), digits(after));
  if ((after > loss).is_true()) l.say("That step was too long for these numbers.");
  l.say(
      "Real training asks for the next token and repeats this for many chunks: that is how a token comes to know what to "
      "look for.");
}

}  // namespace

void output(Narrator& l, const Settings& s, const SingleSelfAttentionHead& head, const Tensor& x,
            const Tensor& out) {
  l.step("output", kOutput, "What comes out");
  l.formula(
      "head(X) = softmax(mask(Q K^T / sqrt(head_size))) V",
      R"(\mathrm{head}(X) = \mathrm{softmax}\left(\mathrm{mask}\left(\frac{Q K^\top}{\sqrt{\mathrm{head\_size}}}\right)\right) V)");
  l.code(
      "contextualised_embeddings = attention_weights @ value_vector\nout = head(x)\nprint(out)\nprint(out.shape)");
  l.skip_next("contextualised_embeddings");
  l.print("out", out);
  l.print_line(size_repr(out.shape()));
  l.say(
      "The values, mixed by the weights: {}, a row of head_size numbers for every token, no longer token_emb_dim.",
      to_string(out.shape()));
  if (all_finite(out))
    l.say("The row of {} is its own value; a later row mixes the values of all tokens up to its own.",
          in_quotes(s.tokens[0]));
  l.say("Nothing is dropped and nothing drawn: a second call differs by {}.",
        largest_difference(head(x), out));
}

void learning(Narrator& l, const Settings& s, const SingleSelfAttentionHead& head, const Tensor& x,
              const Tensor& out) {
  mask_is_not_cut(l, head, x);
  one_pair(l, s);

  l.step("loss", kLearning, "A number to make smaller");
  l.formula("loss = mean of out^2", R"(\mathrm{loss} = \frac{1}{n} \sum \mathrm{out}^2)");
  l.code("loss = (out ** 2).mean()\nprint(loss)");
  const Tensor loss = l.print("loss", mean(pow(out, 2)));
  l.loss("loss", loss);
  l.say("A stand-in for the real aim, the next token: the mean of the {} squared outputs is {}.", out.numel(),
        digits(loss));
  loss.backward();
  gradients(l, s, head, x);
  one_step(l, head, x, loss);
}

}  // namespace glassgrad::learn::climb_parts

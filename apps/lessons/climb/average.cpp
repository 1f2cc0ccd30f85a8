// Section 3: the simple average, attention without a choice.

#include "apps/lesson/costs.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/climb/climb.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::climb_parts {
namespace {

constexpr const char* kConcept = "3.1";
constexpr const char* kAverageClass = "3.2";
constexpr const char* kLimits = "3.3";
using nn::kMinusInfinity;

using nn::climb::SimpleAverageSelfAttention;

Tensor ones_masked_normalised(Narrator& l, int64_t tokens) {
  l.step("ones-masked-normalised", kConcept, "Everyone before me counts the same");
  l.formula("w_ij = 1/i for j <= i, else 0",
            R"(w_{ij} = \begin{cases} \frac{1}{i} & j \le i \\ 0 & j > i \end{cases})");
  l.code(
      "ones = torch.ones(chunk_size, chunk_size)\nones_masked = ones * torch.tril(ones)\n"
      "normalised = ones_masked / ones_masked.sum(dim=-1, keepdim=True)");
  const Tensor all = l.show("ones", ones({tokens, tokens}));
  const Tensor masked = l.show("ones_masked", all * tril(all));
  const Tensor normalised = l.show("normalised", masked / sum(masked, {-1}, true));
  l.say(
      "The three pictures that the page has lost: ones everywhere, the future masked, each row divided by its sum.");
  l.say("Row i is left with i ones, and each becomes 1/i. The last row, divided by {}, holds {}.", tokens,
        digits(normalised[tokens - 1][0]));
  return normalised;
}

void module(Narrator& l, const SimpleAverageSelfAttention& avg) {
  l.step("average-module", kAverageClass, "SimpleAverageSelfAttention: what it is made of");
  l.code(fmt::format("config = {{\"data\": {{\"chunk_size\": {}, \"batch_size\": {}}}}}",
                     avg.attention_weights.size(1), avg.attention_weights.size(0)));
  l.code(
      "avg = SimpleAverageSelfAttention(config)\nprint(avg)\nprint(avg.causal_mask)\n"
      "print(avg.attention_weights)");
  l.print_line(avg.repr());
  l.print("causal_mask", avg.causal_mask);
  l.print("attention_weights", avg.attention_weights);
  l.say(
      "The module has no layers to print. What it keeps are two buffers: constants that move with it to another "
      "device and are never trained.");
  l.say("The text begins with ones, the code with zeros, one table for each chunk of a batch.");
}

Tensor softmax_of_zeros(Narrator& l, const SimpleAverageSelfAttention& avg, const Tensor& normalised) {
  l.step("average-masked", kAverageClass, "SimpleAverageSelfAttention: -inf for the future");
  l.code(
      "weights = avg.attention_weights.masked_fill(avg.causal_mask == 0, value=-float('inf'))\nprint(weights)");
  const Tensor future = avg.causal_mask == 0;
  const Tensor masked =
      l.print("attention_weights", masked_fill(avg.attention_weights, future, kMinusInfinity));
  l.say("0 for everyone who may be heard, -inf for everyone who may not.");

  l.step("average-weights", kAverageClass, "SimpleAverageSelfAttention: softmax makes the shares");
  l.formula("exp(0) / (exp(0) + ... + exp(0)) = 1/i",
            R"(\frac{e^0}{\underbrace{e^0 + \cdots + e^0}_{i}} = \frac{1}{i})");
  l.code("weights = F.softmax(weights, dim=-1)\nprint(weights)\nprint(weights.sum(dim=-1))");
  const Tensor weights = l.print("weights", softmax(masked, -1));
  const Tensor row_sums = l.print("row_sums", sum(weights, {-1}));
  l.say(
      "exp(0) is 1 and exp(-inf) is 0, so softmax counts the tokens that are left and divides by their number.");
  l.say(
      "From the ones that were divided these weights differ by {} at most; the row sum furthest from 1 is off by {}.",
      largest_difference(weights[0], normalised), largest_difference(row_sums, ones(row_sums.shape())));
  return weights;
}

void text_to_the_letter(Narrator& l, int64_t tokens, const Tensor& weights) {
  l.step("text-to-the-letter", kAverageClass, "The trap: ones, a mask of zeros, softmax");
  l.code(
      "ones = torch.ones(chunk_size, chunk_size)\nby_text = F.softmax(torch.tril(ones), dim=-1)\n"
      "from_ones = F.softmax(ones.masked_fill(causal_mask == 0, -torch.inf), dim=-1)");
  const Tensor mask = tril(ones({tokens, tokens}));
  const Tensor by_text = l.show("by_text", softmax(mask, -1));
  const Tensor from_ones =
      l.show("from_ones", softmax(masked_fill(ones({tokens, tokens}), mask == 0, kMinusInfinity), -1));
  l.say(
      "The text masks the ones to 0 and says that softmax then normalises the rows. Done like that, the first row is {}.",
      joined_digits(by_text[0], ", ", 4));
  if (tokens > 1)
    l.say(
        "exp(0) is 1, not 0: the future gets {} of the first token's attention. A mask for softmax is -inf.",
        digits(sum(by_text[0].slice(0, 1, {}))));
  l.say(
      "Whether one begins with ones or zeros does not matter: softmax ignores what is the same in a whole row. From "
      "ones with -inf the weights differ by {}.",
      largest_difference(from_ones, weights[0]));
}

Tensor average_output(Narrator& l, const Settings& s, const SimpleAverageSelfAttention& avg,
                      const Tensor& x) {
  const int64_t i = asker(s);
  l.step("average-output", kAverageClass, "SimpleAverageSelfAttention: what comes out");
  l.formula("y_i = (x_1 + ... + x_i) / i", R"(y_i = \frac{1}{i} \sum_{j \le i} x_j)");
  l.code("attention_output = attention_weights @ x\nprint(avg(x))");
  const Tensor y = l.print("attention_output", avg(x));
  if (all_finite(x))
    l.say("The first row is that of {}, unchanged: it has nobody before it.", in_quotes(s.tokens[0]));
  else
    l.say("A weight of 0 does not keep out inf and nan: 0 times either is nan, in rows before it as well.");
  if (i > 0)
    l.say("That of {} is the mean of two rows; its first number is ({} + {}) / 2 = {}.",
          in_quotes(s.tokens[1]), digits(x[0][0][0]), digits(x[0][1][0]), digits(y[0][1][0]));
  return y;
}

void batch_is_fixed(Narrator& l, const SimpleAverageSelfAttention& avg, const Tensor& x) {
  const int64_t batch = x.size(0);
  l.step("batch-is-fixed", kAverageClass, "The trap: the size of the batch is built in");
  l.code("avg(x[:1])\navg(torch.cat([x, x[:1]]))");
  const Tensor one = l.show("one_sentence", avg(x.slice(0, 0, 1)));
  l.say("attention_weights is {}: made for {}.", to_string(avg.attention_weights.shape()),
        batch == 1 ? "one chunk" : fmt::format("{} chunks", batch));
  if (batch > 1)
    l.say("A single chunk comes back {} times without a word: broadcasting stretches it to {}.", one.size(0),
          to_string(one.shape()));
  try {
    const Tensor more = avg(cat({x, x.slice(0, 0, 1)}, 0));
    l.say("One more than planned, {}, still goes through: a table for one is stretched for all.",
          more.size(0));
  } catch (const Error& error) {
    l.say("One more than planned, {}, ends with {}: {}.", batch + 1, error.kind(), error.what());
  }
  l.say("A table of zeros for one chunk would do for every batch.");
}

void limits(Narrator& l, const Settings& s, const SimpleAverageSelfAttention& avg, const Tensor& x,
            const Tensor& y) {
  l.step("average-limits", kLimits, "What an average cannot do");
  l.say("Nothing can be learned: the module has {}, only {} in its buffers.",
        counted(numbers_in(avg.named_parameters()), "parameter"),
        counted(numbers_in(avg.named_buffers()), "constant"));
  l.say(
      "The weights of a row are all the same and are fixed before any token is read; what a token says, and what "
      "another is looking for, has no part in them.");
  if (x.size(1) < 2) return;
  l.code(
      "swapped = x.clone()\nswapped[:, [0, 1]] = x[:, [1, 0]]\n"
      "moved = (avg(swapped) - avg(x))[0].abs().amax(dim=-1)");
  const auto rows = [&](int64_t from, std::optional<int64_t> to) { return x.slice(1, from, to); };
  const Tensor swapped = cat({rows(1, 2), rows(0, 1), rows(2, {})}, 1);
  const Tensor moved = l.show("moved", amax(abs(avg(swapped) - y)[0], {-1}));
  if (!all_finite(moved)) return;
  l.say(
      "Not even the order counts. With {} and {} exchanged the first row moves by {}, every row after it by {} at most.",
      in_quotes(s.tokens[0]), in_quotes(s.tokens[1]), digits(moved[0]), digits(max(moved.slice(0, 1, {}))));
}

}  // namespace

void simple_average(Narrator& l, const Settings& s, const Tensor& x) {
  const int64_t tokens = x.size(1);
  const Tensor normalised = ones_masked_normalised(l, tokens);
  const SimpleAverageSelfAttention avg({.data = {.chunk_size = tokens, .batch_size = x.size(0)}});
  module(l, avg);
  const Tensor weights = softmax_of_zeros(l, avg, normalised);
  text_to_the_letter(l, tokens, weights);
  const Tensor y = average_output(l, s, avg, x);
  batch_is_fixed(l, avg, x);
  limits(l, s, avg, x, y);
}

}  // namespace glassgrad::learn::climb_parts

// How the classes are called, and what the pages call things.
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/sources/compare.h"
#include "engine/ops.h"
#include "nn/cat.h"
#include "nn/gpt_attention.h"
#include "nn/single_and_multi.h"

namespace glassgrad::learn::compare_parts {
namespace {

template <class Build>
std::string answer_of(Build&& build) {
  try {
    build();
  } catch (const Error& error) {
    return fmt::format("{}: {}", error.kind(), error.what());
  }
  return "no error";
}

void defaults(Narrator& l, const Settings& s) {
  const int64_t tokens = s.inputs.size(0), d = s.inputs.size(1);
  manual_seed(s.seed("--seed"));
  const nn::gpt_attention::CausalAttention dropping(d, d, tokens);
  const nn::cat::CausalAttention keeping(d, d, tokens);
  const Tensor x = s.inputs.unsqueeze(0);
  const NoGrad off;
  l.step("defaults", "What happens if one says nothing about dropout?");
  l.code(
      "module = CausalAttention(d_in, d_out, context_length)\n"
      "first_call, second_call = module(x)[0], module(x)[0]");
  const Tensor first = l.show("first_call", dropping(x)[0]), second = l.show("second_call", dropping(x)[0]);
  l.say(
      "gpt-attention drops with p = {}, cat with {}; journey wants to be told; single-and-multi and climb "
      "have no dropout at all.",
      dropping.dropout.p(), keeping.dropout.p());
  l.say(
      "So gpt-attention's class, called twice with the same input, may give two answers: here they differ "
      "by {}. cat's differ by {}.",
      apart(first, second), apart(keeping(x), keeping(x)));
  l.say("Both are right, in training mode. After eval() they agree.");
}

void order_of_arguments(Narrator& l, const Settings& s) {
  const int64_t d = s.inputs.size(1), heads = s.count("--heads"), tokens = s.inputs.size(0);
  l.step("arguments", "The order of the arguments");
  l.code(
      fmt::format("# gpt-attention: d_in, d_out, num_heads, context_length, dropout\n"
                  "# journey, cat:   d_in, d_out, context_length, dropout, num_heads\n"
                  "gpt_attention.MultiHeadAttention({0}, {0}, {1}, {2}, 0.0)\n"
                  "gpt_attention.MultiHeadAttention({0}, {0}, {2}, {1}, 0.0)\n"
                  "journey.MultiHeadAttention({0}, {0}, {1}, {2}.0, num_heads={1})",
                  d, heads, tokens));
  l.say("Meant are {} and a context of {}. gpt-attention's own order: {}.", counted(heads, "head"), tokens,
        answer_of(
            [&] { nn::gpt_attention::MultiHeadAttention(d, d, heads, tokens, 0.0)(s.inputs.unsqueeze(0)); }));
  l.say("The two exchanged, as someone does who comes from another page: {}.", answer_of([&] {
          nn::gpt_attention::MultiHeadAttention(d, d, tokens, heads, 0.0)(s.inputs.unsqueeze(0));
        }));
  const double rate = double(tokens);
  l.say("The same two given to journey's class, where the context comes third and dropout fourth: {}.",
        answer_of([&] { nn::journey::MultiHeadAttention(d, d, heads, rate, heads); }));
  l.say(
      "If the numbers happen to fit, nobody complains, and the module has another number of heads than one "
      "thinks. Write the names: num_heads=..., context_length=....");
}

void what_d_out_means(Narrator& l, const Settings& s) {
  const int64_t d = s.inputs.size(1), heads = s.count("--heads"), tokens = s.inputs.size(0);
  const nn::journey::MultiHeadAttentionWrapper wrapper(d, d, tokens, 0.0, heads);
  const nn::journey::MultiHeadAttention split(d, d, tokens, 0.0, heads);
  const Tensor x = s.inputs.unsqueeze(0);
  l.step("d-out", "What d_out counts");
  l.code(
      fmt::format("MultiHeadAttentionWrapper(d_in, {0}, num_tokens, 0.0, num_heads={1})(x).shape\n"
                  "MultiHeadAttention(d_in, {0}, num_tokens, 0.0, num_heads={1})(x).shape",
                  d, heads));
  const NoGrad off;
  l.say("In the wrapper of journey and cat d_out is the width of one head: d_out = {} and {} give {}.", d,
        counted(heads, "head"), to_string(wrapper(x).shape()));
  l.say(
      "In every MultiHeadAttention it is that of all heads together, {}, and each has {}. single-and-multi "
      "has no d_out: all is d_model wide.",
      to_string(split(x).shape()), d / heads);
  l.say("The scale follows: the root of {} in the wrapper, of {} in the others.", d, d / heads);
}

}  // namespace

void calls(Narrator& l, const Settings& s) {
  defaults(l, s);
  order_of_arguments(l, s);
  what_d_out_means(l, s);
}

void words_and_sizes(Narrator& l, const Settings& s) {
  const int64_t tokens = s.inputs.size(0), d = s.inputs.size(1);
  manual_seed(s.seed("--seed"));
  const nn::journey::CausalAttention head(d, d, tokens, 0.0);
  l.step("names", "What is called attention weights");
  l.code(
      "scores = queries @ keys.T\nbefore_softmax = scores.masked_fill(future, -torch.inf) / d**0.5\n"
      "after_softmax = torch.softmax(before_softmax, dim=-1)");
  {
    const NoGrad off;
    const Tensor scores = matmul(head.W_query(s.inputs), head.W_key(s.inputs).T()) / std::pow(double(d), 0.5);
    const Tensor before =
        l.show("before_softmax", masked_fill(scores, nn::future_mask(tokens), nn::kMinusInfinity));
    const Tensor after = l.show("after_softmax", softmax(before, -1));
    const Tensor last = before[tokens - 1];
    l.say(
        "climb says attention weights to both of these. The others keep scores for the first and weights "
        "for the second, as these lessons do.");
    l.say("The last row tells them apart: {} before, which adds to {}; {} after, which adds to {}.",
          joined_digits(last, ", ", 3), digits(sum(last)), joined_digits(after[tokens - 1], ", ", 3),
          digits(sum(after[tokens - 1])));
  }
  l.say(
      "cat's text once speaks of raw attention scores for the first. The plots that people call attention "
      "maps show the second.");

  constexpr int64_t kWidth = 768;
  const int64_t heads = s.count("--heads");
  const nn::gpt_attention::MultiHeadAttention all_biases(d, d, heads, tokens, 0.0);
  const nn::journey::MultiHeadAttention one_bias(d, d, tokens, 0.0, heads);
  const auto with_all = [](int64_t n) { return 4 * n * n + 4 * n; };
  const auto with_one = [](int64_t n) { return 4 * n * n + n; };
  l.step("sizes", "How many numbers to learn?");
  l.formula("4 d^2 + 4 d with all biases, 4 d^2 + d with that of the last layer",
            R"(4 d^2 + 4 d \quad \mathrm{or} \quad 4 d^2 + d)");
  l.code("sum(p.numel() for p in module.parameters())");
  l.show("parameters", from_values(std::vector<int64_t>{numbers_in(all_biases.named_parameters()),
                                                        numbers_in(one_bias.named_parameters())},
                                   {2}));
  l.say(
      "MultiHeadAttention at the width {}: {} numbers in gpt-attention (single-and-multi has as many), {} "
      "in journey (and cat). The formulas give {} and {}.",
      d, numbers_in(all_biases.named_parameters()), numbers_in(one_bias.named_parameters()), with_all(d),
      with_one(d));
  l.say(
      "At GPT-2's width of {} that is {} and {}. {} of difference: small, but a file of weights for the one "
      "does not load into the other.",
      kWidth, with_all(kWidth), with_one(kWidth), with_all(kWidth) - with_one(kWidth));
}

}  // namespace glassgrad::learn::compare_parts

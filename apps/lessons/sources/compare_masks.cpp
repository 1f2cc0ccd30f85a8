// How the future is marked, filled, and when the scores are scaled.
#include <cmath>

#include "apps/lesson/phrases.h"
#include "apps/lessons/sources/compare.h"
#include "engine/ops.h"
#include "nn/climb.h"
#include "nn/gpt_attention.h"
#include "nn/single_and_multi.h"

namespace glassgrad::learn::compare_parts {
namespace {

// What a module says to that many tokens.
template <class Module>
std::string answer_to(const Module& module, const Tensor& x) {
  const NoGrad off;
  try {
    module(x.unsqueeze(0));
  } catch (const Error& error) {
    return fmt::format("{}: {}", error.kind(), error.what());
  }
  return "no error";
}

struct Scores {
  Tensor scores, values, future;
  double root;
};

// Of journey's head, drawn with the lesson's seed.
Scores scores_of(const Settings& s) {
  const int64_t tokens = s.inputs.size(0), d = s.inputs.size(1);
  manual_seed(s.seed("--seed"));
  const nn::journey::CausalAttention head(d, d, tokens, 0.0);
  const NoGrad off;
  return {matmul(head.W_query(s.inputs), head.W_key(s.inputs).T()), head.W_value(s.inputs),
          nn::future_mask(tokens), std::pow(double(d), 0.5)};
}

void other_lengths(Narrator& l, const Settings& s) {
  const int64_t tokens = s.inputs.size(0), d = s.inputs.size(1);
  const Tensor shorter = s.inputs.slice(0, 0, tokens - 1),
               longer = cat({s.inputs, s.inputs.slice(0, 0, 1)}, 0);
  const nn::journey::CausalAttention cut(d, d, tokens, 0.0);
  const nn::single_and_multi::SingleHeadAttention anew(d);
  const nn::climb::SingleSelfAttentionHead whole(tokens, d, d);
  l.step("other-lengths", "A sentence of another length");
  l.code(fmt::format(
      "module(inputs[None, :-1])\nmodule(torch.cat([inputs, inputs[:1]])[None])  # context length {}",
      tokens));
  l.say(
      "The mask of journey, cat and gpt-attention is a buffer for a largest length, cut to the tokens that "
      "are there. One token fewer: {}. One more: {}.",
      answer_to(cut, shorter), answer_to(cut, longer));
  l.say("single-and-multi makes its mask in every call: {} and {}. It has no largest length.",
        answer_to(anew, shorter), answer_to(anew, longer));
  l.say("climb's mask is never cut. One fewer: {}. One more: {}.", answer_to(whole, shorter),
        answer_to(whole, longer));
  l.say("A model that writes begins with one token, so a mask that is not cut cannot be used for writing.");
}

}  // namespace

void masks(Narrator& l, const Settings& s) {
  const int64_t tokens = s.inputs.size(0);
  l.step("masks", "Three ways to mark the future");
  l.code(
      "# journey, cat, gpt-attention\nfloat_mask = torch.triu(torch.ones(T, T), diagonal=1)\n"
      "# single-and-multi\nbool_mask = torch.triu(torch.ones(T, T), diagonal=1).bool()\n"
      "# climb, which asks for == 0\nlower_mask = torch.tril(torch.ones(T, T))");
  const Tensor float_mask = l.show("float_mask", nn::causal_mask(tokens));
  const Tensor bool_mask = l.show("bool_mask", nn::future_mask(tokens));
  const Tensor lower = l.show("lower_mask", tril(ones({tokens, tokens})));
  const bool same = equal(to(float_mask, boolean), bool_mask) && equal(lower == 0, bool_mask);
  l.say(
      "The first two have 1 or True where a key comes after the query, climb's has 1 where it may be seen. "
      "As conditions for the fill they are {}.",
      same ? "the same" : "not the same");
  l.say("The float mask takes {} bytes, the bool one {}; the former is turned into the latter in every call.",
        float_mask.numel() * int64_t(item_size(float32)), bool_mask.numel());
  l.say(
      "In the wrapper every head has a float mask of its own: with 12 heads of 1024 tokens that is {:.0f} "
      "MB for one and the same triangle.",
      12.0 * 1024 * 1024 * double(item_size(float32)) / 1e6);
  other_lengths(l, s);

  const Scores v = scores_of(s);
  l.step("fill", "masked_fill, with and without the underscore");
  l.code(
      "# single-and-multi, climb, and the steps of journey\n"
      "new_scores = scores.masked_fill(future, -torch.inf)\n# the classes of journey, cat, gpt-attention\n"
      "in_place = scores.masked_fill_(future, -torch.inf)");
  const Tensor made = l.show("new_scores", masked_fill(v.scores, v.future, nn::kMinusInfinity));
  const Tensor written = clone(v.scores);
  const uint32_t before = written.version();
  masked_fill_(written, v.future, nn::kMinusInfinity);
  l.show("in_place", written);
  l.say(
      "The numbers are {}. With the underscore the scores themselves are overwritten (their version goes "
      "from {} to {}), and no second matrix is made.",
      equal(made, written) ? "the same" : "different", before, written.version());
  l.say(
      "Autograd allows it because a product of matrices does not need its result to pass a gradient back. "
      "Softmax does need its own: overwrite that, and backward ends with an error.");
}

void scaling(Narrator& l, const Settings& s) {
  const Scores v = scores_of(s);
  const auto masked = [&](const Tensor& x) { return masked_fill(x, v.future, nn::kMinusInfinity); };
  l.step("scale-and-mask", "Scale before the mask, or after?");
  l.code(
      "# the classes of journey, cat, gpt-attention\n"
      "masked_first = scores.masked_fill(future, -torch.inf) / d**0.5\n"
      "# climb; single-and-multi multiplies by 1 / sqrt(d)\n"
      "scaled_first = (scores * d**-0.5).masked_fill(future, -torch.inf)");
  const Tensor after = l.show("masked_first", masked(v.scores) / v.root);
  const Tensor before = l.show("scaled_first", masked(v.scores * std::pow(double(s.inputs.size(1)), -0.5)));
  l.say(
      "-inf stays -inf, so the order is free. The largest difference is {}{}.",
      largest_difference(after, before),
      equal(after, before) ? ": the same bits here" : ", from dividing in one and multiplying in the other");
  l.say("With a fill of -1e9, or of 0, the order would change what the fill is worth.");

  l.step("scale-twice", "And twice?");
  l.code(
      "masked = scores.masked_fill(future, -torch.inf)\nright = torch.softmax(masked / d**0.5, dim=-1)\n"
      "twice = torch.softmax(masked / d**0.5 / d**0.5, dim=-1)");
  const Tensor right = l.show("right", softmax(masked(v.scores) / v.root, -1));
  const Tensor twice = l.show("twice", softmax(masked(v.scores) / v.root / v.root, -1));
  l.say(
      "The steps of gpt-attention divide the scores where they are made, and again inside softmax; its "
      "class divides once. The weights differ by up to {}.",
      apart(right, twice));
  if (s.inputs.size(1) == 1) l.say("With d = 1 that is no harm.");
}

}  // namespace glassgrad::learn::compare_parts

// Of cat, climb and journey: sentences that their own code contradicts.
#include <cmath>

#include "apps/lesson/phrases.h"
#include "apps/lessons/sources/errata.h"
#include "engine/ops.h"
#include "nn/climb.h"
#include "nn/journey.h"

namespace glassgrad::learn::errata_parts {
namespace {

template <class F>
std::string answer_of(F&& run) {
  try {
    run();
  } catch (const Error& error) {
    return fmt::format("{}: {}", error.kind(), error.what());
  }
  return "no error";
}

void whose_question(Narrator& l, const Settings& s) {
  const int64_t d = s.inputs.size(1);
  manual_seed(s.seed("--seed"));
  const Tensor W_query = rand({d, d}), W_key = rand({d, d}), W_value = rand({d, d});
  const Tensor queries = matmul(s.inputs, W_query), keys = matmul(s.inputs, W_key),
               values = matmul(s.inputs, W_value);
  l.step("whose-question", "cat: who attends to whom");
  l.code("by_text = queries @ keys[1]\nattn_scores_2 = queries[1] @ keys.T");
  const Tensor by_text = l.show("by_text", matmul(queries, keys[1]));
  const Tensor right = l.show("attn_scores_2", matmul(queries[1], keys.T()));
  l.say(
      "To say how much {0} attends to the others the text takes the key of {0} with all queries. That is "
      "how much they attend to {0}.",
      in_quotes(s.tokens[1]));
  l.say(
      "The numbers differ by up to {}. The query is who asks; its formula two lines further down has it "
      "right.",
      apart(by_text, right));

  l.step("no-minus", "cat: small random values");
  l.code("drawn = torch.rand(d_in, d_out)");
  l.show("drawn", W_query);
  l.say(
      "The text speaks of small random values, and of negative scores. rand draws from 0 to 1: {} of the {} "
      "numbers are below 0; of the scores, made with these inputs, {} of {}.",
      sum(W_query < 0).item<int64_t>(), W_query.numel(), sum(matmul(queries, keys.T()) < 0).item<int64_t>(),
      s.inputs.size(0) * s.inputs.size(0));

  const Tensor weights = softmax(matmul(queries, keys.T()) / std::pow(double(d), 0.5), -1);
  l.step("of-what", "cat: a weighted sum of what?");
  l.code("of_inputs = weights @ inputs\nof_values = weights @ values");
  const Tensor of_inputs = l.show("of_inputs", matmul(weights, s.inputs));
  const Tensor of_values = l.show("of_values", matmul(weights, values));
  l.say(
      "Once the context is called a weighted sum of the input embeddings, once of the values. Only the "
      "second is what the code computes; the two are {} apart.",
      apart(of_inputs, of_values));
}

void as_printed(Narrator& l, const Settings& s) {
  const int64_t d = s.inputs.size(1), tokens = s.inputs.size(0);
  const nn::journey::MultiHeadAttentionWrapper wrapper(d, d, tokens, 0.0, 8);
  l.step("as-printed", "cat: code that was not run as printed");
  l.code("context_vec = weights @ values\nprint(context_vec_2)");
  l.say(
      "The last print names a variable that does not exist, context_vec_2: NameError. Labels that say shape "
      "are followed by the numbers; all lines of code have run together into one.");
  l.say(
      "Nowhere does the text say that the wrapper's result is num_heads * d_out wide. With its 8 heads and "
      "d_out = {} it is {}.",
      d, wrapper(s.inputs.unsqueeze(0)).size(2));
}

void ones_or_zeros(Narrator& l, const Settings& s) {
  const int64_t n = s.inputs.size(0);
  const Tensor future = nn::future_mask(n), lower = tril(ones({n, n}));
  l.step("ones-or-zeros", "climb: from ones, masked to 0");
  l.code(
      "masked = torch.zeros(T, T).masked_fill(future, -torch.inf)\n"
      "right_weights = torch.softmax(masked, dim=-1)\n"
      "leaking = torch.softmax(torch.ones(T, T) * tril, dim=-1)");
  const Tensor right =
      l.show("right_weights", softmax(masked_fill(zeros({n, n}), future, nn::kMinusInfinity), -1));
  const Tensor leaking = l.show("leaking", softmax(ones({n, n}) * lower, -1));
  const Tensor from_ones = softmax(masked_fill(ones({n, n}), future, nn::kMinusInfinity), -1);
  l.say(
      "The text starts from ones and sets the future to 0; the code starts from zeros and sets it to -inf. "
      "Ones instead of zeros is no matter: filled with -inf they give the same, up to {}.",
      largest_difference(from_ones, right));
  l.say("0 instead of -inf is: e^0 = 1 is a weight. {} gives {} to itself and the rest, {}, to its future.",
        in_quotes(s.tokens[0]), digits(leaking[0][0]), digits(sum(leaking[0].slice(0, 1, {}))));
}

void fixed_sizes(Narrator& l, const Settings& s) {
  const int64_t tokens = s.inputs.size(0), d = s.inputs.size(1);
  const nn::climb::SimpleAverageSelfAttention average({.data = {.chunk_size = tokens, .batch_size = 2}});
  const nn::climb::SingleSelfAttentionHead head(tokens, d, d);
  const Tensor one = s.inputs.unsqueeze(0);
  l.step("fixed-sizes", "climb: sizes that cannot be changed");
  l.code(
      "config = {\"data\": {\"chunk_size\": T, \"batch_size\": 2}}\n"
      "average = SimpleAverageSelfAttention(config)\nanswers = average(inputs[None])");
  const Tensor answers = l.show("answers", average(one));
  l.say(
      "Made for two sentences and given one, the class of averages answers with {}: broadcasting doubles "
      "the sentence without a word.",
      to_string(answers.shape()));
  l.say("Given three, it ends with {}.", answer_of([&] { average(cat({one, one, one}, 0)); }));
  l.say("The head's mask is not cut either. A token more: {}.", answer_of([&] {
          head(cat({one, one.slice(1, 0, 1)}, 1));
        }));
  l.say("Its chunk_size in forward() is read from x and then not used.");
}

void itself_too(Narrator& l, const Settings& s) {
  l.step("two-meanings", "climb: one name for two matrices");
  l.say(
      "The page calls the scores attention weights, before softmax and after. Elsewhere weights are only "
      "what adds to 1.");
  l.say(
      "A token is said to gather from those before it. Its mask keeps the diagonal: {} gathers from {} and "
      "from itself.",
      in_quotes(s.tokens[1]), in_quotes(s.tokens[0]));
}

void zeroed(Narrator& l, const Settings& s) {
  const int64_t n = s.inputs.size(0);
  const Tensor scores = matmul(s.inputs, s.inputs.T()), lower = tril(ones({n, n}));
  l.step("scores-or-weights", "journey: zero out the scores?");
  l.code(
      "zeroed_weights = torch.softmax(scores, dim=-1) * tril\n"
      "zeroed_scores = torch.softmax(scores * tril, dim=-1)");
  const Tensor weights = l.show("zeroed_weights", softmax(scores, -1) * lower);
  const Tensor by_text = l.show("zeroed_scores", softmax(scores * lower, -1));
  l.say(
      "Its text sets attention scores above the diagonal to zero. Its code does that to the weights, after "
      "softmax.");
  l.say("By the text, {} would still give {} to its future; by the code, {}.", in_quotes(s.tokens[0]),
        digits(sum(by_text[0].slice(0, 1, {}))), digits(sum(weights[0].slice(0, 1, {}))));
}

void rounded(Narrator& l, const Settings& s) {
  const Tensor weights = softmax(matmul(s.inputs, s.inputs.T()), -1);
  std::vector<double> sums;
  for (int64_t i = 0; i < weights.size(0); ++i) sums.push_back(python_sum(row_as_printed(weights, i)));
  const Tensor rounded_sums = from_values(sums, {weights.size(0)}), exact = sum(weights, {-1});
  l.step("printed-sums", "journey: sums of printed numbers");
  l.code("row_2_sum = sum([...])  # the four digits that print shows\nexact_sums = weights.sum(dim=-1)");
  l.show("rounded_sums", rounded_sums);
  l.show("exact_sums", exact);
  l.say(
      "One sum of the page is taken over the digits as printed, to show that a row adds to 1. That tests "
      "the rounding, not the row.");
  l.say("Here the sums of printed digits run from {} to {}, those of the numbers themselves from {} to {}.",
        digits(min(rounded_sums)), digits(max(rounded_sums)), digits(min(exact)), digits(max(exact)));
}

void width_one(Narrator& l, const Settings& s) {
  constexpr int64_t kHeads = 2, kTogether = 2;
  manual_seed(s.seed("--seed"));
  const nn::journey::MultiHeadAttention mha(s.inputs.size(1), kTogether, s.inputs.size(0), 0.0, kHeads);
  const NoGrad off;
  const Tensor x = s.inputs.unsqueeze(0);
  const Tensor queries = nn::split_heads(mha.W_query(x), kHeads, "queries");
  const Tensor keys = nn::split_heads(mha.W_key(x), kHeads, "keys");
  l.step("width-one", "journey: a scale that does nothing");
  l.code(
      "# MultiHeadAttention with d_out = 2, num_heads = 2\n"
      "one_wide = (queries @ keys.transpose(2, 3))[0, 0]\nscaled_one_wide = one_wide / keys.shape[-1]**0.5");
  const Tensor scores = l.show("one_wide", matmul(queries, keys.transpose(2, 3))[0][0]);
  const Tensor scaled = l.show("scaled_one_wide", scores / std::pow(double(keys.size(-1)), 0.5));
  l.say(
      "In its last class two heads share d_out = {}, so each is {} wide. The scale, explained at length "
      "before, divides by {} there: the scores differ by {}.",
      kTogether, keys.size(-1), digits(std::pow(double(keys.size(-1)), 0.5)),
      largest_difference(scores, scaled));
  l.say("It is kept small to be printed; but a head that is 1 wide can only ask with one number.");
}

void two_dimensions(Narrator& l, const Settings& s) {
  const int64_t d = s.inputs.size(1), n = s.inputs.size(0);
  manual_seed(s.seed("--seed"));
  const nn::journey::CausalAttention head(d, d, n, 0.5);
  nn::journey::CausalAttention other(d, d, n, 0.5);
  l.step("what-is-not-shown", "journey: what is said and not shown");
  l.code("ca(inputs)  # without a batch\nca.eval()\nca(batch)");
  const Tensor batch = s.inputs.unsqueeze(0);
  l.show("training", other(batch).detach()[0]);
  other.eval();
  l.show("evaluation", other(batch).detach()[0]);
  l.say(
      "The page goes on from one sentence to a batch, and its class takes nothing else: one sentence by "
      "itself ends with {}.",
      answer_of([&] { head(s.inputs); }));
  l.say(
      "Dropout, it says, is for training only; eval() never occurs. Two calls in training differ by {}, two "
      "in evaluation by {}.",
      apart(head(batch), head(batch)), apart(other(batch), other(batch)));

  width_one(l, s);
}

}  // namespace

void in_cat(Narrator& l, const Settings& s) {
  whose_question(l, s);
  as_printed(l, s);
}

void in_climb(Narrator& l, const Settings& s) {
  ones_or_zeros(l, s);
  fixed_sizes(l, s);
  itself_too(l, s);
}

void in_journey(Narrator& l, const Settings& s) {
  zeroed(l, s);
  rounded(l, s);
  two_dimensions(l, s);
}

}  // namespace glassgrad::learn::errata_parts

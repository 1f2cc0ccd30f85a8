// Five ways to hide the future, and what each of them does.
#include <cmath>

#include "apps/lesson/phrases.h"
#include "apps/lessons/journey/journey.h"
#include "apps/lessons/questions/questions.h"
#include "engine/literal.h"
#include "engine/ops.h"
#include "nn/journey.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
using nn::kMinusInfinity;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "789", "Seed of all random numbers"},
    {"--d-out", Kind::Count, "2", "Width of queries, keys and values", 256},
};
constexpr Axes kAxes[] = {
    {"masked", "query key"},
    {"minus_inf minus_1e9 beaten zero after divided unmasked strict strict_1e9 mended", "query key",
     kRowSums},
    {"context queries keys values", "token d_out"},
    {"ways asked", "way measure"},
};
constexpr double kLarge = -1e9;

// The scores, and what each way makes of them.
struct Masking {
  Tensor scores, future;  // (T, T); true where the key comes after the query
  double root;

  Tensor filled(double value) const { return softmax(masked_fill(scores, future, value) / root, -1); }
  Tensor after() const {
    const Tensor weights = softmax(scores / root, -1);
    return weights * ~future;
  }
  Tensor divided() const {
    const Tensor kept = after();
    return kept / sum(kept, {-1}, true);
  }
  std::vector<Tensor> all_ways() const {
    return {filled(kMinusInfinity), filled(kLarge), filled(0), after(), divided()};
  }
};

Masking masking_of(const nn::journey::SelfAttention_v2& layers, const Tensor& x) {
  const NoGrad off;
  const Tensor queries = layers.W_query(x), keys = layers.W_key(x);
  return {matmul(queries, keys.T()), nn::future_mask(x.size(0)), std::pow(double(queries.size(-1)), 0.5)};
}

void question(Narrator& l, const Settings& s, const Masking& m) {
  l.step("question", "Hide the future: with -inf, with -1e9, with 0, or after softmax?");
  l.code(set_seed(s, "--seed"));
  l.code(
      fmt::format("W_query, W_key, W_value = (torch.nn.Linear({0}, {1}, bias=False)\n"
                  "                           for _ in range(3))\nwith torch.no_grad():\n"
                  "    attn_scores = W_query(inputs) @ W_key(inputs).T\nprint(attn_scores)",
                  s.inputs.size(1), s.count("--d-out")));
  l.code("future = torch.ones_like(attn_scores).triu(1).bool()");
  l.show("inputs", s.inputs);
  l.print("attn_scores", m.scores);
  l.show("mask", m.future);
  l.say(
      "No token may look at one that comes after it: where mask is True the weight must be 0, and the "
      "others of the row must add to 1.");
  l.say("{} comes first and may see only itself: its row of weights has to be 1, 0, 0, and so on.",
        in_quotes(s.tokens[0]));
  l.say("Five ways are in use. Look at that first row in each of them.");
  if (!all_finite(m.scores))
    l.say(
        "These scores are not all finite. nan and inf will spread; what is said of the ways holds for "
        "finite scores.");
}

void minus_inf(Narrator& l, const Masking& m) {
  l.step("minus-inf", "The first way: -inf before softmax");
  l.formula("softmax(masked / sqrt(d_k)),  exp(-inf) = 0",
            R"(\mathrm{softmax}\left(\frac{M}{\sqrt{d_k}}\right), \qquad e^{-\infty} = 0)");
  l.code(
      "masked = attn_scores.masked_fill(future, -torch.inf)\n"
      "minus_inf = torch.softmax(masked / d_k**0.5, dim=-1)\nprint(minus_inf)");
  l.show("masked", masked_fill(m.scores, m.future, kMinusInfinity));
  const Tensor w = l.print("minus_inf", m.filled(kMinusInfinity));
  l.say(
      "exp(-inf) is exactly 0: the future takes no part in the sum of its row, and each row adds to 1 by "
      "itself.");
  l.say("The first row: {}.", joined_digits(w[0], ", "));
}

void minus_1e9(Narrator& l, const Masking& m) {
  l.step("minus-1e9", "The second way: a very negative number");
  l.code(
      "masked = attn_scores.masked_fill(future, -1e9)\n"
      "minus_1e9 = torch.softmax(masked / d_k**0.5, dim=-1)\nprint(minus_1e9)");
  const Tensor w = l.print("minus_1e9", m.filled(kLarge));
  l.say(
      "exp of such a number is smaller than the smallest float32, so it becomes 0 as well. The largest "
      "difference from way 1 is {}.",
      largest_difference(w, m.filled(kMinusInfinity)));
  l.say("It is the same only as long as real scores stay far above the number.");
}

void beaten(Narrator& l, const Masking& m) {
  constexpr double kFill = -1e4, kDown = 15000;
  const Masking low{m.scores - kDown, m.future, 1};
  l.step("beaten", "When the scores are lower than the fill");
  l.code("low = attn_scores - 15000\nbeaten = torch.softmax(low.masked_fill(future, -1e4), dim=-1)");
  const Tensor w = l.show("beaten", low.filled(kFill));
  l.say(
      "Older code fills with -10000. Training may drive scores to any size; here all are moved down by {}, "
      "which changes no softmax.",
      kDown);
  if (all(m.scores < 4000).is_true())
    l.say(
        "Now -10000 is the largest number of every row that has a future. The first row keeps {} for "
        "itself, and the future has the rest: {}.",
        digits(w[0][0]), joined_digits(w[0], ", "));
  l.say(
      "Nothing stops such a model from learning to cheat. -inf cannot be beaten: there is nothing below it.");
}

void zero(Narrator& l, const Settings& s, const Masking& m) {
  l.step("zero", "The third way, a slip: 0 before softmax");
  l.code(
      "masked = attn_scores.masked_fill(future, 0)\nzero = torch.softmax(masked / d_k**0.5, dim=-1)\n"
      "print(zero)");
  const Tensor w = l.print("zero", m.filled(0));
  l.say("A score of 0 is no absence: exp(0) = 1. The first row is {}.", joined_digits(w[0], ", "));
  const Tensor ahead = sum(w[0].slice(0, 1, {}));
  l.say(
      "{} gives {} of its attention to what it must not see. And a real score below 0 gets less than a "
      "hidden one.",
      in_quotes(s.tokens[0]), digits(ahead));
}

void after(Narrator& l, const Masking& m) {
  l.step("after", "The fourth way: after softmax, multiply by 0");
  l.code("weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)\nafter = weights * ~future\nprint(after)");
  l.show("unmasked", softmax(m.scores / m.root, -1));
  const Tensor w = l.print("after", m.after());
  l.say(
      "The future has weight 0, but what is left of a row need not add to 1: the first one adds to {}, the "
      "last to {}.",
      digits(sum(w[0])), digits(sum(w[w.size(0) - 1])));
  l.say(
      "The hidden scores still stand in the denominators: how much is left for the past depends on what the "
      "future says.");
}

void divided(Narrator& l, const Masking& m) {
  l.step("divided", "The fifth way: then divide by the row sums");
  l.code("divided = after / after.sum(dim=-1, keepdim=True)\nprint(divided)");
  const Tensor w = l.print("divided", m.divided());
  l.say(
      "The denominators cancel, and a row of which something was left adds to 1 again. The largest "
      "difference from way 1 is {}.",
      largest_difference(w, m.filled(kMinusInfinity)));
  l.say(
      "The price is a second pass over the matrix; and a row whose past got weights too small for float32 "
      "would be divided by 0.");
}

void measured(Narrator& l, const Settings& s, const Masking& m, const Masking& other) {
  const std::vector<Tensor> ways = m.all_ways(), changed = other.all_ways();
  std::vector<Tensor> rows;
  for (size_t i = 0; i < ways.size(); ++i)
    rows.push_back(
        stack({sum(ways[i][0]), sum(ways[i][0].slice(0, 1, {})), max(abs(ways[i][0] - changed[i][0]))}, 0));
  l.step("measured", "The test: change the future, watch the past");
  l.code(
      "other = inputs.clone()\nother[-1] *= -2  # and all five ways again\n"
      "ways = w[0].sum(), w[0, 1:].sum(), (w[0] - w_other[0]).abs().max()");
  const Tensor table = l.show("ways", stack(rows, 0));
  l.say(
      "A row for each way. Columns: what the first row adds to, what it gives to the future, and how far it "
      "moves when the last token, {}, is changed.",
      in_quotes(s.tokens.back()));
  l.say("In order, the first row moves by {}.", joined_digits(table.select(1, 2), ", "));
  if (all_finite(table) && table[3][2].item() > 0)
    l.say("Way 4 shows its fault: no weight goes to the future, and yet {} can tell what the last token is.",
          in_quotes(s.tokens[0]));
  l.say(
      "A mask hides the future if that column is 0, whatever the weights look like. It is a test worth "
      "having for every model.");
}

// How much a loss of the first context asks of the scores that its row hides, and of the values that come
// later: for each way two sums of |gradients|.
Tensor asked_of_the_future(const Masking& m, const Tensor& values) {
  std::vector<Tensor> rows;
  for (size_t way = 0; way < m.all_ways().size(); ++way) {
    const Tensor scores = clone(m.scores).requires_grad_(), seen = clone(values).requires_grad_();
    const Tensor weights = Masking{scores, m.future, m.root}.all_ways()[way];
    mean(square(matmul(weights, seen)[0])).backward();
    rows.push_back(
        stack({sum(abs(scores.grad()[0].slice(0, 1, {}))), sum(abs(seen.grad().slice(0, 1, {})))}, 0));
  }
  return stack(rows, 0);
}

void learning(Narrator& l, const Settings& s, const nn::journey::SelfAttention_v2& layers, const Masking& m) {
  l.step("learning", "The same test backward: what does the future learn?");
  l.given("layers", layers);
  const Tensor queries = l.show("queries", layers.W_query(s.inputs));
  const Tensor keys = l.show("keys", layers.W_key(s.inputs));
  const Tensor values = l.show("values", layers.W_value(s.inputs));
  const Masking graph{l.show("attn_scores", matmul(queries, keys.T())), m.future, m.root};
  const Tensor weights = l.show("minus_inf", graph.filled(kMinusInfinity));
  const Tensor context = l.show("context", matmul(weights, values));
  const Tensor loss = l.show("loss", mean(square(context)));
  l.loss("loss", loss);
  l.code(
      "attn_scores = queries @ keys.T\nminus_inf = way_1(attn_scores)\ncontext = minus_inf @ values\n"
      "loss = (context ** 2).mean()\nloss.backward()\n"
      "# and for each way, of the first token's context alone:\n"
      "(way(attn_scores) @ values)[0].square().mean().backward()\n"
      "asked = attn_scores.grad[0, 1:].abs().sum(), values.grad[1:].abs().sum()");
  l.say(
      "A loss made of the contexts, {}, goes backward through the weights into scores and values. What a "
      "mask hides must get no gradient: else training writes the future into the weights.",
      digits(loss));
  const Tensor asked = l.show("asked", asked_of_the_future(m, values.detach()));
  const auto sizes = [&](int64_t column) {
    std::vector<std::string> words;
    for (int64_t way = 0; way < asked.size(0); ++way)
      words.push_back(largest_difference(asked[way][column], zeros({})));
    return joined(words, ", ");
  };
  l.say(
      "asked has a row for each way, from a loss of {}'s context alone: what it asks of the scores that are "
      "hidden from it, {}, and of the values that come later, {}.",
      in_quotes(s.tokens[0]), sizes(0), sizes(1));
  if (all_finite(asked) && asked[2][1].item() > 0 && asked[3][0].item() > 0)
    l.say(
        "Way 3 cuts the scores off and still learns from later values; way 4 cuts the values off and still "
        "learns from hidden scores, through the denominator.");
}

void fully_masked(Narrator& l, const Settings& s, const nn::journey::SelfAttention_v2& layers,
                  const Masking& m) {
  const Tensor strict = to(triu(ones(m.scores.shape()), 0), boolean);
  const Masking all{m.scores, strict, m.root};
  l.step("fully-masked", "A row with nothing left: nan");
  l.formula("exp(-inf) / (exp(-inf) + exp(-inf) + ...) = 0 / 0",
            R"(\frac{e^{-\infty}}{\sum e^{-\infty}} = \frac{0}{0})");
  l.code(
      "strict = torch.ones_like(attn_scores).triu(0).bool()  # the diagonal too\n"
      "masked = attn_scores.masked_fill(strict, -torch.inf)\n"
      "strict_weights = torch.softmax(masked / d_k**0.5, dim=-1)\nprint(strict_weights)\n"
      "context = strict_weights @ values");
  const Tensor w = l.print("strict", all.filled(kMinusInfinity));
  const Tensor values = layers.W_value(s.inputs);
  const Tensor context = matmul(w, values);
  l.show("context", context.detach());
  sum(context).backward();
  const Tensor grad = layers.W_value.weight.grad();
  l.say(
      "A mask that takes the diagonal as well leaves {} nothing at all: its sum is 0, and 0 / 0 is nan, not "
      "a number.",
      in_quotes(s.tokens[0]));
  l.say(
      "Nothing stops it: its context vector is nan, a loss made of it is nan, and of the {} numbers of "
      "W_value's gradient {} are nan. An optimizer would write them into the weights.",
      grad.numel(), sum(grad != grad).item<int64_t>());
  l.say("It also happens to a row of padding, or where a mask's True and False are mixed up.");
}

void hidden_nan(Narrator& l, const Masking& m) {
  const Tensor strict = to(triu(ones(m.scores.shape()), 0), boolean);
  const Masking all{m.scores, strict, m.root};
  l.step("silent", "The same row with -1e9: no nan, and wrong");
  l.code(
      "masked = attn_scores.masked_fill(strict, -1e9)\n"
      "strict_1e9 = torch.softmax(masked / d_k**0.5, dim=-1)\nprint(strict_1e9)\n"
      "empty = strict.all(dim=-1, keepdim=True)\nmended = torch.where(empty, 0., strict_weights)");
  const Tensor w = l.print("strict_1e9", all.filled(kLarge));
  const Tensor none = sum(~strict, {-1}, true) == 0;
  l.show("mended", where(none, 0.0, all.filled(kMinusInfinity)));
  l.say(
      "All scores of the first row are -1e9 now, so all are equal: {}. It looks at every token alike, the "
      "future included, and no nan warns of it.",
      joined_digits(w[0], ", "));
  l.say(
      "Better: keep the diagonal, so that no row is empty. Where empty rows are possible, write 0 into "
      "them, as in mended: who may look at nothing gathers nothing.");
}

void remember(Narrator& l) {
  l.step("remember", "To remember");
  l.say("Before softmax, -inf, diagonal kept: exact zeros, rows that add to 1, and no score can beat it.");
  l.say(
      "0 before softmax is a score like any other. A mask after softmax needs a division, and without it "
      "the future still shows in the sums.");
  l.say("nan means that a row had nothing left: find that row, do not fill it with another number.");
}

Tensor inputs(const Settings& s) { return journey.inputs(s); }

Plan plan(const Settings& s) {
  const double tokens = double(s.inputs.size(0));
  return {60 * tokens * tokens + 8 * tokens * double(s.inputs.size(1)), "fewer rows", 6};
}

void tell(Narrator& l, const Settings& s) {
  manual_seed(s.seed("--seed"));
  const nn::journey::SelfAttention_v2 layers(s.inputs.size(1), s.count("--d-out"));
  const int64_t last = s.inputs.size(0) - 1;
  const Masking m = masking_of(layers, s.inputs);
  const Tensor other = clone(s.inputs);
  const Tensor last_row = other[last];
  mul_(last_row, -2);
  question(l, s, m);
  minus_inf(l, m);
  minus_1e9(l, m);
  beaten(l, m);
  zero(l, s, m);
  after(l, m);
  divided(l, m);
  measured(l, s, m, masking_of(layers, other));
  learning(l, s, layers, m);
  fully_masked(l, s, layers, m);
  hidden_nan(l, m);
  remember(l);
}

constexpr const char* kTokens[] = {"Your", "journey", "starts", "with", "one", "step"};

}  // namespace

const Lesson mask_five_ways = {
    .id = "mask.five-ways",
    .group = Group::Attention,
    .source = "How is the future hidden?",
    .understand = "what -inf, -1e9, 0 and a mask after softmax do, and where nan comes from",
    .minutes = 10,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = kTokens,
    .inputs = inputs,
    .plan = plan,
    .tell = tell,
};

}  // namespace glassgrad::learn

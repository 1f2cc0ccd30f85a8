// Why scores are divided by the root of d.
#include <algorithm>
#include <cmath>

#include "apps/lesson/dot_products.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/questions/questions.h"
#include "engine/ops.h"
#include "nn/attention.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--width", Kind::Count, "64", "Width d of queries and keys", 4096},
    {"--keys", Kind::Count, "5", "Keys that the query is compared with", 16},
};
constexpr Axes kAxes[] = {
    {"products", "d"},
    {"variance scaled_variance widths", "width"},
    {"scores raw_scores scaled_scores values", "key_number"},
    {"raw_weights weights", "key_number", kRowSums},
    {"by_divisor", "divisor key_number", kRowSums},
    {"shrinking", "width measure"},
    {"grad", "way measure"},
};
constexpr int64_t kWidths[] = {1, 4, 16, 64, 256};

// One query and some keys, with what softmax makes of their scores.
struct Draw {
  Tensor query, keys;  // (d,), (n, d)
  double root;
  Tensor scores() const { return matmul(keys, query); }
};

Draw draw(int64_t width, int64_t keys) {
  const Tensor query = randn({width});
  return {query, randn({keys, width}), std::pow(double(width), 0.5)};
}

void question(Narrator& l, const Settings& s, const Draw& d) {
  const int64_t width = s.count("--width");
  l.step("question", "Why divide the scores, and why by a root?");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format(
      "query, keys = torch.randn({0}), torch.randn({1}, {0})\nscores = keys @ query\nprint(scores)", width,
      s.count("--keys")));
  l.print("scores", d.scores());
  l.say("Every number of the query and of {} is drawn from N(0, 1), so most lie between -2 and 2.",
        counted(s.count("--keys"), "key"));
  l.say(
      "The scores run from {} to {}. Nobody made anything large, and softmax takes e to the power of these.",
      digits(min(d.scores())), digits(max(d.scores())));
}

void one_score(Narrator& l, const Draw& d) {
  const Tensor products = d.query * d.keys[0];
  l.step("one-score", "A score is a sum of d products");
  l.formula("q . k = q_1 k_1 + q_2 k_2 + ... + q_d k_d", R"(q \cdot k = \sum_{i=1}^{d} q_i k_i)");
  l.code("products = query * keys[0]\nprint(products.sum())");
  l.show("products", products);
  l.print("score", sum(products));
  l.say("{} = {}.", joined_digits(products, " + ", 4), digits(sum(products)));
  l.say(
      "Each product is about as large as 1, some above 0 and some below. They cancel in part, but not "
      "wholly: the more there are, the further their sum strays from 0.");
}

void variance(Narrator& l, const Settings& s) {
  const auto [raw, scaled] = dot_product_variances(kWidths, s.seed("--seed"));
  l.step("variance", "How far: the variance grows like d");
  l.formula("var(q . k) = d,  var(q . k / sqrt(d)) = 1",
            R"(\mathrm{var}(q \cdot k) = d, \qquad \mathrm{var}\left(\frac{q \cdot k}{\sqrt{d}}\right) = 1)");
  l.code(
      "q, k = torch.randn(2000, d), torch.randn(2000, d)  # for each d\ndots = (q * k).sum(dim=-1)\n"
      "variance, scaled_variance = dots.var(), (dots / d**0.5).var()");
  l.show("widths",
         from_values(std::vector<int64_t>(std::begin(kWidths), std::end(kWidths)), {std::ssize(kWidths)}));
  l.show("variance", raw);
  l.show("scaled_variance", scaled);
  l.say("2000 pairs of random vectors for each width: the variances are {}.", joined_digits(raw, ", "));
  l.say(
      "Variances of independent summands add: d products with variance 1 give d. The spread is the root of "
      "it, and that is why one divides by a root.");
  l.say("Divided, they are {}: near 1 at every width.", joined_digits(scaled, ", "));
}

// How far the largest score is above the next.
double gap_of(const Tensor& scores) {
  std::vector<double> sorted = scores.to_vector<double>();
  std::sort(sorted.rbegin(), sorted.rend());
  return sorted[0] - sorted[1];
}

void saturated(Narrator& l, const Draw& d, int64_t width) {
  const Tensor scores = d.scores();
  l.step("saturated", "What softmax makes of large scores");
  l.code(
      "raw_weights = torch.softmax(scores, dim=-1)\nweights = torch.softmax(scores / d**0.5, dim=-1)\n"
      "print(raw_weights)\nprint(weights)");
  const Tensor raw = l.print("raw_weights", softmax(scores, -1));
  const Tensor scaled = l.print("weights", softmax(scores / d.root, -1));
  l.say("Without the division the best key gets {}, with it {}.", digits(max(raw)), digits(max(scaled)));
  if (raw.numel() > 1 && width > 1)
    l.say(
        "Softmax turns a difference of scores into a ratio of weights: the best key is e to the {} times "
        "the next best before, and e to the {} times after.",
        digits(gap_of(scores)), digits(gap_of(scores) / d.root));
  if (raw.numel() > 1 && max(raw).item() > 0.9)
    l.say("Before anything was learned, one key has nearly won by chance.");
}

double largest_slope(const Tensor& w) { return max(abs(eye(w.size(0)) * w - outer(w, w))).item(); }

void shrinking(Narrator& l, const Settings& s) {
  constexpr int kDraws = 50;
  std::vector<Tensor> rows;
  for (const int64_t width : kWidths) {
    double raw_largest = 0, raw = 0, scaled_largest = 0, scaled = 0;
    for (int i = 0; i < kDraws; ++i) {
      const Draw d = draw(width, s.count("--keys"));
      const Tensor raw_weights = softmax(d.scores(), -1), weights = softmax(d.scores() / d.root, -1);
      raw_largest += max(raw_weights).item() / kDraws;
      raw += largest_slope(raw_weights) / kDraws;
      scaled_largest += max(weights).item() / kDraws;
      scaled += largest_slope(weights) / kDraws;
    }
    rows.push_back(from_values(std::vector<double>{raw_largest, raw, scaled_largest, scaled}, {4}));
  }
  l.step("shrinking", "And what that does to learning");
  l.formula("dw_i/dx_j = w_i (1 - w_i) or -w_i w_j",
            R"(\frac{\partial w_i}{\partial x_j} = w_i(\delta_{ij} - w_j))");
  l.code(
      "J = torch.diag(w) - torch.outer(w, w)  # w: raw, then scaled weights\n"
      "shrinking = w.max(), J.abs().max()");
  const Tensor table = l.show("shrinking", stack(rows, 0));
  const Tensor first = table[0], last = table[table.size(0) - 1];
  l.say(
      "Rows: the widths 1, 4, 16, 64, 256. Columns: the largest weight and the largest slope of softmax, "
      "first without, then with the division; means of {} draws.",
      kDraws);
  l.say("Without it the largest weight goes from {} to {} and the slope from {} to {}.", digits(first[0]),
        digits(last[0]), digits(first[1]), digits(last[1]));
  l.say("With it they are {} and {} at the widest.", digits(last[2]), digits(last[3]));
  l.say(
      "Every gradient of a query or key goes through that slope. Where it is near 0 they learn next to "
      "nothing, just when they have everything to learn.");
}

// What the weights gather from a value for each key, and the lengths of its gradients.
struct Gathered {
  Tensor number, lengths;
};
Gathered gather(Narrator& l, const Draw& d, const Tensor& values, double divisor, const std::string& before) {
  const Tensor query = clone(d.query).requires_grad_(), keys = clone(d.keys).requires_grad_();
  l.given("query", query), l.given("keys", keys);
  const Tensor scores = l.show(before + "scores", matmul(keys, query) / divisor);
  const Tensor weights = l.show(before + "weights", softmax(scores, -1));
  const Tensor gathered = l.show(before + "gathered", dot(weights, values));
  l.loss(before + "gathered", gathered);
  gathered.backward();
  return {gathered, stack({norm(query.grad()), norm(keys.grad())}, 0)};
}

void through_the_engine(Narrator& l, const Settings& s, const Draw& d) {
  const Tensor values = randn({s.count("--keys")});
  l.step("gradients", "One backward pass each");
  l.code(fmt::format(
      "values = torch.randn({})\ngathered = torch.softmax(keys @ query / divisor, dim=-1) @ values\n"
      "gathered.backward()\ngrad = query.grad.norm(), keys.grad.norm()  # divisor 1, then d**0.5",
      s.count("--keys")));
  l.show("values", values);
  const Gathered raw = gather(l, d, values, 1, "raw_"), scaled = gather(l, d, values, d.root, "");
  const Tensor grad = l.show("grad", stack({raw.lengths, scaled.lengths}, 0));
  l.say(
      "Say that each key has one number to give. The weights gather {} without the division, {} with it. "
      "How would query and keys have to move to change that?",
      digits(raw.number), digits(scaled.number));
  l.say("The lengths of the gradients of query and keys: {} without, {} with the division.",
        joined_digits(grad[0], " and "), joined_digits(grad[1], " and "));
  l.say(
      "The division itself makes a gradient smaller too, by the factor {}. It pays off only where softmax "
      "was saturated; a single draw may show either.",
      digits(d.root));
}

void which_d(Narrator& l, const Draw& d, int64_t width) {
  constexpr int kHeads = 8;
  const Tensor scores = d.scores();
  const double model_root = std::pow(double(width * kHeads), 0.5);
  l.step("which-d", "Which d, and how often?");
  l.code(
      fmt::format("# divisor: 1, d**0.5, ({} * d)**0.5, d\n"
                  "by_divisor = torch.softmax(scores / divisor, dim=-1)",
                  kHeads));
  const Tensor w =
      l.show("by_divisor", stack({softmax(scores, -1), softmax(scores / d.root, -1),
                                  softmax(scores / model_root, -1), softmax(scores / double(width), -1)},
                                 0));
  l.say(
      "The width of one head: as many products as the sum has. Rows: divided by 1, by the root of d, by "
      "that of a model {} heads wide, and by the root twice.",
      kHeads);
  l.say(
      "The largest weights are {}. Too much division is the milder mistake: the row comes near {}, everyone "
      "alike, and must be learned away from there.",
      joined_digits(amax(w, {-1}), ", "), digits(1.0 / double(scores.numel())));
}

void where_it_stands(Narrator& l, const Draw& d) {
  const Tensor scores = d.scores(), of_query = matmul(d.keys, d.query / d.root);
  const int64_t n = scores.numel();
  l.step("where", "Before or after the mask, on scores or on queries?");
  l.code("of_query = keys @ (query / d**0.5)\nscaled_scores = scores / d**0.5");
  l.show("scaled_scores", scores / d.root);
  l.say("Dividing the query instead of the scores gives the same up to {}: fewer divisions, other roundings.",
        largest_difference(of_query, scores / d.root));
  const Tensor future = arange(n) > 0;
  const Tensor before = masked_fill(scores / d.root, future, nn::kMinusInfinity);
  const Tensor after = masked_fill(scores, future, nn::kMinusInfinity) / d.root;
  l.say("With a mask of -inf the order does not matter, for -inf divided is -inf: the two differ by {}.",
        largest_difference(before, after));
}

void remember(Narrator& l) {
  l.step("remember", "To remember");
  l.say(
      "A dot product of two random vectors has variance d. Divided by the root of d it has 1, at every "
      "width.");
  l.say("Unscaled scores saturate softmax: one weight near 1, slopes near 0, nothing to learn from.");
  l.say(
      "d is the width of a head's queries and keys. It is about the beginning: trained scores may be as "
      "large as training wants.");
}

void tell(Narrator& l, const Settings& s) {
  manual_seed(s.seed("--seed"));
  const Draw d = draw(s.count("--width"), s.count("--keys"));
  question(l, s, d);
  one_score(l, d);
  variance(l, s);
  saturated(l, d, s.count("--width"));
  shrinking(l, s);
  through_the_engine(l, s, d);
  which_d(l, d, s.count("--width"));
  where_it_stands(l, d);
  remember(l);
}

}  // namespace

const Lesson scale_why = {
    .id = "scale.why",
    .group = Group::Attention,
    .source = "Why are scores divided by the root of d?",
    .understand = "why dot products grow with the width, and what large scores do to learning",
    .minutes = 8,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = {},
    .inputs = nullptr,
    .plan = nullptr,
    .tell = tell,
};

}  // namespace glassgrad::learn

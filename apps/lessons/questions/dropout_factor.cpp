// What dropout multiplies the survivors with.
#include "apps/lesson/phrases.h"
#include "apps/lessons/questions/questions.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/attention.h"
#include "nn/layers.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--dropout", Kind::Fraction, "0.5", "Rate p of the dropout"},
    {"--size", Kind::Count, "6", "Rows and columns", 16},
};
constexpr Axes kAxes[] = {
    {"example x y x_grad", "row column"},
    {"table", "rate number"},
    {"attn_weights dropped mean_weights in_training in_eval", "query_number key_number", kRowSums},
    {"row_sums", "query_number"},
    {"first_mask second_mask", "row column"},
};

std::string as_python(double p) { return python_float(p); }

void question(Narrator& l, const Settings& s) {
  const double p = s.fraction("--dropout");
  const int64_t n = s.count("--size");
  l.step("question", "Some numbers are dropped. Why do the others change?");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("dropout = torch.nn.Dropout({})\nexample = torch.ones({}, {})\nprint(dropout(example))",
                     as_python(p), n, n));
  manual_seed(s.seed("--seed"));
  const Tensor example = l.print("example", nn::Dropout(p)(ones({n, n})));
  const int64_t zeros = sum(example == 0).item<int64_t>();
  l.say("{} go in, and each is dropped with probability {}. {} were.", counted(example.numel(), "one"),
        as_python(p), zeros);
  if (zeros < example.numel() && p > 0)
    l.say("What stays is not 1 but {}. Who did that, and how does one know the number?",
          digits(max(example)));
  else
    l.say("With that rate the rest of the lesson shows the border case; 0.5 or 0.1 show more.");
}

void factor(Narrator& l, const Settings& s) {
  constexpr double kRates[] = {0, 0.1, 0.2, 0.5, 0.9};
  std::vector<Tensor> rows;
  for (const double p : kRates) rows.push_back(from_values(std::vector<double>{p, 1 - p, 1 / (1 - p)}, {3}));
  const double p = s.fraction("--dropout");
  l.step("factor", "The factor: 1 / (1 - p)");
  l.formula("y = x * m / (1 - p),  m = 1 with probability 1 - p, else 0",
            R"(y = \frac{x\, m}{1 - p}, \qquad P(m = 1) = 1 - p)");
  l.show("table", stack(rows, 0));
  l.say(
      "Columns: the rate p, the part that stays, and the factor. p = 0.1 gives {}, 0.2 gives {}, 0.5 gives "
      "{}.",
      digits(rows[1][2]), digits(rows[2][2]), digits(rows[3][2]));
  l.say(
      "It is not 1 + p: dropping a tenth multiplies the rest by {}, not by 1.1, for (1 - p) times the "
      "factor has to be 1: on average a number keeps its size.",
      digits(rows[1][2]));
  if (p < 1) l.say("With the rate {} of this run it is {}.", as_python(p), digits(1 / (1 - p)));
}

Tensor causal_weights(const Settings& s) {
  const int64_t n = s.count("--size");
  return softmax(masked_fill(randn({n, n}), nn::future_mask(n), nn::kMinusInfinity), -1);
}

void on_weights(Narrator& l, const Settings& s, const Tensor& weights) {
  const double p = s.fraction("--dropout");
  const int64_t n = weights.size(0);
  l.step("on-weights", "On attention weights: do the rows still add to 1?");
  l.code(fmt::format(
      "future = torch.ones({0}, {0}).triu(1).bool()\n"
      "scores = torch.randn({0}, {0}).masked_fill(future, -torch.inf)\n"
      "attn_weights = torch.softmax(scores, dim=-1)\ndropped = dropout(attn_weights)\nprint(dropped)\n"
      "print(dropped.sum(dim=-1))",
      n));
  l.show("attn_weights", weights);
  const Tensor dropped = l.print("dropped", nn::Dropout(p)(weights));
  const Tensor sums = l.print("row_sums", sum(dropped, {-1}));
  l.say("Before, every row added to 1. Now the sums run from {} to {}, and nothing divides again.",
        digits(min(sums)), digits(max(sums)));
  if (const int64_t empty = sum(sums == 0).item<int64_t>(); empty > 0)
    l.say("{} nothing left: such a token gathers nothing in this pass.",
          empty == 1 ? "One row has" : fmt::format("{} rows have", empty));
  if (p > 0 && p < 1)
    l.say(
        "That is meant. The sums are right on average only, and the network learns not to lean on a single "
        "weight.");
}

void on_average(Narrator& l, const Settings& s, const Tensor& weights) {
  constexpr int kDraws = 2000;
  const nn::Dropout dropout(s.fraction("--dropout"));
  Tensor total = zeros(weights.shape());
  for (int i = 0; i < kDraws; ++i) total = total + dropout(weights);
  l.step("on-average", "What remains on average");
  l.formula("mean of y = (1 - p) * x / (1 - p) = x", R"(E[y] = (1 - p) \cdot \frac{x}{1 - p} = x)");
  l.code(fmt::format("mean_weights = sum(dropout(attn_weights) for _ in range({0})) / {0}", kDraws));
  const Tensor mean_weights = l.show("mean_weights", total / double(kDraws));
  l.say("The mean of {} draws differs from the weights by {} at most.", kDraws, apart(mean_weights, weights));
  if (s.fraction("--dropout") > 0 && s.fraction("--dropout") < 1)
    l.say(
        "Had the survivors kept their size, every mean would be {} of its weight: later layers would see "
        "other sizes in training than in use.",
        digits(1 - s.fraction("--dropout")));
}

void same_seed(Narrator& l, const Settings& s, const Tensor& weights) {
  const nn::Dropout dropout(s.fraction("--dropout"));
  const auto kept = [&](const Tensor& x) {
    manual_seed(s.seed("--seed"));
    return dropout(x) != 0;
  };
  l.step("same-seed", "Which ones are dropped?");
  l.code(set_seed(s, "--seed"));
  l.code("first_mask = dropout(torch.ones_like(attn_weights)) != 0");
  l.code(set_seed(s, "--seed"));
  l.code("second_mask = dropout(attn_weights) != 0");
  const Tensor first = l.show("first_mask", kept(ones(weights.shape())));
  const Tensor second = l.show("second_mask", kept(weights));
  const int64_t different = sum((first != second) & (weights != 0)).item<int64_t>();
  l.say(
      "The seed decides, not the numbers: of the weights that are not 0, {} have another fate the second "
      "time.",
      different == 0 ? "none" : std::to_string(different));
  if (dropout.p() > 0 && dropout.p() < 1)
    l.say("Weights that the mask has set to 0 use up a draw each all the same.");
  l.say(
      "Another build of PyTorch may draw in another way and drop others with the same seed; glassgrad drops "
      "the same ones everywhere.");
}

void backward(Narrator& l, const Settings& s) {
  const int64_t n = s.count("--size");
  const Tensor x = ones({n, n}).requires_grad_();
  manual_seed(s.seed("--seed"));
  const Tensor y = nn::Dropout(s.fraction("--dropout"))(x);
  l.step("backward", "Backward: the same mask, the same factor");
  l.given("x", l.show("x", x));
  l.loss("y", l.show("y", y));
  sum(y).backward();
  l.formula("dL/dx = dL/dy * m / (1 - p)",
            R"(\frac{\partial L}{\partial x} = \frac{\partial L}{\partial y} \cdot \frac{m}{1 - p})");
  l.code(set_seed(s, "--seed"));
  l.code(
      "x = torch.ones_like(example, requires_grad=True)\ny = dropout(x)\ny.sum().backward()\nprint(x.grad)");
  const Tensor grad = l.print("x_grad", x.grad());
  l.say(
      "x is all 1 and the loss is the sum, so the gradient is the mask times the factor; it differs from "
      "what came out by {}.",
      largest_difference(grad, y));
  l.say("What was dropped learns nothing in this step.");
}

void train_and_eval(Narrator& l, const Settings& s, const Tensor& weights) {
  nn::Dropout dropout(s.fraction("--dropout"));
  l.step("train-and-eval", "The switch: train and eval");
  l.code(
      "dropout.train()\nin_training = dropout(attn_weights)\nprint(in_training)\ndropout.eval()\n"
      "in_eval = dropout(attn_weights)\nprint(in_eval)");
  const Tensor trained = l.print("in_training", dropout(weights));
  dropout.eval();
  const Tensor evaluated = l.print("in_eval", dropout(weights));
  l.say(
      "After eval() the layer hands on what it gets: the difference from the weights is {}. Because of the "
      "factor nothing has to be made up for.",
      apart(evaluated, weights));
  l.say(
      "In training it is {}. A model that answers differently each time it is asked has usually been left "
      "in training.",
      apart(trained, weights));
  l.say("Modules are built in training mode; eval() on a model reaches all of its layers.");
}

void remember(Narrator& l, const Settings& s) {
  const double p = s.fraction("--dropout");
  l.step("remember", "To remember");
  l.say("Each number is dropped with probability p, the others are multiplied by 1 / (1 - p){}.",
        p < 1 ? fmt::format(": for p = {} by {}", as_python(p), digits(1 / (1 - p))) : "");
  l.say("Rows of dropped weights need not add to 1; on average over many draws they do.");
  l.say("Only in training: eval() before you use or measure a model.");
}

void tell(Narrator& l, const Settings& s) {
  question(l, s);
  factor(l, s);
  const Tensor weights = causal_weights(s);
  on_weights(l, s, weights);
  on_average(l, s, weights);
  same_seed(l, s, weights);
  backward(l, s);
  train_and_eval(l, s, weights);
  remember(l, s);
}

}  // namespace

const Lesson dropout_factor = {
    .id = "dropout.factor",
    .group = Group::Attention,
    .source = "What does dropout multiply the rest with?",
    .understand = "why the survivors grow by 1/(1-p), why rows stop adding to 1, and what eval() is for",
    .minutes = 7,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = {},
    .inputs = nullptr,
    .plan = nullptr,
    .tell = tell,
};

}  // namespace glassgrad::learn

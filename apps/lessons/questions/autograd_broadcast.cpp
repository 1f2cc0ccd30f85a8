// Which axis a gradient is summed over where shapes were broadcast.
#include <fmt/format.h>

#include "apps/lesson/phrases.h"
#include "apps/lessons/questions/questions.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/layers.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--rows", Kind::Count, "4", "Rows of x", 16},
    {"--columns", Kind::Count, "3", "Columns of x", 16},
};
constexpr Axes kAxes[] = {
    {"x y g g_x s_terms each_row", "row column"},
    {"bias bias.grad over_rows central scale scale.grad layer_bias_grad by_hand", "column"},
    {"over_columns", "row"},
    {"offset offset.grad", "row one"},
    {"batch out", "batch row column"},
};

struct Sum {
  Tensor x, bias, g;
};

Sum question(Narrator& l, const Settings& s) {
  manual_seed(s.seed("--seed"));
  const int64_t rows = s.count("--rows"), columns = s.count("--columns");
  const Tensor x = randn({rows, columns}).requires_grad_(), bias = randn({columns}).requires_grad_();
  const Tensor g = randn({rows, columns});
  l.step("question", "One bias for many rows: what is its gradient?");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format(
      "x = torch.randn({0}, {1}, requires_grad=True)\nbias = torch.randn({1}, requires_grad=True)\n"
      "g = torch.randn({0}, {1})\ny = x + bias\nprint(y)",
      rows, columns));
  l.given("x", l.show("x", x));
  l.given("bias", l.show("bias", bias));
  l.loss("y", l.print("y", x + bias));
  l.say("x has {}, the bias has {} and is added to every row: it is broadcast.", counted(rows, "row"),
        counted(columns, "number"));
  l.say(
      "Backward brings a gradient of the shape of y, {}. The gradient of the bias must have the shape of "
      "the bias, {}. Which numbers go together?",
      to_string(x.shape()), to_string(bias.shape()));
  return {x, bias, g};
}

void who_used_it(Narrator& l, const Sum& v) {
  const int64_t rows = v.x.size(0);
  l.step("who-used-it", "Who used one number of the bias?");
  l.code("each_row = bias.expand(x.shape)\nprint(each_row.stride())");
  const Tensor each_row = l.show("each_row", v.bias.detach().expand(v.x.shape()));
  l.print_line(fmt::format("({})", fmt::join(each_row.strides(), ", ")));
  l.say("Broadcasting acts as if the bias stood there {}.",
        rows == 1 ? "once" : fmt::format("{} times", rows));
  if (rows > 1)
    l.say(
        "Nothing is copied: to get to the next row one moves {} numbers on in memory, so each row is the "
        "same "
        "memory.",
        each_row.strides()[0]);
  l.say("bias[0] = {} is used in column 0 of every row, and in no other column.", digits(v.bias[0]));
}

void summed(Narrator& l, const Sum& v) {
  l.step("summed", "A number used often gets the sum of what its uses get");
  l.formula("dL/dbias_j = sum over i of g_ij,  g = dL/dy",
            R"(\frac{\partial L}{\partial b_j} = \sum_i g_{ij}, \qquad g = \frac{\partial L}{\partial y})");
  l.code("y.backward(g)\nprint(bias.grad)\nover_rows = g.sum(dim=0)");
  l.show("g", v.g);
  (v.x + v.bias).backward(v.g);
  const Tensor grad = l.print("bias.grad", v.bias.grad());
  const Tensor over_rows = l.show("over_rows", sum(v.g, {0}));
  l.say(
      "g stands for what comes from above, dL/dy. bias[0] moves all of column 0 of y, so its gradient is "
      "that column's sum:");
  l.say("{} = {}.", joined_digits(v.g.select(1, 0), " + "), digits(over_rows[0]));
  l.say(
      "The axis that is summed is the one that was stretched: dim 0. The engine's bias.grad differs from it "
      "by {}.",
      largest_difference(grad, over_rows));
}

void same_shape(Narrator& l, const Sum& v) {
  l.step("same-shape", "Nothing to sum for x");
  l.code("print(x.grad)");
  const Tensor grad = l.print("g_x", v.x.grad());
  l.say("x was not stretched: every number of it has one use, and its gradient is g itself{}.",
        equal(grad, v.g) ? "" : " up to rounding");
}

void wrong_axis(Narrator& l, const Sum& v) {
  const int64_t rows = v.x.size(0), columns = v.x.size(1);
  l.step("wrong-axis", "The slip: the other axis");
  l.code("over_columns = g.sum(dim=1)");
  const Tensor over_columns = l.show("over_columns", sum(v.g, {1}));
  if (rows != columns) {
    l.say("g.sum(dim=1) has {}, the bias {}: the shapes do not fit, and that is luck.",
          counted(rows, "number"), columns);
    l.say(
        "With as many rows as columns the wrong sum has the right shape, and nothing but a check would "
        "tell.");
  } else {
    l.say("g.sum(dim=1) has {}, as many as the bias: the shape is right and no error tells of the slip.",
          counted(rows, "number"));
    l.say("Its numbers are off by up to {}.", apart(over_columns, v.bias.grad()));
  }
}

void checked(Narrator& l, const Sum& v) {
  constexpr double kStep = 1e-3;
  const Tensor x = to(v.x.detach(), float64), bias = to(v.bias.detach(), float64), g = to(v.g, float64);
  const auto loss = [&](int64_t j, double by) {
    const Tensor moved = clone(bias);
    const Tensor one = moved[j];
    add_(one, by);
    return sum((x + moved) * g);
  };
  std::vector<Tensor> central;
  for (int64_t j = 0; j < bias.size(0); ++j)
    central.push_back((loss(j, kStep) - loss(j, -kStep)) / (2 * kStep));
  l.step("checked", "The check: move the number and look");
  l.formula("(L(b + h) - L(b - h)) / 2h", R"(\frac{L(b_j + h) - L(b_j - h)}{2h})");
  l.code("L = lambda bias: ((x + bias) * g).sum()  # in float64, h = 0.001");
  const Tensor found = l.show("central", stack(central, 0));
  l.say("Each number of the bias is moved up and down by {}, and L is computed anew: a central difference.",
        kStep);
  l.say("The largest difference from bias.grad is {}, what float32 has rounded.",
        largest_difference(found, to(v.bias.grad(), float64)));
}

void stretched_columns(Narrator& l, const Settings& s) {
  const int64_t rows = s.count("--rows"), columns = s.count("--columns");
  const Tensor x = randn({rows, columns}), g = randn({rows, columns});
  const Tensor offset = randn({rows, 1}).requires_grad_();
  l.step("stretched-columns", "A column that is stretched");
  l.code(
      fmt::format("x, g = torch.randn({0}, {1}), torch.randn({0}, {1})\n"
                  "offset = torch.randn({0}, 1, requires_grad=True)\n(x + offset).backward(g)\n"
                  "print(offset.grad)",
                  rows, columns));
  l.show("g", g);
  l.show("offset", offset);
  (x + offset).backward(g);
  l.print("offset.grad", offset.grad());
  l.say("The shape {} is stretched along dim 1, so dim 1 is summed, and kept with size 1: {}.",
        to_string(offset.shape()), "g.sum(dim=1, keepdim=True)");
  l.say("Row 0: {} = {}.", joined_digits(g[0], " + "), digits(offset.grad()[0]));
}

void factors(Narrator& l, const Settings& s) {
  const int64_t rows = s.count("--rows"), columns = s.count("--columns");
  const Tensor x = randn({rows, columns}), g = randn({rows, columns});
  const Tensor scale = randn({columns}).requires_grad_();
  l.step("factors", "A factor instead of a summand");
  l.formula("dL/dscale_j = sum over i of g_ij x_ij",
            R"(\frac{\partial L}{\partial s_j} = \sum_i g_{ij}\, x_{ij})");
  l.code(fmt::format(
      "x, g = torch.randn({0}, {1}), torch.randn({0}, {1})\nscale = torch.randn({1}, requires_grad=True)\n"
      "(x * scale).backward(g)\nprint(scale.grad)",
      rows, columns));
  l.show("x", x);
  l.show("g", g);
  l.show("scale", scale);
  (x * scale).backward(g);
  l.print("scale.grad", scale.grad());
  l.show("s_terms", g * x);
  l.say(
      "First the operation's own rule, here g times x, in the stretched shape; then the sum over what was "
      "stretched.");
  l.say("Layer norm's weight and bias get their gradients in just this way.");
}

void layer(Narrator& l, const Settings& s) {
  const int64_t rows = s.count("--rows"), columns = s.count("--columns");
  const nn::Linear linear(columns, columns);
  const Tensor batch = randn({2, rows, columns}), g = randn({2, rows, columns});
  l.step("layer", "The bias of a layer");
  l.code(fmt::format(
      "linear = torch.nn.Linear({0}, {0})\nbatch, g = torch.randn(2, {1}, {0}), torch.randn(2, {1}, {0})\n"
      "linear(batch).backward(g)\nprint(linear.bias.grad)",
      columns, rows));
  l.show("batch", batch);
  const Tensor out = linear(batch);
  l.show("out", out);
  out.backward(g);
  const Tensor grad = l.print("layer_bias_grad", linear.bias.grad());
  const Tensor by_hand = l.show("by_hand", sum(g, {0, 1}));
  l.say(
      "Here the bias stands behind every token of every sentence: batch and tokens are both summed, {} uses.",
      2 * rows);
  l.say("g.sum(dim=(0, 1)) differs from it by {}.", largest_difference(grad, by_hand));
}

void remember(Narrator& l) {
  l.step("remember", "To remember");
  l.say("Where the forward pass repeats a number, the backward pass sums.");
  l.say(
      "Align the shapes at the right. Sum over every axis that was missing or had size 1; what comes out "
      "has the shape that went in.");
  l.say(
      "A gradient of the right shape may still be summed over the wrong axis: check with a central "
      "difference.");
}

void tell(Narrator& l, const Settings& s) {
  const Sum sum = question(l, s);
  who_used_it(l, sum);
  summed(l, sum);
  same_shape(l, sum);
  wrong_axis(l, sum);
  checked(l, sum);
  stretched_columns(l, s);
  factors(l, s);
  layer(l, s);
  remember(l);
}

}  // namespace

const Lesson autograd_broadcast = {
    .id = "autograd.broadcast",
    .group = Group::Autograd,
    .source = "Which axis of a gradient is summed?",
    .understand = "what broadcasting means for backward, and why a bias gets the sum over rows",
    .minutes = 8,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = {},
    .inputs = nullptr,
    .plan = nullptr,
    .tell = tell,
};

}  // namespace glassgrad::learn

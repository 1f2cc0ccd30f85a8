// The gradient of a product of matrices, cell by cell.
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
    {"--rows", Kind::Count, "2", "Rows of A", 12},
    {"--inner", Kind::Count, "3", "Columns of A, rows of B", 12},
    {"--columns", Kind::Count, "4", "Columns of B", 12},
};
constexpr Axes kAxes[] = {
    {"A A.grad dA central_A difference_A", "row inner"},
    {"B B.grad dB central_B", "inner column"},
    {"C g", "row column"},
    {"users_of_cell", "column"},
    {"x", "batch token d_in"},
    {"g_out", "batch token d_out"},
    {"per_sentence", "batch d_out d_in"},
    {"weight.grad", "d_out d_in"},
};
constexpr double kStep = 1e-3;

struct Product {
  Tensor A, B, g;  // float32; g is dL/dC
};

Tensor loss(const Tensor& A, const Tensor& B, const Tensor& g) { return sum(matmul(A, B) * g); }

Product question(Narrator& l, const Settings& s) {
  const int64_t m = s.count("--rows"), k = s.count("--inner"), n = s.count("--columns");
  manual_seed(s.seed("--seed"));
  const Tensor A = randn({m, k}).requires_grad_(), B = randn({k, n}).requires_grad_(), g = randn({m, n});
  l.step("question", "C = A B. How does A have to change?");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format(
      "A = torch.randn({0}, {1}, requires_grad=True)\nB = torch.randn({1}, {2}, requires_grad=True)\n"
      "g = torch.randn({0}, {2})\nC = A @ B\nprint(C)",
      m, k, n));
  l.given("A", l.show("A", A));
  l.given("B", l.show("B", B));
  l.loss("C", l.print("C", matmul(A, B)));
  l.show("g", g);
  l.say("Every projection, every score and every context vector of attention is such a product.");
  l.say(
      "The pass from above brings g = dL/dC, one number for each cell of C: how L moves when that cell "
      "moves.");
  l.say("Books then write dL/dA = g B^T. Where does the transpose come from?");
  return {A, B, g};
}

void one_cell(Narrator& l, const Product& p) {
  const int64_t m = p.A.size(0), n = p.B.size(1);
  const Tensor users = p.B.detach()[0];
  l.step("one-cell", "Follow one cell of A");
  l.formula("C_0j = A_00 B_0j + A_01 B_1j + ...", R"(C_{0j} = A_{00} B_{0j} + A_{01} B_{1j} + \cdots)");
  l.code("users_of_cell = B[0]  # what A[0, 0] is multiplied by");
  l.show("users_of_cell", users);
  l.say(
      "A[0, 0] is used in row 0 of C and nowhere else{}, once for each column j, and there it is multiplied "
      "by B[0, j].",
      m > 1 ? fmt::format(": {} of {} cells", n, m * n) : "");
  l.say(
      "If A[0, 0] grows by a little h, then C[0, j] grows by h times B[0, j], and L by g[0, j] times that.");
  l.say("A number that is used often adds up what its uses bring:");
  std::vector<std::string> terms;
  const Tensor products = p.g[0] * users;
  for (int64_t j = 0; j < n; ++j)
    terms.push_back(fmt::format("{} * {}", digits(p.g[0][j]), digits(users[j])));
  l.say("{} = {}.", joined(terms, " + ", 4), digits(sum(products)));
}

void all_cells(Narrator& l, const Product& p) {
  l.step("all-cells", "All cells at once: a product again");
  l.formula("dL/dA = g B^T", R"(\frac{\partial L}{\partial A} = g\, B^\top)");
  l.code("dA = g @ B.T\nC.backward(g)\nprint(A.grad)");
  const Tensor dA = l.show("dA", matmul(p.g, p.B.detach().T()));
  matmul(p.A, p.B).backward(p.g);
  const Tensor grad = l.print("A.grad", p.A.grad());
  l.say(
      "Row i of g times row k of B, number by number, and added: rows with rows. A matrix product takes "
      "rows with columns, so B is turned.");
  l.say("The cell of the last step stands at the upper left, {}. The engine's A.grad differs by {} at most.",
        digits(dA[0][0]), largest_difference(dA, grad));
}

Tensor central_differences(const Tensor& x, const std::function<Tensor(const Tensor&)>& f) {
  std::vector<double> found;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const auto moved = [&](double by) {
      const Tensor copy = clone(x);
      const Tensor cell = copy.view({-1})[i];
      add_(cell, by);
      return f(copy);
    };
    found.push_back(((moved(kStep) - moved(-kStep)) / (2 * kStep)).item());
  }
  return from_values(found, x.shape(), float64);
}

void checked(Narrator& l, const Product& p) {
  const Tensor A = to(p.A.detach(), float64), B = to(p.B.detach(), float64), g = to(p.g, float64);
  const Tensor central = central_differences(A, [&](const Tensor& x) { return loss(x, B, g); });
  l.step("checked", "Every cell against a central difference");
  l.formula("(L(A + h in one cell) - L(A - h in it)) / 2h", R"(\frac{L(A_{ik} + h) - L(A_{ik} - h)}{2h})");
  l.code("L = lambda A: ((A @ B) * g).sum()  # in float64, h = 0.001");
  const Tensor dA = l.show("dA", matmul(g, B.T()));
  l.show("central_A", central);
  l.show("difference_A", abs(central - dA));
  l.say("A has {}. Each is moved up and down by {}, and L computed anew; nothing of the formula is used.",
        counted(A.numel(), "cell"), kStep);
  l.say(
      "The largest difference is {}. L is a straight line in each cell, so only rounding is left, whatever "
      "h.",
      largest_difference(central, dA));
}

void other_side(Narrator& l, const Product& p) {
  const Tensor B64 = to(p.B.detach(), float64), A64 = to(p.A.detach(), float64), g64 = to(p.g, float64);
  const Tensor central = central_differences(B64, [&](const Tensor& x) { return loss(A64, x, g64); });
  l.step("other-side", "The other side: B");
  l.formula("dL/dB = A^T g", R"(\frac{\partial L}{\partial B} = A^\top g)");
  l.code("dB = A.T @ g\nprint(B.grad)");
  l.show("dB", matmul(p.A.detach().T(), p.g));
  const Tensor grad = l.print("B.grad", p.B.grad());
  l.show("central_B", central);
  l.say(
      "B[k, j] is used in column j of C, once for each row i, times A[i, k]: column with column, so now A "
      "is turned, and it stands on the left.");
  l.say("Against central differences: {} at most.", largest_difference(central, to(grad, float64)));
}

void shapes(Narrator& l, const Product& p) {
  const int64_t m = p.A.size(0), k = p.A.size(1), n = p.B.size(1);
  l.step("shapes", "How to find it again without thinking");
  l.say("g has the shape of C, {}; dL/dA must have that of A, {}, and B has {}.", to_string(p.g.shape()),
        to_string(p.A.shape()), to_string(p.B.shape()));
  if (m != k && k != n && m != n)
    l.say("Of all products of g with B or B^T, only g B^T fits: ({}, {}) times ({}, {}).", m, n, n, k);
  else
    l.say("Here sizes are equal, so more than one product can be formed: the shapes alone do not decide.");
  l.say(
      "With square matrices everything fits, also what is wrong. Then the central difference is the judge.");
  if (m == n && n == k) {
    l.say("g B instead of g B^T would be off by {}.", apart(matmul(p.g, p.B.detach()), p.A.grad()));
  }
}

void in_a_layer(Narrator& l, const Settings& s) {
  const int64_t tokens = s.count("--rows"), d_in = s.count("--inner"), d_out = s.count("--columns");
  const nn::Linear layer(d_in, d_out, false);
  const Tensor x = randn({2, tokens, d_in}), g = randn({2, tokens, d_out});
  l.step("in-a-layer", "In a layer: one weight, many tokens");
  l.formula("y = x W^T,  dL/dW = sum over sentences of g^T x",
            R"(y = x W^\top, \qquad \frac{\partial L}{\partial W} = \sum_b g_b^\top x_b)");
  l.code(
      fmt::format("layer = torch.nn.Linear({0}, {1}, bias=False)\n"
                  "x, g = torch.randn(2, {2}, {0}), torch.randn(2, {2}, {1})\nlayer(x).backward(g)\n"
                  "print(layer.weight.grad)\nper_sentence = g.transpose(1, 2) @ x",
                  d_in, d_out, tokens));
  l.show("x", x);
  l.show("g_out", g);
  layer(x).backward(g);
  const Tensor grad = l.print("weight.grad", layer.weight.grad());
  const Tensor per_sentence = l.show("per_sentence", matmul(g.transpose(1, 2), x));
  l.say(
      "nn.Linear stores W as (out, in) and computes x W^T, so the gradient is g^T x and has W's own shape, "
      "{}.",
      to_string(grad.shape()));
  l.say(
      "All sentences use the same W: their gradients are added. The sum of the two in per_sentence differs "
      "from weight.grad by {}.",
      largest_difference(sum(per_sentence, {0}), grad));
}

void remember(Narrator& l) {
  l.step("remember", "To remember");
  l.say(
      "C = A B: dA = g B^T and dB = A^T g. A product's backward pass is two products, about twice the work "
      "of the forward pass.");
  l.say(
      "Each cell of A collects, over all cells of C that it went into, what they bring times what it was "
      "multiplied by there.");
  l.say("To compute dA one needs B, and A for dB: that is why both are kept until backward has run.");
}

void tell(Narrator& l, const Settings& s) {
  const Product p = question(l, s);
  one_cell(l, p);
  all_cells(l, p);
  checked(l, p);
  other_side(l, p);
  shapes(l, p);
  in_a_layer(l, s);
  remember(l);
}

}  // namespace

const Lesson autograd_matmul = {
    .id = "autograd.matmul",
    .group = Group::Autograd,
    .source = "What is the gradient of a matrix product?",
    .understand = "why dA = g B^T and dB = A^T g, cell by cell, and how to check it",
    .minutes = 8,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = {},
    .inputs = nullptr,
    .plan = nullptr,
    .tell = tell,
};

}  // namespace glassgrad::learn

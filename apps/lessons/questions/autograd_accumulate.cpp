// Why gradients add up, and when they have to be cleared.
#include "apps/lesson/phrases.h"
#include "apps/lesson/recording.h"
#include "apps/lessons/questions/questions.h"
#include "apps/lessons/questions/two_paths.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--a", Kind::Count, "2", "Value of a", 1000},
    {"--b", Kind::Count, "3", "Value of b", 1000},
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--rows", Kind::Count, "6", "Rows of the batch that is read in two parts", 64},
};
constexpr Axes kAxes[] = {
    {"first_grads second_grads", "node"}, {"x", "row feature"},   {"target", "row"},
    {"w.grad whole.grad", "feature"},     {"losses", "way step"},
};

double grad_of_a(const TwoPaths& g) { return g.tensors[0].grad().item(); }

std::string grad_text(const Tensor& x) { return x.grad() ? printed(x.grad()) : "None"; }
const char* python_bool(bool is) { return is ? "True" : "False"; }

void question(Narrator& l, const TwoPaths& g) {
  l.step("question", "I called backward twice. Why is the gradient twice as large?");
  l.code(g.leaves_code());
  l.code("c, d = a + b, a * b\ny = (c + d) + c * d\nprint(a.grad)");
  l.print_line(grad_text(g.tensors[0]));
  l.say("Before a backward pass a.grad is not zero, it is not there: None.");
  l.code("y.backward(retain_graph=True)\nprint(a.grad)");
  l.given("a", g.tensors[0]), l.given("b", g.tensors[1]);
  for (const size_t i : {0u, 1u, 2u, 3u, 6u})  // a, b, c, d, y
    l.show(TwoPaths::kNames[i], g.tensors[i]);
  l.loss("y", g.y());
  g.y().backward({}, true);
  l.print("a.grad", g.tensors[0].grad());
  l.say("One backward pass sets it to dy/da = {}.", whole(grad_of_a(g)));
}

void twice(Narrator& l, const TwoPaths& g) {
  const double once = grad_of_a(g);
  l.step("twice", "The same pass again");
  l.code("y.backward(retain_graph=True)\nprint(a.grad)");
  g.y().backward({}, true);
  l.print("a.grad", g.tensors[0].grad());
  l.say("Nothing was computed anew, the graph is the same, and a.grad is {}: {} + {}.", whole(grad_of_a(g)),
        whole(once), whole(once));
  l.say("backward() does not write a gradient, it adds one to what is there.");
}

void who_keeps(Narrator& l, const TwoPaths& g) {
  l.step("who-keeps", "Which numbers keep a gradient?");
  l.code("print(a.is_leaf, c.is_leaf)\nprint(c.grad)");
  l.print_line(
      fmt::format("{} {}", python_bool(g.tensors[0].is_leaf()), python_bool(g.tensors[2].is_leaf())));
  l.print_line(grad_text(g.tensors[2]));
  l.say("a and b were not computed from anything: they are leaves, and leaves keep their gradient.");
  l.say(
      "c was computed. Its gradient existed while the pass ran and was given back when c's rule had used "
      "it; c.grad is None.");
  l.code("c.retain_grad()\ny.backward(retain_graph=True)\nprint(c.grad)");
  g.tensors[2].retain_grad();
  g.y().backward({}, true);
  const double c_once = g.tensors[2].grad().item();
  l.print("c.grad", g.tensors[2].grad());
  g.y().backward({}, true);
  l.say(
      "Asked to, c keeps it too, from now on: {}. One more pass adds to that, as for a leaf: c.grad is {}, and "
      "a.grad is {} after four.",
      whole(c_once), whole(g.tensors[2].grad()), whole(grad_of_a(g)));
}

void interior(Narrator& l, const TwoPaths& g) {
  l.step("interior", "What if every number kept adding?");
  NaiveEngine engine(g);
  engine.in_topological_order(true);
  const Tensor first = l.show("first_grads", engine.grads());
  engine.in_topological_order(true);
  const Tensor second = l.show("second_grads", engine.grads());
  l.say(
      "A first engine of one's own often gives every number a grad that is added to, in the order a, b, c, "
      "d, e, f, y. One pass gives {} for a, and that is right.",
      whole(first[0]));
  l.say(
      "The second pass starts with 1 for y, but c and d still hold what the first one left there and hand "
      "it on once more: a gets {}.",
      whole(second[0]));
  l.say(
      "Twice {} would have been {}. So only leaves may add up; what lies between has to start at zero in "
      "every pass.",
      whole(first[0]), whole(2 * first[0].item()));
}

void cleared(Narrator& l, const TwoPaths& g) {
  l.step("cleared", "Clearing");
  l.code(
      "a.grad = b.grad = None  # optimizer.zero_grad() does so for all\ny.backward(retain_graph=True)\n"
      "print(a.grad)");
  for (const int leaf : {0, 1}) g.tensors[size_t(leaf)].set_grad({});
  g.y().backward({}, true);
  l.print("a.grad", g.tensors[0].grad());
  l.say("Cleared before the pass, a.grad is {} again, however many passes came before.", whole(grad_of_a(g)));
}

void graph_is_gone(Narrator& l, const TwoPaths& g) {
  l.step("graph-is-gone", "Why retain_graph?");
  l.code("y.backward()\ny.backward()");
  g.y().backward();
  std::string answer = "no error";
  try {
    g.y().backward();
  } catch (const Error& error) {
    answer = fmt::format("{}: {}", error.kind(), error.what());
  }
  l.say(
      "A pass frees what the rules have kept for it, unless it is told to retain the graph. The next one "
      "then ends with:");
  l.say("{}", answer.substr(0, answer.find(". ") + 1));
  l.say("In training nobody notices: every step computes its loss, and with it the graph, anew.");
}

struct Batch {
  Tensor x, target, w;
};

Tensor loss_of(const Batch& b, int64_t from, int64_t to) {
  return sum(square(matmul(b.x.slice(0, from, to), b.w) - b.target.slice(0, from, to))) / double(b.x.size(0));
}

void two_parts(Narrator& l, const Settings& s, const Batch& b) {
  const int64_t rows = b.x.size(0), half = (rows + 1) / 2;
  l.step("two-parts", "What adding is good for: a batch in two parts");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format(
      "x, target = torch.randn({}, 3), torch.randn({})\nw = torch.zeros(3, requires_grad=True)", rows, rows));
  l.code(fmt::format(
      "loss = lambda rows: ((x[rows] @ w - target[rows]) ** 2).sum() / {0}\nloss(slice(0, {0})).backward()\n"
      "print(w.grad)\nw.grad = None\nloss(slice(0, {1})).backward()\nloss(slice({1}, {0})).backward()\n"
      "print(w.grad)",
      rows, half));
  l.show("x", b.x);
  l.show("target", b.target);
  loss_of(b, 0, rows).backward();
  const Tensor whole = l.print("whole.grad", clone(b.w.grad()));
  b.w.set_grad({});
  loss_of(b, 0, half).backward();
  loss_of(b, half, rows).backward();
  l.print("w.grad", b.w.grad());
  l.say(
      "The loss of a batch is a sum over its rows, and so is its gradient. Two passes over {} and {} rows, "
      "without clearing in between, leave the gradient of all {}; the largest difference is {}.",
      half, rows - half, rows, largest_difference(whole, b.w.grad()));
  l.say(
      "That is how a batch that does not fit into memory is trained on: part by part, and one step at the "
      "end.");
}

Tensor train(const Batch& b, bool clear) {
  constexpr int kSteps = 8;
  constexpr double kRate = 0.1;
  const Batch mine{b.x, b.target, clone(b.w.detach()).requires_grad_()};
  std::vector<Tensor> losses;
  for (int step = 0; step < kSteps; ++step) {
    if (clear) mine.w.set_grad({});
    const Tensor loss = loss_of(mine, 0, b.x.size(0));
    losses.push_back(loss.detach());
    loss.backward();
    const NoGrad off;
    sub_(mine.w, mine.w.grad() * kRate);
  }
  return stack(losses, 0);
}

void forgotten(Narrator& l, const Batch& b) {
  l.step("forgotten", "And if one forgets to clear");
  l.code(
      "for step in range(8):\n    w.grad = None  # the second row of losses is without this line\n"
      "    loss = ((x @ w - target) ** 2).mean()\n    loss.backward()\n    with torch.no_grad():\n"
      "        w -= 0.1 * w.grad");
  const Tensor losses = l.show("losses", stack({train(b, true), train(b, false)}, 0));
  const Tensor with = losses[0], without = losses[1];
  l.say("Eight steps, with clearing in the first row and without in the second.");
  l.say("The losses end at {} and {}.", digits(with[7]), digits(without[7]));
  l.say(
      "No error tells of it: every step also repeats all the steps before it, like a ball that rolls "
      "without friction.");
  if ((without[7] > min(without)).is_true())
    l.say("Here it has rolled past the lowest point and up again: the loss was down at {} before.",
          digits(min(without)));
}

void remember(Narrator& l) {
  l.step("remember", "To remember");
  l.say("backward() adds to the .grad of leaves. Clear them before a pass, or mean it.");
  l.say(
      "Computed numbers keep nothing unless asked (retain_grad), and no pass reads what another has left "
      "there.");
  l.say("Before the first pass there is no gradient: None, not zero.");
}

void tell(Narrator& l, const Settings& s) {
  const TwoPaths g(double(s.count("--a")), double(s.count("--b")));
  question(l, g);
  twice(l, g);
  who_keeps(l, g);
  interior(l, g);
  cleared(l, g);
  graph_is_gone(l, g);
  manual_seed(s.seed("--seed"));
  const Tensor x = randn({s.count("--rows"), 3}), target = randn({s.count("--rows")});
  const Batch batch{x, target, zeros({3}).requires_grad_()};
  two_parts(l, s, batch);
  forgotten(l, batch);
  remember(l);
}

}  // namespace

const Lesson autograd_accumulate = {
    .id = "autograd.accumulate",
    .group = Group::Autograd,
    .source = "Why do gradients add up, and who clears them?",
    .understand = "what backward leaves behind, what zero_grad is for, and what the second pass must not see",
    .minutes = 8,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = {},
    .inputs = nullptr,
    .plan = nullptr,
    .tell = tell,
};

}  // namespace glassgrad::learn

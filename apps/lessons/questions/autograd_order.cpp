// Why a backward pass needs a topological order.
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
};
constexpr Axes kAxes[] = {
    {"values users grads counts", "node"},
    {"paths", "path factor"},
    {"products", "path"},
    {"a_grad", "engine first_input"},
};

std::vector<std::string> whole_numbers(const Tensor& x) {
  std::vector<std::string> words;
  for (const double v : x.to_vector<double>()) words.push_back(whole(v));
  return words;
}

void question(Narrator& l, const TwoPaths& g) {
  l.step("question", "Why can backward not simply follow the graph?");
  l.code(g.leaves_code());
  l.code("c = a + b\nd = a * b\ne = c + d\nf = c * d\ny = e + f\nprint(y)");
  l.given("a", g.tensors[0]), l.given("b", g.tensors[1]);
  l.show("values", g.values());
  for (size_t i = 0; i < TwoPaths::kY; ++i) l.show(TwoPaths::kNames[i], g.tensors[i]);
  l.loss("y", l.print("y", g.y()));
  l.say("Seven numbers, made one from the other; values has them in the order a, b, c, d, e, f, y.");
  l.say(
      "Backward walks from y to a and b. Each operation knows only its own rule: handed the gradient of its "
      "result, it hands each input that gradient times a local derivative.");
  l.say(
      "So one could write: run the rule of y, then go to its inputs and do the same there, down to a. Is "
      "that right? The three engines of this lesson run the same rules on the same graph, and only their "
      "order differs.");
}

// All ways from y down to a, each as its local derivatives.
void collect_paths(const TwoPaths& g, int node, std::vector<double> factors,
                   std::vector<std::vector<double>>& found) {
  if (node == TwoPaths::kA) {
    factors.resize(3, 1.0);
    found.push_back(std::move(factors));
    return;
  }
  const std::vector<int> inputs = g.inputs(node);
  const std::vector<double> local = g.step(node, 1);
  for (size_t k = 0; k < inputs.size(); ++k) {
    std::vector<double> longer = factors;
    longer.push_back(local[k]);
    collect_paths(g, inputs[k], longer, found);
  }
}

void all_paths(Narrator& l, const TwoPaths& g) {
  std::vector<std::vector<double>> found;
  collect_paths(g, TwoPaths::kY, {}, found);
  std::vector<Tensor> rows;
  for (const std::vector<double>& factors : found) rows.push_back(from_values(factors, {3}));
  l.step("all-paths", "What the answer has to be: the sum over all paths");
  l.formula(
      "dy/da = sum over paths from y to a of the product of local derivatives",
      R"(\frac{dy}{da} = \sum_{\mathrm{paths}} \prod_{\mathrm{edges}} \frac{\partial\,\mathrm{out}}{\partial\,\mathrm{in}})");
  const Tensor paths = l.show("paths", stack(rows, 0));
  const Tensor products = l.show("products", prod(paths, 1));
  l.show("users", g.users());
  l.say("The chain rule multiplies along a path and adds over paths. From y to a there are {} paths.",
        found.size());
  l.say(
      "Row by row they are y-e-c-a, y-e-d-a, y-f-c-a and y-f-d-a, and paths holds their local derivatives.");
  l.say("{} = {}: that is dy/da.", joined(whole_numbers(products), " + "), whole(sum(products)));
  l.say(
      "Paths cross: users counts what each number was used for, and c and d were used twice. That is all "
      "the trouble.");
}

void recursion(Narrator& l, const TwoPaths& g, const NaiveEngine& by_left, double right) {
  l.step("recursion", "First try: recursion");
  l.code(
      "def visit(node):\n    for x, derivative in node.inputs:\n        x.grad += derivative * node.grad\n"
      "    for x, _ in node.inputs:\n        visit(x)");
  l.show("grads", by_left.grads());
  l.show("counts", by_left.counts());
  l.say("Every node runs its rule and then visits its inputs. The visits, in their order: {}.",
        names_of(by_left.visits()));
  l.say("a ends with {}; right is {}.", whole(by_left.grad(0)), whole(right));
  const int64_t visits_of_c = by_left.counts()[2].item<int64_t>();
  l.say(
      "c is visited {} times, once for each number that was made of it, and each time it hands on its whole "
      "gradient: what came the first time is handed on again the second time.",
      visits_of_c);
  l.say(
      "Counted for every number in counts: {} visits for a graph of {} numbers. Where the paths double at "
      "every fork, so do the visits: a deep network would need more of them than anyone can wait for.",
      by_left.visits().size(), g.tensors.size());
}

void one_visit(Narrator& l, const NaiveEngine& by_left, double right) {
  l.step("one-visit", "Second try: never visit a node twice");
  l.code(
      "def visit(node):\n    if node in seen:\n        return\n    seen.add(node)\n"
      "    for x, derivative in node.inputs:\n        x.grad += derivative * node.grad\n"
      "    for x, _ in node.inputs:\n        visit(x)");
  l.show("grads", by_left.grads());
  l.show("counts", by_left.counts());
  l.say("Now every node runs once: {}.", names_of(by_left.visits()));
  l.say("a ends with {}, again not {}: too early instead of too often.", whole(by_left.grad(0)),
        whole(right));
  l.say(
      "f runs last. What it hands to c and d does arrive, c ends with {} and d with {}, but their turn is "
      "over: nothing of it goes on to a.",
      whole(by_left.grad(2)), whole(by_left.grad(3)));
}

void topological(Narrator& l, const NaiveEngine& engine, double right) {
  l.step("topological", "What works: after all its users");
  l.code(
      "def put(node):\n    if node in seen:\n        return\n    seen.add(node)\n"
      "    for x, _ in node.inputs:\n        put(x)\n    order.append(node)  # its inputs stand before it\n"
      "put(y)\nfor node in reversed(order):\n    for x, derivative in node.inputs:\n"
      "        x.grad += derivative * node.grad");
  l.show("grads", engine.grads());
  l.show("counts", engine.counts());
  l.say("A node may run once its gradient is complete: when every number that was made of it has run.");
  l.say(
      "Write down each node after its inputs, and read the list backwards. That is a topological order: {}.",
      names_of(engine.visits()));
  l.say("a gets {}, with one visit for each node.", whole(engine.grad(0)));
  if (engine.grad(0) == right) l.say("The sum over the paths was {}.", whole(right));
}

void side_by_side(Narrator& l, const TwoPaths& g, double right) {
  std::vector<Tensor> rows;
  using Walk = void (NaiveEngine::*)(bool);
  for (const Walk walk :
       {&NaiveEngine::in_topological_order, &NaiveEngine::recurse, &NaiveEngine::visit_once}) {
    std::vector<double> row;
    for (const bool left_first : {true, false}) {
      NaiveEngine engine(g);
      (engine.*walk)(left_first);
      row.push_back(engine.grad(TwoPaths::kA));
    }
    rows.push_back(from_values(row, {2}));
  }
  l.step("side-by-side", "The three side by side");
  const Tensor a_grad = l.show("a_grad", stack(rows, 0));
  l.say(
      "A row for each engine: topological order, recursion, one visit. A column for each way to go through "
      "the inputs of a node: the left one first, or the right one first.");
  l.say("Recursion gives {} or {}, one visit {} or {}, the topological order {} and {}.", whole(a_grad[1][0]),
        whole(a_grad[1][1]), whole(a_grad[2][0]), whole(a_grad[2][1]), whole(a_grad[0][0]),
        whole(a_grad[0][1]));
  if (!equal(a_grad.select(1, 0), a_grad.select(1, 1)))
    l.say(
        "Where inputs are kept in a set, the two wrong engines give now one number, now the other. Every "
        "topological order gives {}.",
        whole(right));
}

void engine_order(Narrator& l, const TwoPaths& g, double right) {
  Visits order;
  for (int i = 0; i < TwoPaths::kSize; ++i)
    g.tensors[size_t(i)].register_hook([&order, i](const Tensor&) {
      order.push_back(i);
      return Tensor();
    });
  g.y().backward();
  l.step("engine", "What the engine does");
  l.code(
      "for name, x in dict(a=a, b=b, c=c, d=d, e=e, f=f, y=y).items():\n"
      "    x.register_hook(lambda grad, name=name: order.append(name))\ny.backward()\nprint(a.grad, b.grad)");
  const Tensor a = g.tensors[0].grad(), b = g.tensors[1].grad();
  l.show("a.grad", a);
  l.show("b.grad", b);
  l.print_line(fmt::format("{} {}", printed(a), printed(b)));
  l.say(
      "It needs no search for an order. An operation can only use what exists already, so the order in "
      "which the numbers were made is a topological one: a, b, c, d, e, f, y.");
  l.say(
      "Every operation gets the next number when it runs, and backward always takes the highest of those "
      "that wait.");
  l.say("Hooks on all seven wrote down when each gradient was complete: {}.", names_of(order));
  l.say("a.grad is {}{}.", whole(a), a.item() == right ? ", the sum over the paths" : "");
}

void remember(Narrator& l, double right, double recursed, double visited) {
  l.step("remember", "To remember");
  l.say("A gradient may be handed on only when it is complete: after every use of the number has run.");
  l.say(
      "Recursion hands on unfinished gradients again ({} instead of {}); a plain search hands them on too "
      "early ({}).",
      whole(recursed), whole(right), whole(visited));
  l.say("The order in which the numbers were made, read backwards, is always right.");
}

void tell(Narrator& l, const Settings& s) {
  const TwoPaths g(double(s.count("--a")), double(s.count("--b")));
  NaiveEngine ordered(g), recursed(g), visited(g);
  ordered.in_topological_order(true);
  recursed.recurse(true);
  visited.visit_once(true);
  const double right = ordered.grad(TwoPaths::kA);
  question(l, g);
  all_paths(l, g);
  recursion(l, g, recursed, right);
  one_visit(l, visited, right);
  topological(l, ordered, right);
  side_by_side(l, g, right);
  engine_order(l, g, right);
  remember(l, right, recursed.grad(TwoPaths::kA), visited.grad(TwoPaths::kA));
}

}  // namespace

const Lesson autograd_order = {
    .id = "autograd.order",
    .group = Group::Autograd,
    .source = "Why does backward need a topological order?",
    .understand = "why recursion and a plain search give wrong gradients, and which order is right",
    .minutes = 8,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = {},
    .inputs = nullptr,
    .plan = nullptr,
    .tell = tell,
};

}  // namespace glassgrad::learn

// Gradients: what .grad prints after backward.
#include <cmath>

#include "golden.h"
#include "nn/functional.h"
#include "nn/init.h"
#include "nn/layers.h"

using namespace glassgrad;
using golden::dims, golden::print;

namespace {

// One layer of weights: x (n, k), w (k, m), b (m).
struct Layer {
  Tensor x, w, b;
  explicit Layer(const golden::Json& shapes)
      : x(randn(dims(shapes[0])).requires_grad_()),
        w(randn(dims(shapes[1])).requires_grad_()),
        b(zeros(dims(shapes[2])).requires_grad_()) {}
};
// What an expression of a layer, or a loss of one, gives.
template <class Values>
using Formulas = std::map<std::string, Tensor (*)(const Values&)>;

#define HIDDEN(python, cpp)                                                                 \
  {                                                                                         \
    python, [](const Layer& in) {                                                           \
      const auto& [x, w, b] = in;                                                           \
      const Tensor y = python_uses_linear(python) ? linear(x, w.t(), b) : matmul(x, w) + b; \
      return Tensor(cpp);                                                                   \
    }                                                                                       \
  }
bool python_uses_linear(std::string_view python) { return python.find("F.linear") != python.npos; }

const Formulas<Layer> hidden{
    HIDDEN("F.log_softmax(F.gelu(F.linear(x, w.t(), b)), dim=-1)", log_softmax(gelu(y), -1)),
    HIDDEN("torch.sigmoid(((x @ w + b).exp() / 3))", sigmoid(exp(y) / 3)),
    HIDDEN("(x @ w + b).sin()", sin(y)),
    HIDDEN("F.relu((F.silu((x @ w + b)) / 3))", relu(silu(y) / 3)),
    HIDDEN("F.gelu((x @ w + b))", gelu(y)),
    HIDDEN("((x @ w + b) * 0.5)", y * 0.5),
    HIDDEN("(1 - (x @ w + b)).clamp(min=0)", clamp(1 - y, 0)),
    HIDDEN("F.linear(x, w.t(), b).clamp(min=0)", clamp(y, 0)),
    HIDDEN("(F.linear(x, w.t(), b) + 1)", y + 1),
    HIDDEN("((1 - torch.tanh((x @ w + b))) * 0.5)", (1 - tanh(y)) * 0.5),
    HIDDEN("torch.sigmoid((x @ w + b)).abs()", abs(sigmoid(y))),
    HIDDEN("(F.gelu(F.linear(x, w.t(), b)) * 0.5).clamp(min=0)", clamp(gelu(y) * 0.5, 0)),
    HIDDEN("(1 - (F.gelu((x @ w + b)) ** 2))", 1 - pow(gelu(y), 2)),
    HIDDEN("F.linear(x, w.t(), b).abs()", abs(y)),
    HIDDEN("torch.softmax(F.gelu((x @ w + b)), dim=-1)", softmax(gelu(y), -1)),
    HIDDEN("torch.tanh(F.linear(x, w.t(), b).abs())", tanh(abs(y))),
    HIDDEN("F.gelu((x @ w + b), approximate='tanh')", gelu(y, "tanh")),
    HIDDEN("((x @ w + b) / 3)", y / 3),
    HIDDEN("F.log_softmax(((x @ w + b) ** 2), dim=-1)", log_softmax(pow(y, 2), -1)),
    HIDDEN("((torch.softmax(F.linear(x, w.t(), b), dim=-1) * 0.5) * 0.5)", softmax(y, -1) * 0.5 * 0.5),
};
const Formulas<Tensor> losses{
    {"h.norm()", [](const Tensor& h) { return norm(h); }},
    {"h.logsumexp(-1).sum()", [](const Tensor& h) { return sum(logsumexp(h, -1)); }},
    {"h.max()", [](const Tensor& h) { return max(h); }},
    {"h.sum()", [](const Tensor& h) { return sum(h); }},
    {"h.mean()", [](const Tensor& h) { return mean(h); }},
    {"h.var()", [](const Tensor& h) { return var(h); }},
    {"h[0].sum()", [](const Tensor& h) { return sum(h[0]); }},
    {"(h ** 2).sum()", [](const Tensor& h) { return sum(pow(h, 2)); }},
    {"(h * h.detach()).sum()", [](const Tensor& h) { return sum(h * h.detach()); }},
};

}  // namespace

GOLDEN("grad expr") {
  const Layer layer(args["shapes"]);
  const Tensor h = hidden.at(args["h"])(layer);
  print(h);
  const Tensor loss = losses.at(args["loss"])(h);
  print(loss);
  loss.backward();
  for (const Tensor& t : {layer.x, layer.w, layer.b}) print(t.grad());
}

GOLDEN("grad embedding") {
  const nn::Parameter weight(nn::init::normal_(empty({6, 3})));
  const Tensor out = embedding(weight, tensor({{1, 2, 1}, {0, 3, 1}}));
  print(out);
  sum(out * arange(0., 18.).view({2, 3, 3})).backward();
  print(weight.grad());
}
static void print_cross_entropy(const golden::Json& args, int64_t width, int64_t classes) {
  const nn::Linear l(width, classes);
  const Tensor target = golden::values(args["target"], int64);
  const Tensor loss = nn::functional::cross_entropy(l(randn({target.numel(), width})), target);
  print(loss);
  loss.backward();
  print(l.weight.grad());
  print(l.bias.grad());
}
GOLDEN("grad-311") { print_cross_entropy(args, 4, 5); }
GOLDEN("grad-312") { print_cross_entropy(args, 2, 4); }
GOLDEN("grad-313") { print_cross_entropy(args, 4, 4); }
GOLDEN("grad layer_norm") {
  const nn::LayerNorm ln(4);
  const Tensor x = randn({3, 4}).requires_grad_();
  const Tensor y = ln(x);
  sum(y * arange(0., 12.).view({3, 4})).backward();
  print(y);
  print(x.grad());
  print(ln.weight.grad());
  print(ln.bias.grad());
}
GOLDEN("grad attention") {
  const int64_t tokens = args["T"], d = args["d"];
  const Tensor x = randn({1, tokens, d}).requires_grad_();
  const nn::Linear wq(d, d, false), wk(d, d, false), wv(d, d, false);
  Tensor s = matmul(wq(x), wk(x).transpose(1, 2));
  s = masked_fill(s, to(triu(ones({tokens, tokens}), 1), boolean), -INFINITY);
  const Tensor o = matmul(softmax(s / std::sqrt(double(d)), -1), wv(x));
  print(o);
  sum(pow(o, 2)).backward();
  print(x.grad());
  for (const nn::Linear* w : {&wq, &wk, &wv}) print(w->weight.grad());
}

GOLDEN("grad-318") {
  const Tensor x = randn(3).requires_grad_();
  const Tensor y = x * 2;
  y.retain_grad();
  const Tensor z = sum(pow(y, 2));
  z.backward({}, true);
  print(x.grad(), y.grad());
  z.backward();
  print(x.grad());
  x.set_grad({});
  const Tensor g = grad({sum(pow(x, 3))}, {x}, {}, {}, true)[0];
  print(g);
  print(golden::tuple(grad({sum(g)}, {x})));
  print(x.grad(), x.is_leaf(), y.is_leaf(), y.grad_fn_name(), x.grad_fn_name());
}
GOLDEN("grad-319") {
  const Tensor x = randn({2, 3}).requires_grad_();
  const Tensor a = x[0], b = x.slice(0, {}, {}).select(1, 1);
  const Tensor c = cat({a, b}), d = stack({a, a * 2});
  (sum(c) * 3 + max(d)).backward();
  print(x.grad());
  zero_(x.grad());
  sum(matmul(x.view({3, 2}), x).diagonal()).backward();
  print(x.grad());
  {
    const NoGrad no_grad;
    print((x * 2).requires_grad());
  }
  print((x.detach() * 2).requires_grad(), sum(x).requires_grad());
}
GOLDEN("grad-320") {
  const Tensor x = tensor(0.8).requires_grad_(), w = tensor({-0.38, 0.5}).requires_grad_();
  const Tensor y = sigmoid(w[0] * x + w[1]), loss = -log(y);
  print(y, loss);
  loss.backward();
  print(x.grad(), w.grad());
  print(loss.grad_fn_name(), y.grad_fn_name(), w.grad_fn_name());
  std::vector<std::string> next;
  for (const Edge& e : grad_fn(loss)->inputs()) next.push_back(std::string("'") + e.node->name() + "'");
  print(golden::list(next));
}
GOLDEN("grad-321") {
  const Tensor a = randn({3, 1}).requires_grad_(), b = randn(4).requires_grad_(),
               c = randn({}).requires_grad_();
  mean(pow(a * b + c, 2)).backward();
  print(a.grad(), b.grad(), c.grad());
  const Tensor m = rand({3, 4}) > 0.5, q = randn({3, 4}).requires_grad_();
  const auto print_gradient = [&](const Tensor& loss) {
    q.set_grad({});
    loss.backward();
    print(q.grad());
  };
  print_gradient(sum(where(m, q * 2, pow(q, 2))));
  print_gradient(sum(masked_fill(q, m, 0.)));
  print_gradient(sum(max(q, 1).values));
  print_gradient(sum(topk(q, 2).values));
}

TEST_CASE("golden gradients") { golden::check_group("grad"); }

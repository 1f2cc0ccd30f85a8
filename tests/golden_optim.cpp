// Training: losses and parameters after some steps of an optimizer.
#include <cmath>

#include "golden.h"
#include "nn/functional.h"
#include "nn/layers.h"
#include "nn/optim.h"

using namespace glassgrad;
using golden::print;

namespace {

using Parameters = std::vector<Tensor>;
using MakeOptimizer = std::unique_ptr<nn::optim::Optimizer> (*)(const Parameters&);

// The optimizer that a case names, by its text in Python.
#define OPTIMIZER(python, name, ...)                                                          \
  {                                                                                           \
    "torch.optim." python, [](const Parameters& p) -> std::unique_ptr<nn::optim::Optimizer> { \
      return std::make_unique<nn::optim::name>(__VA_ARGS__);                                  \
    }                                                                                         \
  }
const std::map<std::string, MakeOptimizer> optimizers{
    OPTIMIZER("SGD(net.parameters(), lr=0.05)", SGD, p, 0.05),
    OPTIMIZER("SGD(net.parameters(), lr=0.05, momentum=0.5)", SGD, p, 0.05, 0.5),
    OPTIMIZER("SGD(net.parameters(), lr=0.05, momentum=0.9, dampening=0.5)", SGD, p, 0.05, 0.9, 0.5),
    OPTIMIZER("SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01)", SGD, p, 0.05,
              0.9, 0, 0.01, true),
    OPTIMIZER("Adam(net.parameters(), lr=0.01)", Adam, p, 0.01),
    OPTIMIZER("Adam(net.parameters(), lr=0.01, weight_decay=0.1, betas=(0.8, 0.95))", Adam, p, 0.01,
              nn::optim::Betas{0.8, 0.95}, 1e-8, 0.1),
    OPTIMIZER("AdamW(net.parameters(), lr=0.01)", AdamW, p, 0.01),
    OPTIMIZER("AdamW(net.parameters())", AdamW, p),
};

// round(x, 4) in Python.
double rounded(double x) { return std::strtod(fixed(x, 4).c_str(), nullptr); }

}  // namespace

GOLDEN("optim train") {
  nn::Sequential net;
  const nn::Linear& first = net.emplace_back<nn::Linear>(3, 4);
  net.emplace_back<nn::Tanh>();
  const nn::Linear& last = net.emplace_back<nn::Linear>(4, 1);
  const Tensor x = randn({8, 3}), y = randn({8, 1});
  const auto optimizer = optimizers.at(args["optimizer"])(net.parameters());
  for (int64_t i = 0; i < args["steps"].get<int64_t>(); ++i) {
    optimizer->zero_grad();
    const Tensor loss = mse_loss(net(x), y);
    loss.backward();
    optimizer->step();
    print(i, i == 0 ? loss.item() : rounded(loss.item()));
  }
  print(first.weight);
  print(last.bias);
}

GOLDEN("optim clip_grad_norm_") {
  const nn::Linear net(4, 3);
  sum(pow(net(randn({5, 4})), 2)).backward();
  print(nn::optim::clip_grad_norm_(net.parameters(), 0.5));
  print(net.weight.grad());
  print(nn::optim::clip_grad_norm_(net.parameters(), 1000));
  print(net.bias.grad());
}

namespace {

constexpr int64_t kVocabulary = 11, kWidth = 8, kTokens = 5;

struct LanguageModel : nn::Module {
  LanguageModel()
      : Module("LM"),
        tok(kVocabulary, kWidth),
        pos(kTokens, kWidth),
        q(kWidth, kWidth),
        k(kWidth, kWidth),
        v(kWidth, kWidth),
        drop(0.2),
        ln(kWidth),
        ff(),
        head((ff.emplace_back<nn::Linear>(kWidth, 4 * kWidth), ff.emplace_back<nn::GELU>(),
              ff.emplace_back<nn::Linear>(4 * kWidth, kWidth), kWidth),
             kVocabulary, false) {
    register_module("tok", tok);
    register_module("pos", pos);
    register_module("q", q);
    register_module("k", k);
    register_module("v", v);
    register_module("drop", drop);
    register_module("ln", ln);
    register_module("ff", ff);
    register_module("head", head);
  }
  Tensor forward(const Tensor& ids) const override {
    const int64_t n = ids.size(1);
    Tensor x = tok(ids) + pos(arange(n));
    Tensor w = matmul(q(x), k(x).transpose(1, 2)) / std::sqrt(double(kWidth));
    w = masked_fill(w, to(triu(ones({n, n}), 1), boolean), -INFINITY);
    x = x + matmul(drop(softmax(w, -1)), v(x));
    return head(x + ff(ln(x)));
  }
  nn::Embedding tok, pos;
  nn::Linear q, k, v;
  nn::Dropout drop;
  nn::LayerNorm ln;
  nn::Sequential ff;
  nn::Linear head;
};

}  // namespace

GOLDEN("optim-333") {
  LanguageModel m;
  nn::optim::AdamW optimizer(m.parameters(), 0.01, {}, 1e-8, 0.1);
  const Tensor data = randint(0, kVocabulary, {4, kTokens + 1});
  const Tensor ids = data.slice(1, {}, -1);
  Tensor loss;
  for (int64_t step = 0; step < 6; ++step) {
    const Tensor logits = m(ids);
    loss = nn::functional::cross_entropy(logits.flatten(0, 1), data.slice(1, 1, {}).flatten());
    optimizer.zero_grad();
    loss.backward();
    nn::optim::clip_grad_norm_(m.parameters(), 1);
    optimizer.step();
    print(step, fixed(loss.item(), 4));
  }
  print(loss);
  m.eval();
  const NoGrad no_grad;
  print(m(ids.slice(0, {}, 1))[0][-1]);
  print(argmax(m(ids), -1));
}

TEST_CASE("golden training") { golden::check_group("optim"); }

// Training: losses and parameters after some steps of an optimizer.
#include <cmath>
#include <map>
#include <memory>

#include "golden.h"
#include "nn/functional.h"
#include "nn/layers.h"
#include "nn/schedule.h"

using namespace glassgrad;
using golden::print, golden::list;

namespace {

using Parameters = std::vector<Tensor>;
using MakeOptimizer = std::unique_ptr<nn::optim::Optimizer> (*)(const Parameters&);

// Makes the optimizer that a case names by its Python text.
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

namespace {

// The model of the cases, and its training.
struct Regression {
  nn::Sequential net;
  const nn::Linear &first = net.emplace_back<nn::Linear>(3, 4),
                   &last = (net.emplace_back<nn::Tanh>(), net.emplace_back<nn::Linear>(4, 1));
  const Tensor x = randn({8, 3}), y = randn({8, 1});

  void train(nn::optim::Optimizer& optimizer, int64_t steps) const {
    for (int64_t i = 0; i < steps; ++i) {
      optimizer.zero_grad();
      const Tensor loss = mse_loss(net(x), y);
      loss.backward();
      optimizer.step();
      print(i, i == 0 ? loss.item() : rounded(loss.item()));
    }
    print(first.weight);
    print(last.bias);
  }
};

}  // namespace

GOLDEN("optim train") {
  const Regression r;
  r.train(*optimizers.at(args["optimizer"])(r.net.parameters()), args["steps"]);
}

GOLDEN("optim groups") {
  namespace optim = nn::optim;
  const Regression r;
  const std::vector<optim::ParamGroup> groups{{{r.first.weight, r.last.weight}, 0.05, 0.1},
                                              {{r.first.bias, r.last.bias}, 0.01, 0}};
  std::unique_ptr<optim::Optimizer> optimizer;
  if (args["optimizer"] == "AdamW")
    optimizer = std::make_unique<optim::AdamW>(groups, optim::Betas{0.9, 0.95});
  else if (args["optimizer"] == "SGD")
    optimizer = std::make_unique<optim::SGD>(groups, 0.9, 0, true);
  else
    optimizer = std::make_unique<optim::Adam>(groups);
  r.train(*optimizer, 5);
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
    w = masked_fill(w, glassgrad::to(triu(ones({n, n}), 1), boolean), -INFINITY);
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

// ---- schedules
namespace {

using MakeSchedule = std::unique_ptr<nn::optim::Schedule> (*)(nn::optim::Optimizer&);
#define SCHEDULE(python, name, ...)                                             \
  {                                                                             \
    "torch.optim.lr_scheduler." python,                                         \
        [](nn::optim::Optimizer& opt) -> std::unique_ptr<nn::optim::Schedule> { \
          return std::make_unique<nn::optim::name>(opt, __VA_ARGS__);           \
        }                                                                       \
  }
const std::map<std::string, MakeSchedule> schedules{
    SCHEDULE("StepLR(opt, 3, 0.5)", StepLR, 3, 0.5),
    SCHEDULE("StepLR(opt, 1)", StepLR, 1),
    SCHEDULE("ExponentialLR(opt, 0.9)", ExponentialLR, 0.9),
    SCHEDULE("LambdaLR(opt, lambda epoch: 0.95 ** epoch)", LambdaLR,
             [](int64_t epoch) { return std::pow(0.95, double(epoch)); }),
    SCHEDULE("LambdaLR(opt, lambda epoch: 1 / (epoch + 2))", LambdaLR,
             [](int64_t epoch) { return 1 / double(epoch + 2); }),
};

}  // namespace

GOLDEN("optim schedule") {
  const nn::Linear net(2, 1);
  nn::optim::SGD optimizer({{{net.weight}, 0.1, 0}, {{net.bias}, 0.03, 0}});
  const auto schedule = schedules.at(args["schedule"])(optimizer);
  for (int64_t epoch = 0; epoch < args["epochs"]; ++epoch) {
    const auto& groups = optimizer.param_groups();
    print(epoch, list(std::vector<double>{groups[0].lr, groups[1].lr}));
    optimizer.step();
    schedule->step();
  }
}

GOLDEN("optim warmup_cosine") {
  const nn::optim::WarmupCosine schedule{args["lr"], args["min_lr"], args["warmup"], args["end"]};
  for (int64_t step = 0; step < args["steps"]; ++step) print(schedule.at(step));
}

TEST_CASE("golden training") { golden::check_group("optim"); }

// Printed digits of ops: what hangs on the order of additions and on which operations round. And promotion of
// dtypes.
#include <cmath>

#include "golden.h"
#include "nn/functional.h"
#include "nn/init.h"
#include "nn/layers.h"

using namespace glassgrad;
using golden::dims, golden::print;

// ---- expressions in one random x
#define EXPRESSION(python, ...)                  \
  {                                              \
    python, [](const Tensor& x) { __VA_ARGS__; } \
  }

static const golden::Expressions<Tensor> numeric {
  EXPRESSION("torch.softmax(x, dim=0)", print(softmax(x, 0))),
      EXPRESSION("torch.softmax(x, dim=-1)", print(softmax(x, -1))),
      EXPRESSION("torch.softmax(x, -1).sum(-1)", print(sum(softmax(x, -1), -1))),
      EXPRESSION("F.softmax(x * 100, -1)", print(softmax(x * 100, -1))),
      EXPRESSION("torch.softmax(x.masked_fill(x > 1, -inf), -1)",
                 print(softmax(masked_fill(x, x > 1, -INFINITY), -1))),
      EXPRESSION("F.log_softmax(x, dim=-1)", print(log_softmax(x, -1))),
      EXPRESSION("x.t() @ x", print(matmul(x.t(), x))), EXPRESSION("x.sum()", print(sum(x))),
      EXPRESSION("x.sum(0)", print(sum(x, 0))), EXPRESSION("x.sum(-1)", print(sum(x, -1))),
      EXPRESSION("x.mean(-1, keepdim=True)", print(mean(x, -1, true))),
      EXPRESSION("x.var(-1, unbiased=False)", print(var(x, Dims{-1}, 0))),
      EXPRESSION("x.std()", print(glassgrad::std(x))), EXPRESSION("x.norm()", print(norm(x))),
      EXPRESSION("x.cumsum(-1)", print(cumsum(x, -1))), EXPRESSION("x.argmax(-1)", print(argmax(x, -1))),
      EXPRESSION("x.max(-1)", auto [v, i] = max(x, -1); print(repr("max", v, i))),
      EXPRESSION("x.sort(descending=True)", auto [v, i] = sort(x, -1, true); print(repr("sort", v, i))),
      EXPRESSION("x.topk(2)", auto [v, i] = topk(x, 2); print(repr("topk", v, i))),
      EXPRESSION("x.flip(0)", print(flip(x, 0))), EXPRESSION("torch.tril(x)", print(tril(x))),
      EXPRESSION("torch.triu(x, 1)", print(triu(x, 1))), EXPRESSION("x.exp()", print(exp(x))),
      EXPRESSION("x.abs().log()", print(log(abs(x)))), EXPRESSION("x.abs().sqrt()", print(sqrt(abs(x)))),
      EXPRESSION("x.pow(3)", print(pow(x, 3))), EXPRESSION("x.sigmoid()", print(sigmoid(x))),
      EXPRESSION("F.relu(x)", print(relu(x))), EXPRESSION("F.silu(x)", print(silu(x))),
      EXPRESSION("F.softplus(x)", print(softplus(x))), EXPRESSION("F.gelu(x)", print(gelu(x))),
      EXPRESSION("F.gelu(x, approximate='tanh')", print(gelu(x, "tanh"))),
      EXPRESSION("x.clamp(-0.5, 0.5)", print(clamp(x, -0.5, 0.5))),
      EXPRESSION("x.masked_fill(x > 0, -inf)", print(masked_fill(x, x > 0, -INFINITY))),
};

GOLDEN("numeric expr") { golden::run_all(args["exprs"], randn(dims(args["shape"])), {&numeric}); }

static void print_statistics(const golden::Json& args) {
  const Tensor x = rand(dims(args["shape"]));
  print(sum(x), mean(x), glassgrad::std(x), min(x), max(x));
  const Tensor p = softmax(x, 0);
  print(sum(p));
  print(sum(x / sum(x)));
}
GOLDEN("numeric-277") { print_statistics(args); }
GOLDEN("numeric-278") { print_statistics(args); }
GOLDEN("numeric-279") { print_statistics(args); }

GOLDEN("numeric attention") {
  const int64_t tokens = args["T"], width = args["d"];
  const auto qkv = randn({3, 2, tokens, width}).unbind();
  Tensor w = matmul(qkv[0], qkv[1].transpose(-2, -1)) / std::sqrt(double(width));
  print(w);
  w = masked_fill(w, to(triu(ones({tokens, tokens}), 1), boolean), -INFINITY);
  print(w);
  w = softmax(w, -1);
  print(w);
  print(sum(w, -1));
  print(matmul(w, qkv[2]));
}
GOLDEN("numeric cross_entropy") {
  using nn::functional::cross_entropy;
  const int64_t batch = args["batch"];
  const Tensor x = randn({batch, args["classes"]}), target = golden::values(args["target"], int64);
  const Tensor loss = cross_entropy(x, target);
  print(loss);
  print(cross_entropy(x, target, -100, Reduction::None));
  print(cross_entropy(x, target, -100, Reduction::Sum));
  const Tensor one_ignored = clone(target);
  fill_(one_ignored[0], -100);
  print(cross_entropy(x, one_ignored));
  print(cross_entropy(x, target, -100, Reduction::Mean, 0.1));
  print(mean(-index(log_softmax(x, -1), {arange(batch), target})));
  print(exp(loss));
}
GOLDEN("numeric-284") {
  const nn::LayerNorm ln(5);
  const Tensor x = randn({2, 3, 5});
  print(ln(x));
  print((x - mean(x, -1, true)) / sqrt(var(x, Dims{-1}, 0, true) + 1e-5));
  print(nn::LayerNorm(5, 0.1)(x)[0]);
  print(nn::LayerNorm(3)(ones({2, 3})));
  print(nn::LayerNorm(Dims{3, 5})(x)[0]);
}
GOLDEN("numeric-287") {
  const Tensor a = arange(0., 30.).view({5, 6});
  const auto strides = [](const Tensor& x) {
    return golden::tuple(std::vector<int64_t>(x.strides().begin(), x.strides().end()));
  };
  print(a.view({5, 2, 3}).transpose(0, 1));
  print(a.reshape({-1, 5}));
  print(a.slice(1, {}, {}, 2));
  print(index(a, {a > 7}));
  print(a.t().slice(0, 1, 3));
  print(a.view({5, 3, 2}).permute({2, 0, 1}).shape(), a.t().is_contiguous(), strides(a.t()),
        strides(a.slice(1, 1, {})));
  print(stack({a[0], a[1]}, 1));
  print(cat({a.slice(0, {}, 1), a.slice(0, -1, {})}));
  print(a.unsqueeze(1).shape(), a.unsqueeze(0).squeeze(0).shape(), a.chunk(3, 1)[2]);
  print(golden::tuple(a.split(4, 1)));
  fill_(a[0], -1.);
  print(a);
  const Tensor b = clone(a);
  add_(b.select(1, 0), 100);
  print(b[0], a[0]);
}
GOLDEN("numeric-288") {
  const int64_t vocabulary = 20, steps = 6;
  Tensor idx = randint(0, vocabulary, {1, 3});
  const nn::Parameter emb(nn::init::normal_(empty({vocabulary, 4})));
  const nn::Linear head(4, vocabulary);
  Tensor logits, probs;
  for (int64_t step = 0; step < steps; ++step) {
    {
      const NoGrad no_grad;
      logits = head(embedding(emb, idx)).select(1, -1);
    }
    const Tensor top = topk(logits, 5).values;
    logits = where(logits < top.slice(1, -1, {}), tensor(-INFINITY), logits);
    probs = softmax(logits / 1.4, -1);
    idx = cat({idx, multinomial(probs, 1)}, 1);
  }
  print(probs);
  print(idx);
  print(argmax(logits, -1, true));
}

TEST_CASE("golden digits") {
  golden::check_group("numeric");
  numeric.check_all_used();
}

// ---- promotion: no values but those written down
#undef EXPRESSION
#define EXPRESSION(python, cpp)               \
  {                                           \
    python, [](const NoAttr&) { print(cpp); } \
  }

static const golden::Expressions<NoAttr> promotion{
    EXPRESSION("torch.arange(9) / 3", arange(9) / 3),
    EXPRESSION("torch.arange(9) // 3", floor_divide(arange(9), 3)),
    EXPRESSION("torch.arange(9) * 1.5", arange(9) * 1.5),
    EXPRESSION("torch.arange(9) + torch.ones(9)", arange(9) + ones(9)),
    EXPRESSION("torch.arange(9) % 2", remainder(arange(9), 2)),
    EXPRESSION("torch.tensor([True, False]) + 1", tensor({true, false}) + 1),
    EXPRESSION("torch.tensor([True, False]) * 0.5", tensor({true, false}) * 0.5),
    EXPRESSION("torch.tensor([True, True, False]).sum()", sum(tensor({true, true, false}))),
    EXPRESSION("torch.tensor([True, False]) & torch.tensor([True, True])",
               tensor({true, false}) & tensor({true, true})),
    EXPRESSION("~torch.tensor([True, False])", ~tensor({true, false})),
    EXPRESSION("torch.tensor([True, False]).float()", to(tensor({true, false}), float32)),
    EXPRESSION("torch.tensor(9) / 2", tensor(9) / 2),
    EXPRESSION("torch.tensor(9) * torch.tensor(0.5)", tensor(9) * tensor(0.5)),
    EXPRESSION("torch.ones(2) * torch.tensor(2, dtype=torch.float64)", ones(2) * tensor(2, float64)),
    EXPRESSION("torch.ones(2, dtype=torch.float64) * torch.tensor(2.)", ones(2, float64) * tensor(2.)),
    EXPRESSION("torch.ones(2) + torch.ones(2, dtype=torch.float64)", ones(2) + ones(2, float64)),
    EXPRESSION("torch.tensor([1, 9]).sum()", sum(tensor({1, 9}))),
    EXPRESSION("torch.tensor([1., 9]).argmax()", argmax(tensor({1., 9}))),
    EXPRESSION("torch.tensor([[1, 2], [9, 4]]).float().mean(dim=0)",
               mean(to(tensor({{1, 2}, {9, 4}}), float32), 0)),
    EXPRESSION("torch.tensor([1, 2, 3]) == torch.tensor([1, 0, 3])", tensor({1, 2, 3}) == tensor({1, 0, 3})),
    EXPRESSION("torch.tensor([0.5, 1.5, 2.5, -0.5]).round()", round(tensor({0.5, 1.5, 2.5, -0.5}))),
    EXPRESSION("torch.tensor([1.9, -1.9]).long()", to(tensor({1.9, -1.9}), int64)),
    EXPRESSION("torch.tensor([1, 2]).max()", max(tensor({1, 2}))),
    EXPRESSION("torch.tensor([1, 2]) ** 3", pow(tensor({1, 2}), 3)),
    EXPRESSION("torch.tensor([1, 2]) ** 0.5", pow(tensor({1, 2}), 0.5)),
    EXPRESSION("torch.tensor([4, 9]).sqrt()", sqrt(tensor({4, 9}))),
    EXPRESSION("torch.tensor([1, 2]).exp()", exp(tensor({1, 2}))),
    EXPRESSION("2 ** torch.arange(5)", pow(2, arange(5))),
    EXPRESSION("torch.tensor([7, -7]) // 2", floor_divide(tensor({7, -7}), 2)),
    EXPRESSION("torch.tensor([7, -7]) % 3", remainder(tensor({7, -7}), 3)),
    EXPRESSION("torch.tensor([7., -7.]) // 2", floor_divide(tensor({7., -7.}), 2)),
    EXPRESSION("-torch.tensor([1, 2])", -tensor({1, 2})),
    EXPRESSION("1 / torch.tensor([2, 4])", 1 / tensor({2, 4})),
    EXPRESSION("torch.where(torch.tensor([True, False]), torch.tensor([1., 2.]), torch.tensor([3., 4.]))",
               where(tensor({true, false}), tensor({1., 2.}), tensor({3., 4.}))),
    EXPRESSION("torch.full((2,), 9)", full(2, 9)),
    EXPRESSION("torch.full((2,), 1.5)", full(2, 1.5)),
    EXPRESSION("torch.zeros(2, dtype=torch.long)", zeros(2, int64)),
    EXPRESSION("torch.ones(2).long()", to(ones(2), int64)),
    EXPRESSION("torch.arange(0, 1, 0.25)", arange(0., 1., 0.25)),
    EXPRESSION("torch.arange(3, dtype=torch.float32)", arange(0., 3.)),
    EXPRESSION("torch.tensor([1, 2.5])", tensor({1, 2.5})),
    EXPRESSION("torch.linspace(0, 1, 5)", linspace(0, 1, 5)),
    EXPRESSION("torch.cat([torch.tensor([1]), torch.tensor([2.5])])", cat({tensor({1}), tensor({2.5})})),
    EXPRESSION("torch.tensor([1., 2.]).to(torch.int64)", to(tensor({1., 2.}), int64)),
    EXPRESSION("torch.ones(2, 2).bool()", to(ones({2, 2}), boolean)),
    EXPRESSION("torch.triu(torch.ones(3, 3), diagonal=1).bool()", to(triu(ones({3, 3}), 1), boolean)),
    EXPRESSION("torch.tril(torch.ones(3, 3)) == 0", tril(ones({3, 3})) == 0),
    EXPRESSION("torch.tensor([3, 1, 2]).sort()",
               repr("sort", sort(tensor({3, 1, 2})).values, sort(tensor({3, 1, 2})).indices)),
    EXPRESSION("torch.tensor([3., 1., 2.]).topk(2)",
               repr("topk", topk(tensor({3., 1., 2.}), 2).values, topk(tensor({3., 1., 2.}), 2).indices)),
    EXPRESSION("torch.tensor([[3., 1.], [2., 5.]]).max(dim=1)",
               repr("max", max(tensor({{3., 1.}, {2., 5.}}), 1).values,
                    max(tensor({{3., 1.}, {2., 5.}}), 1).indices)),
    EXPRESSION("torch.tensor([0.1, 0.2]).cumsum(0)", cumsum(tensor({0.1, 0.2}), 0)),
};

GOLDEN("promotion expr") { golden::run_all(args["exprs"], NoAttr(), {&promotion}); }

TEST_CASE("golden dtypes") {
  golden::check_group("promotion");
  promotion.check_all_used();
}

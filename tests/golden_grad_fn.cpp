// The names in grad_fn=<…>: every expression here is one line of PyTorch.
#include "golden.h"
#include "nn/functional.h"
#include "nn/layers.h"

using namespace glassgrad;
using golden::print;

namespace {

// The values that the expressions speak of, drawn in this order.
struct Values {
  nn::Linear lin{4, 5}, linb{4, 5, false};
  nn::Embedding emb{6, 4};
  nn::LayerNorm ln{4};
  Tensor a = random({3, 4}), b = random({4, 5}), v = random(4);
  Tensor B = random({2, 3, 4}), C = random({2, 4, 5}), D = random({1, 2, 3, 4});
  Tensor idx = tensor({0, 2}), pos = arange(3), tgt = tensor({1, 2, 0});
  Tensor m = tensor({true, false, true, false}).expand({3, 4}).contiguous();

  static Tensor random(const Dims& shape) { return rand(shape).requires_grad_(); }
};

#define EXPRESSION(python, cpp)                                                                   \
  {                                                                                               \
    python, [](const Values& in) {                                                                \
      [[maybe_unused]] const auto& [lin, linb, emb, ln, a, b, v, B, C, D, idx, pos, tgt, m] = in; \
      print(cpp);                                                                                 \
    }                                                                                             \
  }

const golden::Expressions<Values> products{
    EXPRESSION("a @ b", matmul(a, b)),
    EXPRESSION("a @ v", matmul(a, v)),
    EXPRESSION("v @ b", matmul(v, b)),
    EXPRESSION("v @ v", matmul(v, v)),
    EXPRESSION("B @ b", matmul(B, b)),
    EXPRESSION("D @ D.transpose(-2, -1)", matmul(D, D.transpose(-2, -1))),
    EXPRESSION("torch.dot(v, v)", dot(v, v)),
    EXPRESSION("torch.bmm(B, C)", bmm(B, C)),
    EXPRESSION("torch.outer(v, v)", outer(v, v)),
    EXPRESSION("torch.addmm(torch.zeros(5), a, b)", addmm(zeros(5), a, b)),
    EXPRESSION("lin(a)", lin(a)),
    EXPRESSION("lin(v)", lin(v)),
    EXPRESSION("lin(B)", lin(B)),
    EXPRESSION("lin(D)", lin(D)),
    EXPRESSION("linb(a)", linb(a)),
    EXPRESSION("linb(v)", linb(v)),
    EXPRESSION("linb(B)", linb(B)),
};
const golden::Expressions<Values> views{
    EXPRESSION("a.t()", a.t()),
    EXPRESSION("a.view(-1)", a.view(-1)),
    EXPRESSION("a.view(2, 6)", a.view({2, 6})),
    EXPRESSION("a.reshape(2, 6)", a.reshape({2, 6})),
    EXPRESSION("a.t().reshape(2, 6)", a.t().reshape({2, 6})),
    EXPRESSION("B.flatten(0, 1)", B.flatten(0, 1)),
    EXPRESSION("B.transpose(1, 2)", B.transpose(1, 2)),
    EXPRESSION("B.permute(2, 0, 1)", B.permute({2, 0, 1})),
    EXPRESSION("a.unsqueeze(0)", a.unsqueeze(0)),
    EXPRESSION("a[None]", a.unsqueeze(0)),
    EXPRESSION("a[:1].squeeze()", a.slice(0, {}, 1).squeeze()),
    EXPRESSION("a[:1].squeeze(0)", a.slice(0, {}, 1).squeeze(0)),
    EXPRESSION("v.expand(3, 4)", v.expand({3, 4})),
    EXPRESSION("a.contiguous()", a.contiguous()),
    EXPRESSION("a.t().contiguous()", a.t().contiguous()),
    EXPRESSION("a.unbind(0)[0]", a.unbind(0)[0]),
    EXPRESSION("a.split(2, dim=1)[0]", a.split(2, 1)[0]),
    EXPRESSION("a.chunk(2, dim=1)[1]", a.chunk(2, 1)[1]),
    EXPRESSION("a[0]", a[0]),
    EXPRESSION("a[-1]", a[-1]),
    EXPRESSION("a[0, 1]", a[0][1]),
    EXPRESSION("a[:2]", a.slice(0, {}, 2)),
    EXPRESSION("a[:, 1:3]", a.slice(1, 1, 3)),
    EXPRESSION("B[:, -1, :]", B.select(1, -1).slice(1, {}, {})),
    EXPRESSION("a[..., 0]", a.select(-1, 0)),
};
const golden::Expressions<Values> reordering{
    EXPRESSION("a[m]", index(a, {m})),
    EXPRESSION("a[idx]", index(a, {idx})),
    EXPRESSION("a[idx, idx]", index(a, {idx, idx})),
    EXPRESSION("a[[0, 2]]", index(a, {tensor({0, 2})})),
    EXPRESSION("a.gather(1, torch.tensor([[0], [1], [2]]))", gather(a, 1, tensor({{0}, {1}, {2}}))),
    EXPRESSION("emb(pos)", emb(pos)),
    EXPRESSION("v.repeat(2)", repeat(v, 2)),
    EXPRESSION("a.roll(1)", roll(a, 1)),
    EXPRESSION("a.tril()", tril(a)),
    EXPRESSION("torch.triu(a, diagonal=1)", triu(a, 1)),
    EXPRESSION("torch.stack([a, a])", stack({a, a})),
    EXPRESSION("torch.cat([a, a], dim=-1)", cat({a, a}, -1)),
    EXPRESSION("torch.zeros(3, 4).copy_(a)", copy_(zeros({3, 4}), a)),
    EXPRESSION("a.topk(2).values", topk(a, 2).values),
};
const golden::Expressions<Values> pointwise{
    EXPRESSION("a + 1", a + 1),
    EXPRESSION("1 - a", 1 - a),
    EXPRESSION("a * 2", a * 2),
    EXPRESSION("a / 2", a / 2),
    EXPRESSION("1 / a", 1 / a),
    EXPRESSION("-a", -a),
    EXPRESSION("a ** 2", pow(a, 2)),
    EXPRESSION("a ** 0.5", pow(a, 0.5)),
    EXPRESSION("2 ** a", pow(2, a)),
    EXPRESSION("a > 0.5", a > 0.5),
    EXPRESSION("a.abs()", abs(a)),
    EXPRESSION("a.exp()", exp(a)),
    EXPRESSION("a.log()", log(a)),
    EXPRESSION("a.sin()", sin(a)),
    EXPRESSION("a.sqrt()", sqrt(a)),
    EXPRESSION("a.tanh()", tanh(a)),
    EXPRESSION("a.sigmoid()", sigmoid(a)),
    EXPRESSION("F.relu(a)", relu(a)),
    EXPRESSION("F.leaky_relu(a)", leaky_relu(a)),
    EXPRESSION("F.gelu(a)", gelu(a)),
    EXPRESSION("F.gelu(a, approximate='tanh')", gelu(a, "tanh")),
    EXPRESSION("F.silu(a)", silu(a)),
    EXPRESSION("a.clamp(min=0.1)", clamp(a, 0.1)),
    EXPRESSION("torch.maximum(a, a * 2)", maximum(a, a * 2)),
    EXPRESSION("torch.where(m, a, torch.zeros(()))", where(m, a, zeros({}))),
    EXPRESSION("a.masked_fill(m, -torch.inf)", masked_fill(a, m, -INFINITY)),
    EXPRESSION("(a * 1).masked_fill_(m, -torch.inf)", masked_fill_(a * 1, m, -INFINITY)),
    EXPRESSION("(a * 1).add_(1)", add_(a * 1, 1)),
    EXPRESSION("(a * 1).mul_(2)", mul_(a * 1, 2)),
    EXPRESSION("a.double()", to(a, float64)),
    EXPRESSION("F.dropout(a, 0.5)", nn::functional::dropout(a, 0.5)),
    EXPRESSION("F.dropout(a * 2, 0.0)", nn::functional::dropout(a * 2, 0.0)),
    EXPRESSION("nn.Dropout(0.5).eval()(a * 2)", nn::functional::dropout(a * 2, 0.5, false)),
};
const golden::Expressions<Values> reductions{
    EXPRESSION("a.sum()", sum(a)),
    EXPRESSION("a.sum(-1, keepdim=True)", sum(a, -1, true)),
    EXPRESSION("a.mean()", mean(a)),
    EXPRESSION("a.mean(-1)", mean(a, -1)),
    EXPRESSION("a.max()", max(a)),
    EXPRESSION("a.min()", min(a)),
    EXPRESSION("a.max(-1).values", max(a, -1).values),
    EXPRESSION("a.argmax(-1)", argmax(a, -1)),
    EXPRESSION("a.var(-1)", var(a, Dims{-1})),
    EXPRESSION("a.var(-1, unbiased=False)", var(a, Dims{-1}, 0)),
    EXPRESSION("a.std()", glassgrad::std(a)),
    EXPRESSION("a.prod()", prod(a)),
    EXPRESSION("a.norm()", norm(a)),
    EXPRESSION("a.logsumexp(-1)", logsumexp(a, -1)),
    EXPRESSION("a.cumsum(-1)", cumsum(a, -1)),
    EXPRESSION("a.softmax(-1)", softmax(a, -1)),
    EXPRESSION("torch.softmax(a, dim=-1)", softmax(a, -1)),
    EXPRESSION("F.log_softmax(a, dim=-1)", log_softmax(a, -1)),
};
const golden::Expressions<Values> layers{
    EXPRESSION("ln(a)", ln(a)),
    EXPRESSION("F.mse_loss(a, torch.zeros(3, 4))", mse_loss(a, zeros({3, 4}))),
    EXPRESSION("F.nll_loss(F.log_softmax(a, -1), tgt)", nll_loss(log_softmax(a, -1), tgt)),
    EXPRESSION("F.cross_entropy(a, tgt)", nn::functional::cross_entropy(a, tgt)),
    EXPRESSION("F.cross_entropy(a, tgt, reduction='none')",
               nn::functional::cross_entropy(a, tgt, -100, Reduction::None)),
    EXPRESSION("F.cross_entropy(B.transpose(1, 2), torch.zeros(2, 3, dtype=torch.long))",
               nn::functional::cross_entropy(B.transpose(1, 2), zeros({2, 3}, int64))),
};

}  // namespace

GOLDEN("grad_fn expr") {
  golden::run_all(args["exprs"], Values(),
                  {&products, &views, &reordering, &pointwise, &reductions, &layers});
}

TEST_CASE("golden names of nodes") {
  golden::check_group("grad_fn");
  for (const auto* family : {&products, &views, &reordering, &pointwise, &reductions, &layers})
    family->check_all_used();
}

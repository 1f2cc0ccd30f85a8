// The op table's column of errors: making and drawing tensors, layers, losses, steps of optimizers.
#include "engine/ops/create.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

const Misuses makers{{
    {"tensor", "torch.tensor([[1, 2], [3]])",
     [] {
       tensor({{1, 2}, {3}});
     }},
    {"tensor", "torch.tensor([1, [2]])",
     [] {
       tensor({1, {2}});
     }},
    {"empty", "torch.empty(-1)", [] { empty(-1); }},
    {"zeros", "torch.zeros(2, -1)",
     [] {
       zeros({2, -1});
     }},
    {"ones", "torch.ones(-2)", [] { ones(-2); }},
    {"full", "torch.full((-1,), 2)", [] { full(-1, 2); }},
    {"arange", "torch.arange(0, 5, 0)", [] { arange(0, 5, 0); }},
    {"arange", "torch.arange(0, 5, -1)", [] { arange(0, 5, -1); }},
    {"linspace", "torch.linspace(0, 1, -1)", [] { linspace(0, 1, -1); }},
    {"eye", "torch.eye(-1)", [] { eye(-1); }},
    {"eye", "torch.eye(2, -1)", [] { eye(2, -1); }},
    {"rand", "torch.rand(-1)", [] { rand(-1); }},
    {"randn", "torch.randn(2, -1)",
     [] {
       randn({2, -1});
     }},
    {"randint", "torch.randint(3, 3, (2,))", [] { randint(3, 3, 2); }},
    {"randint", "torch.randint(5, 2, (2,))", [] { randint(5, 2, 2); }},
    {"randint_like", "torch.randint_like(torch.ones(2), 3, 3)", [] { randint_like(ones(2), 3, 3); }},
    {"randperm", "torch.randperm(-1)", [] { randperm(-1); }},
    {"rand_like", "torch.rand_like(torch.tensor([1]))", [] { rand_like(tensor({1})); }},
    {"randn_like", "torch.randn_like(torch.tensor([1]))", [] { randn_like(tensor({1})); }},
    {"normal", "torch.normal(0., -1., (2,))", [] { normal(0, -1, 2); }},
    {"normal", "torch.normal(torch.zeros(2), -torch.ones(2))", [] { normal(zeros(2), -ones(2)); }},
    {"bernoulli", "torch.bernoulli(torch.tensor([1.5]))", [] { bernoulli(tensor({1.5})); }},
    {"bernoulli", "torch.bernoulli(torch.tensor([1]))", [] { bernoulli(tensor({1})); }},
    {"multinomial", "torch.multinomial(torch.ones(3), 4)", [] { multinomial(ones(3), 4); }},
    {"multinomial", "torch.multinomial(torch.ones(3), 0)", [] { multinomial(ones(3), 0); }},
    {"multinomial", "torch.multinomial(torch.tensor([1., -1.]), 1)",
     [] {
       multinomial(tensor({1., -1.}), 1);
     }},
    {"multinomial", "torch.multinomial(torch.zeros(3), 1)", [] { multinomial(zeros(3), 1); }},
    {"multinomial", "torch.multinomial(torch.ones(2, 2, 2), 1)",
     [] {
       multinomial(ones({2, 2, 2}), 1);
     }},
    {"multinomial", "torch.multinomial(torch.tensor([1, 2]), 1)",
     [] {
       multinomial(tensor({1, 2}), 1);
     }},
    {"uniform_", "torch.ones(2).uniform_(1, 0)", [] { uniform_(ones(2), 1, 0); }},
    {"uniform_", "torch.tensor([1]).uniform_()", [] { uniform_(tensor({1})); }},
    {"normal_", "torch.ones(2).normal_(0, -1)", [] { normal_(ones(2), 0, -1); }},
    {"normal_", "torch.ones(2, requires_grad=True).normal_()", [] { normal_(ones(2).requires_grad_()); }},
    {"bernoulli_", "torch.ones(2).bernoulli_(1.5)", [] { bernoulli_(ones(2), 1.5); }},
    {"dropout_mask_", "torch.ones(2).bernoulli_(-0.5)", [] { dropout_mask_(ones(2), -0.5); }},
    {"exponential_", "torch.ones(2).exponential_(0)", [] { exponential_(ones(2), 0); }},
    {"exponential_", "torch.tensor([1]).exponential_()", [] { exponential_(tensor({1})); }},
    {"random_", "torch.ones(2).random_(5, 2)", [] { random_(ones(2), 5, 2); }},
    {"random_", "torch.ones(2, requires_grad=True).random_()", [] { random_(ones(2).requires_grad_()); }},
}};
const CannotFail likenesses{
    {"from_values", "the engine's own: as many values as the shape holds"},
    {"empty_like", "every tensor has its like"},
    {"zeros_like", "every tensor has its like"},
    {"ones_like", "every tensor has its like"},
    {"full_like", "every tensor has its like"},
};

const Misuses layers{{
    {"layer_norm", "F.layer_norm(torch.ones(2, 3), (4,))",
     [] {
       layer_norm(ones({2, 3}), 4);
     }},
    {"layer_norm", "F.layer_norm(torch.ones(2, 3), (3,), torch.ones(2))",
     [] {
       layer_norm(ones({2, 3}), 3, ones(2));
     }},
    {"layer_norm", "F.layer_norm(torch.ones(2, 3), (3,), torch.ones(3), torch.ones(2))",
     [] {
       layer_norm(ones({2, 3}), 3, ones(3), ones(2));
     }},
    {"layer_norm", "F.layer_norm(torch.ones(2, 3), ())",
     [] {
       layer_norm(ones({2, 3}), Dims{});
     }},
    {"layer_norm", "F.layer_norm(torch.tensor([1, 2]), (2,))",
     [] {
       layer_norm(tensor({1, 2}), 2);
     }},
    {"scaled_dot_product_attention",
     "F.scaled_dot_product_attention(torch.ones(2), torch.ones(2), torch.ones(2))",
     [] { scaled_dot_product_attention(ones(2), ones(2), ones(2)); }},
    {"scaled_dot_product_attention",
     "F.scaled_dot_product_attention(torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64), torch.ones(2, 2))",
     [] {
       scaled_dot_product_attention(ones({2, 2}), ones({2, 2}, float64), ones({2, 2}));
     }},
    {"scaled_dot_product_attention",
     "F.scaled_dot_product_attention(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2) > 0, "
     "is_causal=True)",
     [] {
       scaled_dot_product_attention(ones({2, 2}), ones({2, 2}), ones({2, 2}), ones({2, 2}) > 0, true);
     }},
    {"nll_loss", "F.nll_loss(torch.ones(2, 3), torch.tensor([0, 3]))",
     [] {
       nll_loss(ones({2, 3}), tensor({0, 3}));
     }},
    {"nll_loss", "F.nll_loss(torch.ones(2, 3), torch.tensor([-1, 0]))",
     [] {
       nll_loss(ones({2, 3}), tensor({-1, 0}));
     }},
    {"nll_loss", "F.nll_loss(torch.ones(2, 3), torch.tensor([0, 1, 2]))",
     [] {
       nll_loss(ones({2, 3}), tensor({0, 1, 2}));
     }},
    {"nll_loss", "F.nll_loss(torch.ones(2, 3), torch.tensor([0., 1.]))",
     [] {
       nll_loss(ones({2, 3}), tensor({0., 1.}));
     }},
    {"nll_loss", "F.nll_loss(torch.tensor([[1, 2]]), torch.tensor([0]))",
     [] {
       nll_loss(tensor({{1, 2}}), zeros(1, int64));
     }},
    {"softmax_cross_entropy", "F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3]))",
     [] {
       softmax_cross_entropy(ones({2, 3}), tensor({0, 3}));
     }},
    {"softmax_cross_entropy", "F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2]))",
     [] {
       softmax_cross_entropy(ones({2, 3}), tensor({0, 1, 2}));
     }},
    {"softmax_cross_entropy", "F.cross_entropy(torch.ones(2, 3), torch.tensor([[0], [1]]))",
     [] {
       softmax_cross_entropy(ones({2, 3}), tensor({{0}, {1}}));
     }},
    {"mse_loss", "F.mse_loss(torch.ones(2, 3), torch.ones(4))",
     [] {
       mse_loss(ones({2, 3}), ones(4));
     }},
    {"mse_loss", "F.mse_loss(torch.tensor([1]), torch.tensor([2]))",
     [] { mse_loss(tensor({1}), tensor({2})); }},
    {"binary_cross_entropy", "F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.]))",
     [] { binary_cross_entropy(tensor({1.5}), tensor({1.})); }},
    {"binary_cross_entropy", "F.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1., 0.]))",
     [] {
       binary_cross_entropy(tensor({0.5}), tensor({1., 0.}));
     }},
}};
const CannotFail steps{
    {"adam_", "called by optimizers only, with a parameter and its gradient"},
    {"sgd_", "called by optimizers only, with a parameter and its gradient"},
};

}  // namespace

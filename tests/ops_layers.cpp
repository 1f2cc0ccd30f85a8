// Rows of the op table: normalisation, losses, steps of optimizers.
#include "engine/literal.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

const RegisterRows layers{
    {"layer_norm",
     {{{3, 5}, {5}, {5}}, {{2, 3, 9}, {9}, {9}}, {{4}, {4}, {4}}, {{0, 4}, {4}, {4}}},
     [](const Tensors& x) { return Tensors{layer_norm(x[0], x[1].shape(), x[1], x[2])}; }},
    {"layer_norm of several dimensions",
     {{{2, 3, 4}, {3, 4}, {3, 4}}},
     [](const Tensors& x) {
       return Tensors{layer_norm(x[0], {3, 4}, x[1], x[2], 0.1)};
     }},
    {"add_layer_norm",
     {{{3, 5}, {3, 5}, {5}, {5}}, {{2, 3, 9}, {2, 3, 9}, {9}, {9}}},
     [](const Tensors& x) {
       const SumAndNormed a = add_layer_norm(x[0], x[1], x[2].shape(), x[2], x[3]),
                          alone = add_layer_norm(x[0], x[1], x[2].shape());
       return Tensors{a.sum, a.normed, alone.normed};
     }},
    {"to_all",
     {{{3, 2}, {1, 2}, {4}}},
     [](const Tensors& x) {
       return to_all({{x[0], x[1]}, {x[2]}}, x[0].dtype());
     }},
    {"norms", {{{3, 2}, {4}}}, [](const Tensors& x) { return Tensors{norms(x)}; }, -2, 2, false},
    {"mul_all_",
     {{{3, 2}, {4}, {}}},
     [](const Tensors& x) {
       const Tensors y{clone(x[0]), clone(x[1])};
       mul_all_(y, x[2]);
       return y;
     },
     -2,
     2,
     false},
    {"layer_norm without parameters",
     {{{3, 6}, {6}}},
     [](const Tensors& x) {
       return Tensors{layer_norm(x[0], 6), layer_norm(x[0], 6, x[1]), layer_norm(x[0], 6, {}, x[1])};
     }},
};

// A mask: query 0 does not see key 1, and the last query sees no key.
Tensor hidden_keys(int64_t queries, int64_t keys) {
  std::vector<int64_t> seen(static_cast<size_t>(queries * keys), 1);
  if (seen.size() > 1) seen[1] = 0;
  if (queries > 0)
    for (int64_t j = 0; j < keys; ++j) seen[static_cast<size_t>((queries - 1) * keys + j)] = 0;
  return to(from_values(seen, {queries, keys}), boolean);
}

const RegisterRows attention{
    {"scaled_dot_product_attention",
     {{{3, 4}, {5, 4}, {5, 2}},
      {{2, 2, 3, 2}, {2, 2, 3, 2}, {2, 2, 3, 2}},
      {{3, 2}, {2, 4, 2}, {2, 1, 4, 3}},
      {{2, 3}, {0, 3}, {0, 2}},
      {{2, 0}, {3, 0}, {3, 2}},
      {{0, 2}, {3, 2}, {3, 2}}},
     [](const Tensors& x) {
       return Tensors{scaled_dot_product_attention(x[0], x[1], x[2]),
                      scaled_dot_product_attention(x[0], x[1], x[2], {}, true, 0.3)};
     },
     -2,
     2,
     true,
     kStep,
     {"scaled_dot_product_attention_backward"}},
    {"scaled_dot_product_attention with a mask",
     {{{3, 2}, {4, 2}, {4, 2}, {3, 4}}, {{2, 2, 2}, {2, 3, 2}, {3, 1}, {2, 1, 3}}},
     [](const Tensors& x) {
       const Tensor hidden = hidden_keys(x[0].size(-2), x[1].size(-2));
       return Tensors{scaled_dot_product_attention(x[0], x[1], x[2], x[3]),
                      scaled_dot_product_attention(x[0], x[1], x[2], hidden)};
     }},
};

Tensors losses_of(const Tensor& x, const Tensor& target, int64_t ignore_index) {
  Tensors losses;
  for (const Reduction r : {Reduction::None, Reduction::Mean, Reduction::Sum})
    losses.push_back(nll_loss(x, target, ignore_index, r));
  return losses;
}

const RegisterRows losses{
    {"nll_loss",
     {{{3, 4}}},
     [](const Tensors& x) {
       return losses_of(x[0], tensor({1, 3, 1}), -100);
     }},
    {"nll_loss with one ignored",
     {{{3, 4}}},
     [](const Tensors& x) {
       return losses_of(x[0], tensor({1, 3, 0}), 3);
     }},
    {"nll_loss of one", {{{4}}}, [](const Tensors& x) { return losses_of(x[0], tensor(2), -100); }},
    {"nll_loss of nothing",
     {{{2, 3}}},
     [](const Tensors& x) {
       return Tensors{nll_loss(x[0], tensor({-100, -100}), -100, Reduction::Sum)};
     }},
    {"nll_loss of positions",
     {{{2, 4, 3}}, {{2, 4, 3, 1}}, {{2, 4, 1, 3, 1}}},
     [](const Tensors& x) {
       Dims places{2};
       for (int64_t d = 2; d < x[0].dim(); ++d) places.push(x[0].size(d));
       return losses_of(x[0], tensor({0, 3, 1, 2, -100, 1}).view(places), -100);
     },
     -2,
     2,
     true,
     kStep,
     {"nll_loss2d"}},
    {"softmax_cross_entropy",
     {{{3, 4}}, {{3, 5}}},
     [](const Tensors& x) {
       return Tensors{softmax_cross_entropy(x[0], tensor({1, 3, 1})),
                      softmax_cross_entropy(x[0], tensor({1, 2, 0}), 2)};
     },
     -2,
     2,
     true,
     kStep,
     {"softmax_cross_entropy_backward"}},
    {"mse_loss",
     {{{3, 4}, {3, 4}}, {{3, 4}, {4}}, {{3, 1}, {3, 4}}},
     [](const Tensors& x) {
       return Tensors{mse_loss(x[0], x[1]), mse_loss(x[0], x[1], Reduction::Sum),
                      mse_loss(x[0], x[1], Reduction::None)};
     }},
    {"binary_cross_entropy",
     {{{3, 4}, {3, 4}}, {{5}, {5}}},
     [](const Tensors& x) {
       return Tensors{binary_cross_entropy(x[0], x[1]), binary_cross_entropy(x[0], x[1], Reduction::Sum),
                      binary_cross_entropy(x[0], x[1], Reduction::None)};
     },
     0.2,
     0.8},
};

// A copy in the same layout, for the op to write to.
Tensor copy_of(const Tensor& x) {
  const Tensor y = empty_strided(x.shape(), x.strides(), x.dtype(), x.device());
  return copy_(y, x.detach());
}

const RegisterRows steps{
    {"adam_",
     {{{3, 5}, {3, 5}}, {{9}, {9}}, {{0}, {0}}},
     [](const Tensors& x) {
       const NoGrad no_grad;
       Tensors results;
       for (const bool decoupled : {false, true}) {
         const Tensor p = copy_of(x[0]);
         const Tensor mean = zeros(p.shape(), p.dtype()), square = zeros(p.shape(), p.dtype());
         for (int64_t step = 1; step <= 3; ++step)
           adam_(p, x[1] * double(step), mean, square, {0.1, 0.8, 0.95, 1e-3, 0.2, decoupled, step});
         results.insert(results.end(), {p, mean, square});
       }
       return results;
     },
     -2,
     2,
     false},
    {"sgd_",
     {{{3, 5}, {3, 5}}, {{9}, {9}}, {{0}, {0}}},
     [](const Tensors& x) {
       const NoGrad no_grad;
       Tensors results;
       for (const double momentum : {0.0, 0.9})
         for (const bool nesterov : {false, true}) {
           const Tensor p = copy_of(x[0]), run = momentum != 0 ? zeros(p.shape(), p.dtype()) : Tensor();
           for (int64_t step = 1; step <= 3; ++step)
             sgd_(p, x[1] * double(step), run, {0.1, momentum, 0, 0.2, nesterov, step});
           results.push_back(p);
         }
       return results;
     },
     -2,
     2,
     false},
};

}  // namespace

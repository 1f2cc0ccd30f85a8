// Rows of the op table: reductions, softmax.
#include "engine/literal.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

const std::vector<std::vector<Dims>> kAny = {{{3, 4}}, {{2, 3, 2}}, {{5}}, {Dims{}}};
const std::vector<std::vector<Dims>> kAtLeast2 = {{{3, 4}}, {{2, 3, 2}}};
const std::vector<std::vector<Dims>> kAnyOrEmpty = {{{3, 4}}, {{2, 3, 2}}, {{5}}, {Dims{}}, {{0, 3}}};

const RegisterRows sums{
    {"sum", kAnyOrEmpty, [](const Tensors& x) { return Tensors{sum(x[0])}; }},
    {"sum over dims",
     {{{3, 4}}, {{2, 3, 2}}, {{0, 3}}, {{3, 0}}},
     [](const Tensors& x) {
       return Tensors{sum(x[0], -1), sum(x[0], {0, 1}, true), sum(x[0], 0, true)};
     }},
    {"mean", kAny, [](const Tensors& x) { return Tensors{mean(x[0])}; }},
    {"mean over dims", kAtLeast2,
     [](const Tensors& x) {
       return Tensors{mean(x[0], -1), mean(x[0], {0, -1}, true), mean(x[0], 0)};
     }},
    {"var",
     {{{3, 4}}, {{5}}},
     [](const Tensors& x) {
       return Tensors{var(x[0]), var(x[0], 0)};
     }},
    {"var over dims", kAtLeast2,
     [](const Tensors& x) {
       return Tensors{var(x[0], Dims{-1}), var(x[0], Dims{0, 1}, 0, true)};
     }},
    {"std",
     {{{3, 4}}, {{5}}},
     [](const Tensors& x) {
       return Tensors{glassgrad::std(x[0]), glassgrad::std(x[0], 0)};
     }},
    {"std over dims", kAtLeast2,
     [](const Tensors& x) {
       return Tensors{glassgrad::std(x[0], Dims{-1}), glassgrad::std(x[0], Dims{0, 1}, 0, true)};
     }},
    {"prod", kAnyOrEmpty, [](const Tensors& x) { return Tensors{prod(x[0])}; }},
    {"prod over a dim", kAtLeast2,
     [](const Tensors& x) {
       return Tensors{prod(x[0], -1), prod(x[0], 0, true)};
     }},
    {"prod with zeros",
     {{{3, 4}}},
     [](const Tensors& x) {
       const Tensor one_zero = x[0] * tensor({1, 0, 1, 1}), two_zeros = x[0] * tensor({1, 0, 1, 0});
       return Tensors{prod(one_zero, 1), prod(two_zeros, 1), prod(one_zero[0]), prod(two_zeros[0])};
     }},
    {"norm",
     kAny,
     [](const Tensors& x) { return Tensors{norm(x[0])}; },
     -2,
     2,
     true,
     kStep,
     {"linalg_vector_norm"}},
    {"norm over dims", kAtLeast2,
     [](const Tensors& x) {
       return Tensors{norm(x[0], -1), norm(x[0], {0, 1}, true)};
     }},
    {"logsumexp", kAtLeast2,
     [](const Tensors& x) {
       return Tensors{logsumexp(x[0], -1), logsumexp(x[0], {0, 1}, true)};
     }},
    {"cumsum",
     {{{3, 4}}, {{2, 3, 2}}, {{0, 3}}},
     [](const Tensors& x) {
       return Tensors{cumsum(x[0], -1), cumsum(x[0], 0)};
     }},
};

const RegisterRows extremes{
    {"max", kAny, [](const Tensors& x) { return Tensors{max(x[0])}; }},
    {"min", kAny, [](const Tensors& x) { return Tensors{min(x[0])}; }},
    {"max over a dim",
     {{{3, 4}}, {{2, 3, 2}}, {{5}}},
     [](const Tensors& x) {
       const auto [values, indices] = max(x[0], -1);
       return Tensors{values, indices, max(x[0], 0, true).values};
     }},
    {"min over a dim",
     {{{3, 4}}, {{2, 3, 2}}, {{5}}},
     [](const Tensors& x) {
       const auto [values, indices] = min(x[0], 0);
       return Tensors{values, indices, min(x[0], -1, true).values};
     }},
    {"amax", kAtLeast2,
     [](const Tensors& x) {
       return Tensors{amax(x[0], {0, -1}), amax(x[0], 1, true)};
     }},
    {"amin", kAtLeast2,
     [](const Tensors& x) {
       return Tensors{amin(x[0], {0, -1}), amin(x[0], 1, true)};
     }},
    {"argmax", kAny,
     [](const Tensors& x) {
       return Tensors{argmax(x[0]), argmax(x[0], -1), argmax(x[0], 0, true)};
     },
     -2, 2, false},
    {"argmin", kAny,
     [](const Tensors& x) {
       return Tensors{argmin(x[0]), argmin(x[0], -1), argmin(x[0], 0, true)};
     },
     -2, 2, false},
    {"all", kAnyOrEmpty,
     [](const Tensors& x) {
       return Tensors{all(x[0] > -1), all(x[0] > -3)};
     },
     -2, 2, false},
    {"any", kAnyOrEmpty,
     [](const Tensors& x) {
       return Tensors{any(x[0] > 1), any(x[0] > 3)};
     },
     -2, 2, false},
};

const RegisterRows softmaxes{
    {"softmax",
     {{{3, 4}}, {{2, 3, 2}}, {{5}}, {{0, 3}}},
     [](const Tensors& x) {
       return Tensors{softmax(x[0], -1), softmax(x[0], 0)};
     },
     -2,
     2,
     true,
     kStep,
     {"softmax_backward_data"}},
    {"softmax of wide rows", {{{2, 19}}}, [](const Tensors& x) { return Tensors{softmax(x[0], -1)}; }},
    {"softmax of a number", {{Dims{}}}, [](const Tensors& x) { return Tensors{softmax(x[0], 0) + x[0]}; }},
    {"safe_softmax",
     {{{3, 4}}, {{2, 3, 2}}, {{0, 3}}, {{3, 0}}},
     [](const Tensors& x) {
       return Tensors{safe_softmax(x[0], -1), safe_softmax(masked_fill(x[0], x[0] < 0, -INFINITY), 0)};
     }},
    {"log_softmax",
     {{{3, 4}}, {{2, 3, 2}}, {{5}}, {{0, 3}}},
     [](const Tensors& x) {
       return Tensors{log_softmax(x[0], -1), log_softmax(x[0], 0)};
     },
     -2,
     2,
     true,
     kStep,
     {"log_softmax_backward_data"}},
};

}  // namespace

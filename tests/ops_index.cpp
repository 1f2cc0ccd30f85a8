// Rows of the op table: joining, reordering, indexing, sorting.
#include "engine/literal.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

const RegisterRows joins{
    {"cat",
     {{{2, 3}, {1, 3}, {2, 3}}, {{0, 3}, {2, 3}, {1, 3}}, {{0}, {2, 3}, {1, 3}}},
     [](const Tensors& x) {
       return Tensors{cat({x[0], x[1], x[2]}), cat({x[1], x[1]}, -1)};
     }},
    {"stack",
     {{{2, 3}, {2, 3}}, {Dims{}, Dims{}}, {{0, 3}, {0, 3}}},
     [](const Tensors& x) {
       return Tensors{stack({x[0], x[1]}), stack({x[1], x[0], x[0]}, -1)};
     }},
    {"tril",
     {{{4, 4}}, {{2, 3, 4}}, {{0, 3}}},
     [](const Tensors& x) {
       return Tensors{tril(x[0]), tril(x[0], -1), tril(x[0], 1)};
     }},
    {"triu",
     {{{4, 4}}, {{2, 3, 4}}, {{0, 3}}},
     [](const Tensors& x) {
       return Tensors{triu(x[0]), triu(x[0], -1), triu(x[0], 1)};
     }},
    {"flip",
     {{{3, 4}}, {{0, 4}}},
     [](const Tensors& x) {
       return Tensors{flip(x[0], 0), flip(x[0], {0, -1}), flip(x[0], Dims{})};
     }},
    {"roll",
     {{{3, 4}}, {{2, 3, 2}}, {{0, 3}}},
     [](const Tensors& x) {
       return Tensors{roll(x[0], 5), roll(x[0], -1), roll(x[0], {1, -2}, {0, 1})};
     }},
    {"repeat",
     {{{3, 2}}, {{2}}, {Dims{}}},
     [](const Tensors& x) {
       return Tensors{repeat(x[0], {2, 1, 3}), repeat(x[0], {1, 2})};
     }},
    {"pad",
     {{{3, 4}}, {{2, 3, 2}}, {{0, 3}}},
     [](const Tensors& x) {
       return Tensors{pad(x[0], {1, 2}), pad(x[0], {-1, 1, 0, 2}, 0.5), pad(x[0], {-1, -1})};
     },
     -2,
     2,
     true,
     kStep,
     {"constant_pad_nd"}},
};

const RegisterRows indexing{
    {"index",
     {{{3, 4}}},
     [](const Tensors& x) {
       const Tensor rows = tensor({0, 2, 2}), columns = tensor({1, -1, 1});
       return Tensors{index(x[0], {rows}), index(x[0], {rows, columns}), index(x[0], {{}, columns}),
                      index(x[0], {rows.unsqueeze(1), columns.unsqueeze(0)})};
     }},
    {"index by a mask",
     {{{3, 4}}},
     [](const Tensors& x) {
       return Tensors{index(x[0], {tensor({true, false, true})}),
                      index(x[0], {{}, tensor({true, false, true, true})}), index(x[0], {x[0] > 0})};
     }},
    {"index of 3-D",
     {{{2, 3, 4}}},
     [](const Tensors& x) {
       const Tensor i = tensor({1, 0}), k = tensor({3, 3});
       return Tensors{index(x[0], {i, {}, k}), index(x[0], {{}, i}), index(x[0], {{}, {}, k})};
     }},
    {"index_put_",
     {{{3, 4}, {2, 4}}, {{3, 4}, Dims{}}},
     [](const Tensors& x) {
       const Tensor y = clone(x[0]);
       index_put_(y, {tensor({2, 0})}, x[1]);
       return Tensors{y};
     }},
    {"index_put_ accumulating",
     {{{3, 4}, {3, 4}}, {{3, 4}, {4}}},
     [](const Tensors& x) {
       const Tensor y = clone(x[0]);
       index_put_(y, {tensor({2, 0, 2})}, x[1], true);
       return Tensors{y};
     }},
    {"index_put_ by a mask on a view",
     {{{3, 4}, Dims{}}},
     [](const Tensors& x) {
       const Tensor y = clone(x[0]);
       index_put_(y.t(), {tensor({true, false, true, false})}, x[1]);
       return Tensors{y};
     }},
    {"index_select",
     {{{3, 4}}, {{2, 3, 2}}},
     [](const Tensors& x) {
       return Tensors{index_select(x[0], 0, tensor({1, 1, 0})), index_select(x[0], -1, tensor({1}))};
     }},
    {"masked_select",
     {{{3, 4}}, {{4}}},
     [](const Tensors& x) {
       return Tensors{masked_select(x[0], tensor({true, false, true, true}))};
     }},
    {"gather",
     {{{3, 4}}},
     [](const Tensors& x) {
       return Tensors{gather(x[0], 1, tensor({{0, 0}, {3, 1}, {2, 2}})),
                      gather(x[0], 0, tensor({{2, 0, 1, 1}}))};
     }},
    {"scatter_add",
     {{{3, 4}, {3, 2}}},
     [](const Tensors& x) {
       return Tensors{scatter_add(x[0], 1, tensor({{0, 0}, {3, 1}, {2, 2}}), x[1])};
     }},
    {"embedding",
     {{{5, 3}}},
     [](const Tensors& x) {
       const Tensor ids = tensor({{1, 2, 1}, {0, 3, 1}});
       return Tensors{embedding(x[0], ids)};
     },
     -2,
     2,
     true,
     kStep,
     {"embedding_backward"}},
    {"nonzero",
     {{{3, 4}}, {{0, 4}}},
     [](const Tensors& x) { return Tensors{nonzero(x[0] > 0)}; },
     -2,
     2,
     false},
};

const RegisterRows sorting{
    {"topk",
     {{{3, 5}}, {{6}}},
     [](const Tensors& x) {
       const auto [values, indices] = topk(x[0], 2);
       return Tensors{values, indices, topk(x[0], 3, 0, false).values};
     }},
    {"sort",
     {{{3, 5}}, {{6}}, {Dims{}}, {{0, 3}}},
     [](const Tensors& x) {
       const auto [values, indices] = sort(x[0]);
       return Tensors{values, indices, sort(x[0], 0, true).values};
     }},
    {"unique",
     {{{3, 4}}, {{0, 2}}, {Dims{}}},
     [](const Tensors& x) {
       const Unique y = unique(round(x[0]));
       return Tensors{y.values, to(y.inverse, float64), to(y.counts, float64)};
     },
     -2,
     2,
     false},
    {"argsort",
     {{{3, 5}}, {{6}}},
     [](const Tensors& x) {
       return Tensors{argsort(x[0]), argsort(x[0], 0, true)};
     },
     -2,
     2,
     false},
};

}  // namespace

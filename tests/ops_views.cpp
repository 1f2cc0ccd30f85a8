// Rows of the op table: views, and the ops that move gradients into and out of views.
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

const RegisterRows views{
    {"t", {{{3, 4}}, {{4}}, {Dims{}}, {{0, 3}}}, [](const Tensors& x) { return Tensors{x[0].t()}; }},
    {"alias", {{{3, 4}}, {Dims{}}, {{0, 3}}}, [](const Tensors& x) { return Tensors{x[0].alias()}; }},
    {"T", {{{3, 4}}, {{2, 3, 4}}, {{4}}}, [](const Tensors& x) { return Tensors{x[0].T()}; }},
    {"transpose",
     {{{2, 3, 4}}, {{0, 3, 2}}},
     [](const Tensors& x) { return Tensors{x[0].transpose(-1, 0)}; }},
    {"permute",
     {{{2, 3, 4}}, {{2, 0, 4}}},
     [](const Tensors& x) {
       return Tensors{x[0].permute({2, 0, 1})};
     }},
    // A clone keeps the layout, and only a contiguous tensor can be viewed in every other shape.
    {"view",
     {{{3, 4}}, {{0, 12}}},
     [](const Tensors& x) {
       return Tensors{add(x[0].contiguous(), 0.0).contiguous().view({-1, 2, 3})};
     }},
    {"reshape",
     {{{3, 4}}, {{2, 2, 3}}, {{12}}},
     [](const Tensors& x) {
       return Tensors{x[0].reshape({2, -1})};
     },
     -2,
     2,
     true,
     kStep,
     {"_unsafe_view"}},
    {"unsafe_view",
     {{{3, 4}}},
     [](const Tensors& x) {
       return Tensors{unsafe_view(clone(x[0]).contiguous(), {2, 6})};
     }},
    {"flatten", {{{2, 3, 4}}, {{2, 3}}, {Dims{}}}, [](const Tensors& x) { return Tensors{x[0].flatten()}; }},
    {"flatten inner", {{{2, 3, 4}}}, [](const Tensors& x) { return Tensors{x[0].flatten(1, 2)}; }},
    {"unflatten",
     {{{2, 6}}},
     [](const Tensors& x) {
       return Tensors{x[0].unflatten(1, {3, -1})};
     }},
    {"slice",
     {{{5, 4}}, {{0, 4}}},
     [](const Tensors& x) {
       return Tensors{x[0].slice(0, 1, {}), x[0].slice(0, {}, -1), x[0].slice(1, 0, 4, 3),
                      x[0].slice(0, 4, 2)};
     }},
    {"narrow",
     {{{5, 4}}},
     [](const Tensors& x) {
       return Tensors{x[0].narrow(0, 1, 3), x[0].narrow(-1, 3, 1)};
     }},
    {"select",
     {{{3, 4}}},
     [](const Tensors& x) {
       return Tensors{x[0].select(1, -1), x[0][0], x[0][1][2]};
     }},
    {"expand",
     {{{3, 1}}, {{4}}, {{1, 4}}, {Dims{}}},
     [](const Tensors& x) {
       return Tensors{x[0].expand({2, 3, 4}) * 2};
     }},
    {"unsqueeze",
     {{{3, 4}}, {Dims{}}},
     [](const Tensors& x) {
       return Tensors{x[0].unsqueeze(0), x[0].unsqueeze(-1)};
     }},
    {"squeeze", {{{3, 1, 4, 1}}, {{1}}, {{1, 0}}}, [](const Tensors& x) { return Tensors{x[0].squeeze()}; }},
    {"squeeze one",
     {{{3, 1, 4}}},
     [](const Tensors& x) {
       return Tensors{x[0].squeeze(1), x[0].squeeze(0), x[0].squeeze(-2)};
     }},
    {"unbind",
     {{{3, 4}}, {{2, 2, 3}}},
     [](const Tensors& x) {
       const Tensors rows = x[0].unbind(), columns = x[0].unbind(-1);
       return Tensors{rows[0], rows[1] * 2, columns[1]};  // some pieces are not used
     }},
    {"split",
     {{{5, 4}}},
     [](const Tensors& x) {
       const Tensors a = x[0].split(2), b = x[0].split(3, 1);
       return Tensors{a[0], a[2] * 3, b[1]};
     }},
    {"split_with_sizes",
     {{{5, 4}}},
     [](const Tensors& x) {
       return x[0].split_with_sizes({1, 0, 4});
     }},
    {"chunk", {{{5, 4}}}, [](const Tensors& x) { return x[0].chunk(3, 0); }},
    {"diagonal",
     {{{3, 4}}, {{2, 3, 3}}},
     [](const Tensors& x) {
       return Tensors{x[0].diagonal(), x[0].diagonal(1), x[0].diagonal(-1, -1, 0)};
     }},
    {"as_strided",
     {{{3, 4}}},
     [](const Tensors& x) {
       const Tensor y = clone(x[0].contiguous()) * 1;
       return Tensors{y.contiguous().as_strided({2, 3}, {4, 1}, 1),
                      y.contiguous().as_strided({3, 3}, {1, 2}, 2)};
     }},
    {"contiguous", {{{3, 4}}, {{0, 4}}}, [](const Tensors& x) { return Tensors{x[0].contiguous() * 2}; }},
};

// The ops in the gradient of as_strided, and in the gradient of in-place writes to views.
const RegisterRows regions{
    {"as_strided_scatter",
     {{{2, 3}}},
     [](const Tensors& x) {
       return Tensors{as_strided_scatter(x[0], {3, 4}, {4, 1}, 1),
                      as_strided_scatter(x[0], {3, 4}, {1, 2}, 3)};
     }},
    {"as_strided_zero",
     {{{3, 4}}},
     [](const Tensors& x) {
       return Tensors{as_strided_zero(x[0], {2, 2}, {4, 2}, 1)};
     }},
    {"sum_to",
     {{{2, 3, 4}}},
     [](const Tensors& x) {
       return Tensors{sum_to(x[0], {3, 1}), sum_to(x[0], {4}), sum_to(x[0], Dims{})};
     }},
    {"copy_slices",
     {{{3, 4}, {4}}, {{3, 4}, {1}}},
     [](const Tensors& x) {
       const Tensor base = x[0] * 2, row = base[1], older = base.t();
       copy_(row, x[1]);
       mul_(base.slice(1, 1, 3), x[0].slice(1, 1, 3));
       add_(older.select(0, 3), 1.5);
       return Tensors{base, row, older};
     },
     -2,
     2,
     true,
     kStep,
     {"as_strided"}},
};

}  // namespace

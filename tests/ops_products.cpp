// Rows of the op table: matrix products.
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

const RegisterRows products{
    {"mm",
     {{{3, 4}, {4, 2}}, {{1, 4}, {4, 1}}, {{3, 0}, {0, 2}}, {{0, 4}, {4, 2}}},
     [](const Tensors& x) { return Tensors{mm(x[0], x[1])}; }},
    {"mm of more than a tile",
     {{{9, 17}, {17, 11}}},
     [](const Tensors& x) { return Tensors{mm(x[0], x[1])}; },
     -1,
     1},
    {"bmm",
     {{{2, 3, 4}, {2, 4, 2}}, {{0, 3, 4}, {0, 4, 2}}, {{2, 3, 0}, {2, 0, 2}}},
     [](const Tensors& x) { return Tensors{bmm(x[0], x[1])}; }},
    {"mv", {{{3, 4}, {4}}, {{3, 0}, {0}}}, [](const Tensors& x) { return Tensors{mv(x[0], x[1])}; }},
    {"dot", {{{5}, {5}}, {{0}, {0}}}, [](const Tensors& x) { return Tensors{dot(x[0], x[1])}; }},
    {"outer", {{{3}, {4}}}, [](const Tensors& x) { return Tensors{outer(x[0], x[1])}; }},
    {"addmm",
     {{{2}, {3, 4}, {4, 2}},
      {{3, 2}, {3, 4}, {4, 2}},
      {Dims{}, {3, 4}, {4, 2}},
      {{3, 1}, {3, 4}, {4, 2}},
      {{4}, {3, 0}, {0, 4}}},
     [](const Tensors& x) { return Tensors{addmm(x[0], x[1], x[2])}; }},
    {"matmul",
     {{{4}, {4}},
      {{3, 4}, {4}},
      {{4}, {4, 2}},
      {{3, 4}, {4, 2}},
      {{2, 3, 4}, {4}},
      {{4}, {2, 4, 3}},
      {{2, 3, 4}, {4, 2}},
      {{3, 4}, {2, 4, 2}},
      {{2, 3, 4}, {2, 4, 2}},
      {{2, 3, 4}, {1, 4, 2}},
      {{2, 1, 2, 3}, {3, 3, 2}},
      {{2, 0, 3}, {2, 3, 2}}},
     [](const Tensors& x) { return Tensors{matmul(x[0], x[1])}; },
     -2,
     2,
     true,
     kStep,
     {"_unsafe_view", "squeeze_"}},
    {"linear",
     {{{3, 4}, {2, 4}, {2}}, {{2, 3, 4}, {2, 4}, {2}}, {{4}, {2, 4}, {2}}, {{1, 2, 3, 4}, {2, 4}, {2}}},
     [](const Tensors& x) { return Tensors{linear(x[0], x[1], x[2])}; }},
    {"linear without bias",
     {{{3, 4}, {2, 4}}, {{2, 3, 4}, {2, 4}}, {{4}, {2, 4}}},
     [](const Tensors& x) { return Tensors{linear(x[0], x[1])}; }},
    {"linear_gelu",
     {{{3, 4}, {2, 4}, {2}}, {{2, 3, 4}, {5, 4}, {5}}, {{4}, {2, 4}, {2}}, {{1, 2, 2, 3}, {1, 3}, {1}}},
     [](const Tensors& x) {
       return Tensors{linear_gelu(x[0], x[1], x[2], "none"), linear_gelu(x[0], x[1], x[2], "tanh"),
                      linear_gelu(x[0], x[1], {}, "tanh")};
     }},
    {"matmul with itself", {{{3, 3}}}, [](const Tensors& x) { return Tensors{matmul(x[0], x[0].t())}; }},
};

}  // namespace

// Rows of the op table: pointwise ops. Rows for the ops in pointwise.def are generated from it.
#include <cstring>
#include <map>

#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

const std::vector<std::vector<Dims>> kUnary = {{{3, 4}}, {Dims{}}, {{2, 1, 3}}, {{0, 3}}};
const std::vector<std::vector<Dims>> kBinary = {{{3, 4}, {3, 4}}, {{3, 4}, {4}},    {{3, 1}, {1, 4}},
                                                {Dims{}, {2, 3}}, {{2, 3}, Dims{}}, {{2, 1, 3}, {4, 1}},
                                                {{0, 3}, {3}}};

struct Range {
  double low = -2, high = 2;
};

// Returns a range for an op's inputs inside its domain and away from its poles; the default for all other
// ops.
Range range_of(const std::string& op) {
  static const std::map<std::string, Range> ranges = {
      {"log", {0.2, 3}},     {"log2", {0.2, 3}},      {"log10", {0.2, 3}},      {"log1p", {-0.7, 2}},
      {"sqrt", {0.2, 3}},    {"rsqrt", {0.3, 3}},     {"reciprocal", {0.4, 2}}, {"div", {0.4, 2}},
      {"pow", {0.4, 2}},     {"tan", {-1, 1}},        {"fmod", {0.3, 2}},       {"remainder", {0.3, 2}},
      {"atan2", {0.2, 2}},   {"erfinv", {-0.8, 0.8}}, {"lgamma", {0.4, 3}},     {"digamma", {0.4, 3}},
      {"asin", {-0.8, 0.8}}, {"acos", {-0.8, 0.8}},   {"acosh", {1.2, 3}},      {"atanh", {-0.8, 0.8}}};
  const auto found = ranges.find(op.back() == '_' ? op.substr(0, op.size() - 1) : op);
  return found == ranges.end() ? Range{} : found->second;
}

OpRow unary(const char* name, Tensor (*f)(const Tensor&), bool gradient = true) {
  const Range r = range_of(name);
  return {name, kUnary, [f](const Tensors& x) { return Tensors{f(x[0])}; }, r.low, r.high, gradient};
}
OpRow binary(const char* name, Tensor (*f)(const Tensor&, const Tensor&), bool gradient = true) {
  const Range r = range_of(name);
  return {name, kBinary, [f](const Tensors& x) { return Tensors{f(x[0], x[1])}; }, r.low, r.high, gradient};
}
// Runs in place on a whole tensor, and on a view; the rest of the view's base must keep its gradient.
OpRow unary_in_place(const char* name, Tensor (*f)(const Tensor&)) {
  const Range r = range_of(name);
  return {name,
          {{{3, 4}}, {{0, 4}}},
          [f](const Tensors& x) {
            const Tensor whole = clone(x[0]), part = clone(x[0]);
            f(whole);
            f(part.slice(1, 1, 3));
            return Tensors{whole, part};
          },
          r.low,
          r.high};
}
OpRow binary_in_place(const char* name, Tensor (*f)(const Tensor&, const Tensor&)) {
  const Range r = range_of(name);
  return {name,
          {{{3, 4}, {3, 4}}, {{3, 4}, {4}}, {{3, 4}, Dims{}}},
          [f](const Tensors& x) {
            const Tensor whole = clone(x[0]), part = clone(x[0]);
            f(whole, x[1]);
            f(part.t(), x[1].dim() == 1 ? x[1].unsqueeze(-1) : x[1].t());
            return Tensors{whole, part};
          },
          r.low,
          r.high};
}

#define UNARY(name, kind, node, value, dx) unary(#name, glassgrad::name),
#define BINARY(name, kind, node, value, da, db) binary(#name, glassgrad::name),
const RegisterRows with_gradient{
#include "engine/numbers/pointwise.def"
};
#define UNARY_INPLACE(name) unary_in_place(#name "_", glassgrad::name##_),
#define BINARY_INPLACE(name) binary_in_place(#name "_", glassgrad::name##_),
const RegisterRows in_place{
#include "engine/numbers/pointwise.def"
};

// Rounds the inputs of ops that take integers.
using Kind = const char*;
Tensor suited(const Tensor& x, Kind kind) {
  return std::strcmp(kind, "integral") == 0 ? to(round(x), int64) : x;
}
#define UNARY_PLAIN(name, kind, value)           \
  OpRow{#name, kUnary, [](const Tensors& x) { return Tensors{glassgrad::name(suited(x[0], #kind))}; }, \
        -2,    2,      false},
#define BINARY_PLAIN(name, kind, value)                                                                      \
  OpRow{#name,                                                                                               \
        kBinary,                                                                                             \
        [](const Tensors& x) { return Tensors{glassgrad::name(suited(x[0], #kind), suited(x[1], #kind))}; }, \
        0.3,                                                                                                 \
        3,                                                                                                   \
        false},
const RegisterRows without_gradient{
#include "engine/numbers/pointwise.def"
};

Tensor pattern(const Dims& shape) {  // true, false, true, … along the elements
  return eq(remainder(arange(shape.numel()), 2), 0).view(shape);
}

const RegisterRows more{
    {"pow by 2", kUnary, [](const Tensors& x) { return Tensors{pow(x[0], 2)}; }},
    {"pow by 3", kUnary, [](const Tensors& x) { return Tensors{pow(x[0], 3)}; }},
    {"pow by 1", kUnary, [](const Tensors& x) { return Tensors{pow(x[0], 1)}; }},
    {"pow by 0", kUnary, [](const Tensors& x) { return Tensors{pow(x[0], 0)}; }},
    {"pow by a half", kUnary, [](const Tensors& x) { return Tensors{pow(x[0], 0.5)}; }, 0.3, 2},
    {"pow by -1", kUnary, [](const Tensors& x) { return Tensors{pow(x[0], -1)}; }, 0.4, 2},
    {"pow_number", kUnary, [](const Tensors& x) { return Tensors{pow_number(x[0], Tensor(2.5))}; }, 0.3, 2},
    {"pow_base", kUnary, [](const Tensors& x) { return Tensors{pow_base(Tensor(1.7), x[0])}; }},
    {"pow_ by 2", kUnary, [](const Tensors& x) { return Tensors{pow_(clone(x[0]), 2)}; }},
    {"pow_ by 2.5", kUnary, [](const Tensors& x) { return Tensors{pow_(clone(x[0]), 2.5)}; }, 0.3, 2},
    {"pow_ by a tensor",
     {{{3, 4}, {3, 4}}},
     [](const Tensors& x) { return Tensors{pow_(clone(x[0]), x[1])}; },
     0.3,
     2},
    {"rsub number", kUnary, [](const Tensors& x) { return Tensors{1 - x[0]}; }},
    {"mul number", kUnary,
     [](const Tensors& x) {
       return Tensors{x[0] * 3, 0.7 * x[0], x[0] / 3};
     }},
    {"gelu exact", kUnary, [](const Tensors& x) { return Tensors{gelu(x[0])}; }},
    {"gelu tanh", kUnary, [](const Tensors& x) { return Tensors{gelu(x[0], "tanh")}; }},
    {"leaky_relu", kUnary, [](const Tensors& x) { return Tensors{leaky_relu(x[0], 0.1)}; }},
    {"elu", kUnary,
     [](const Tensors& x) {
       return Tensors{elu(x[0]), elu(x[0], 0.3)};
     }},
    {"softplus", kUnary,
     [](const Tensors& x) {
       return Tensors{softplus(x[0]), softplus(x[0], 2, 1)};
     }},
    {"polygamma", kUnary,
     [](const Tensors& x) {
       return Tensors{polygamma(1, x[0]), polygamma(2, -x[0])};
     },
     0.2, 0.8},
    {"clamp both", kUnary, [](const Tensors& x) { return Tensors{clamp(x[0], -0.5, 0.8)}; }},
    {"clamp below", kUnary, [](const Tensors& x) { return Tensors{clamp(x[0], -0.5)}; }},
    {"clamp above", kUnary, [](const Tensors& x) { return Tensors{clamp(x[0], {}, 0.5)}; }},
    {"clamp_", kUnary, [](const Tensors& x) { return Tensors{clamp_(clone(x[0]), -0.5, 0.8)}; }},
    {"where",
     {{{3, 4}, {3, 4}}, {{3, 4}, {4}}, {{4}, {3, 1}}, {Dims{}, {3, 4}}},
     [](const Tensors& x) {
       return Tensors{where(pattern({3, 4}), x[0], x[1])};
     }},
    {"where masks are broadcast",
     {{{3, 4}, {3, 4}}, {{0, 4}, {4}}},
     [](const Tensors& x) { return Tensors{where(pattern({4}), x[0], x[1])}; }},
    {"masked_fill number",
     {{{3, 4}}, {{2, 3, 4}}, {{4}}},
     [](const Tensors& x) {
       return Tensors{masked_fill(x[0], pattern({3, 4}), -7)};
     }},
    {"masked_fill tensor",
     {{{3, 4}, Dims{}}},
     [](const Tensors& x) { return Tensors{masked_fill(x[0], pattern({4}), x[1])}; }},
    {"masked_fill_",
     {{{3, 4}, Dims{}}},
     [](const Tensors& x) {
       const Tensor whole = clone(x[0]), part = clone(x[0]);
       masked_fill_(whole, pattern({3, 4}), -7);
       masked_fill_(part[1], pattern({4}), x[1]);
       return Tensors{whole, part};
     }},
    {"fill_",
     {{{3, 4}, Dims{}}},
     [](const Tensors& x) {
       const Tensor whole = x[0] * 2, part = x[0] * 2;
       fill_(whole, 3.5);
       fill_(part.slice(1, 0, 2), x[1]);
       return Tensors{whole, part};
     }},
    {"zero_",
     {{{3, 4}}},
     [](const Tensors& x) {
       const Tensor part = x[0] * 2;
       zero_(part[1]);
       return Tensors{part};
     }},
    {"copy_",
     {{{3, 4}, {3, 4}}, {{3, 4}, {4}}, {{3, 4}, Dims{}}},
     [](const Tensors& x) {
       const Tensor whole = clone(x[0]), part = clone(x[0]), fresh = zeros({3, 4}, x[0].dtype());
       copy_(whole, x[1]);
       copy_(part.slice(0, 1, 3), x[1].dim() == 2 ? x[1].slice(0, 0, 2) : x[1]);
       copy_(fresh, x[1]);
       return Tensors{whole, part, fresh};
     }},
    {"clone", kUnary, [](const Tensors& x) { return Tensors{clone(x[0])}; }},
    // float32 and back is exact on the grid with a step that is a multiple of it.
    {"to", kUnary, [](const Tensors& x) { return Tensors{to(to(x[0], float32), float64)}; }, -2, 2, true,
     0x1p-8},
};

}  // namespace

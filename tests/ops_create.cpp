// Rows of the op table: ops that make or draw tensors. An in-place fill replaces the old value, whose
// gradient becomes 0.
#include "engine/literal.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

// Makes tensors without inputs. The row's one input is ignored; it only gives the row a dtype.
OpRow makes(const char* name, Tensor (*make)()) {
  return {name, {{Dims{}}}, [make](const Tensors&) { return Tensors{make()}; }, -2, 2, false};
}
// Fills in place, whole and through a view, always with the same numbers.
OpRow fills(const char* name, void (*fill)(const Tensor&, Generator&)) {
  return {name, {{{3, 4}}, {{0, 4}}}, [fill](const Tensors& x) {
            Generator g(5);
            const Tensor whole = to(x[0] * 2, float64).contiguous(), part = clone(whole);
            fill(part.slice(1, 1, 3), g);
            fill(whole, g);
            return Tensors{part, whole};
          }};
}
OpRow draws(const char* name, Tensor (*draw)(const Tensor&, Generator&)) {
  return {name,
          {{{3, 4}}, {{0, 4}}},
          [draw](const Tensors& x) {
            Generator g(5);
            return Tensors{draw(to(x[0], float64).contiguous(), g)};
          },
          0.1,
          1};
}

const RegisterRows makers{
    makes("tensor",
          [] {
            return tensor({{1.5, 2}, {3, 4}});
          }),
    makes("from_values",
          [] {
            return from_values(::std::vector<double>{1, 2, 3, 4}, {2, 2}, float64);
          }),
    makes("empty",
          [] {
            return empty({0, 2});
          }),
    makes("zeros",
          [] {
            return zeros({2, 3});
          }),
    makes("ones",
          [] {
            return ones({2, 3});
          }),
    makes("full",
          [] {
            return full({2, 3}, 7);
          }),
    makes("empty_like",
          [] {
            return empty_like(zeros({0, 3}));
          }),
    makes("zeros_like", [] { return zeros_like(eye(3)); }),
    makes("ones_like", [] { return ones_like(eye(3), float64); }),
    makes("full_like", [] { return full_like(eye(3), 2.5); }),
    makes("arange", [] { return arange(int64_t{2}, int64_t{9}, int64_t{3}); }),
    makes("arange of floats", [] { return arange(0.0, 1.0, 0.25); }),
    makes("linspace", [] { return linspace(0, 1, 7); }),
    makes("eye", [] { return eye(3, 4); }),
};

const RegisterRows random_ops{
    draws("rand", [](const Tensor& x, Generator& g) { return rand(x.shape(), float64, g); }),
    draws("randn", [](const Tensor& x, Generator& g) { return randn(x.shape(), float64, g); }),
    draws("randint", [](const Tensor& x, Generator& g) { return randint(-3, 9, x.shape(), g); }),
    draws("randperm", [](const Tensor& x, Generator& g) { return randperm(x.numel(), g); }),
    draws("rand_like", [](const Tensor& x, Generator& g) { return rand_like(x, g); }),
    draws("randn_like", [](const Tensor& x, Generator& g) { return randn_like(x, g); }),
    draws("randint_like", [](const Tensor& x, Generator& g) { return randint_like(x, 0, 5, g); }),
    draws("normal", [](const Tensor& x, Generator& g) { return normal(0.5, 2, x.shape(), g); }),
    // A draw has no gradient, so its arguments must not change with x.
    draws("normal of tensors",
          [](const Tensor& x, Generator& g) { return normal(x * 0 + 0.5, x * 0 + 2, g); }),
    draws("bernoulli", [](const Tensor& x, Generator& g) { return bernoulli(x, g); }),
    draws("multinomial",
          [](const Tensor& x, Generator& g) {
            return multinomial(x.numel() ? x.detach() : ones({2, 3}), 2, false, g);
          }),
    draws("multinomial with replacement",
          [](const Tensor& x, Generator& g) {
            return multinomial(x.numel() ? x.detach() : ones({2, 3}), 9, true, g);
          }),
    fills("uniform_", [](const Tensor& x, Generator& g) { uniform_(x, -1, 1, g); }),
    fills("normal_", [](const Tensor& x, Generator& g) { normal_(x, 0, 1, g); }),
    fills("bernoulli_", [](const Tensor& x, Generator& g) { bernoulli_(x, 0.5, g); }),
    fills("dropout_mask_", [](const Tensor& x, Generator& g) { dropout_mask_(x, 0.5, g); }),
    fills("exponential_", [](const Tensor& x, Generator& g) { exponential_(x, 1, g); }),
    fills("random_", [](const Tensor& x, Generator& g) { mul_(random_(x, g), 0x1p-53); }),
    fills("random_ in a range", [](const Tensor& x, Generator& g) { random_(x, -5, 5, g); }),
};

}  // namespace

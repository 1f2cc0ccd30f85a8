// Products, joining, indexing, sorting: shapes, values, errors.
#include "support.h"

using namespace glassgrad;
using namespace testing;

TEST_CASE("matmul of every rank") {
  const auto shape = [](const Dims& a, const Dims& b) { return matmul(ones(a), ones(b)).shape(); };
  CHECK(shape(3, 3) == Dims{});
  CHECK(shape({2, 3}, 3) == Dims{2});
  CHECK(shape(3, {3, 4}) == Dims{4});
  CHECK(shape({2, 3}, {3, 4}) == Dims{2, 4});
  CHECK(shape({5, 2, 3}, 3) == Dims{5, 2});
  CHECK(shape(3, {5, 3, 4}) == Dims{5, 4});
  CHECK(shape({5, 2, 3}, {3, 4}) == Dims{5, 2, 4});
  CHECK(shape({2, 3}, {5, 3, 4}) == Dims{5, 2, 4});
  CHECK(shape({5, 2, 3}, {5, 3, 4}) == Dims{5, 2, 4});
  CHECK(shape({1, 2, 3}, {5, 3, 4}) == Dims{5, 2, 4});
  CHECK(shape({6, 1, 2, 3}, {5, 3, 4}) == Dims{6, 5, 2, 4});
  CHECK(error_of([&] { shape({}, 3); }) ==
        "RuntimeError: both arguments to matmul need to be at least 1D, but they are 0D and 1D");
}

TEST_CASE("matmul agrees with its definition in every layout") {
  manual_seed(1);
  for (const int64_t size : {1, 3, 7, 17, 40}) {
    const Tensor a = randn({size, size + 2}, float64), b = randn({size + 2, size + 1}, float64);
    const Tensor expected = sum(a.unsqueeze(2) * b.unsqueeze(0), 1);
    const Tensor at = a.t().contiguous().t(), bt = b.t().contiguous().t();
    for (const Tensor& x : {a, at})
      for (const Tensor& y : {b, bt}) CHECK(close(matmul(x, y), numbers(expected), 1e-12));
    CHECK(close(matmul(a.expand({3, size, size + 2}), b)[2], numbers(expected), 1e-12));
    CHECK(close(linear(a, bt.t()), numbers(expected), 1e-12));
    CHECK(close(matmul(to(a, float32), to(b, float32)), numbers(expected), 1e-5));
  }
}

TEST_CASE("products of integers") {
  CHECK(numbers(matmul(tensor({{1, 2}, {3, 4}}), tensor({{5, 6}, {7, 8}}))) == Numbers{19, 22, 43, 50});
  CHECK(dot(tensor({1, 2}), tensor({3, 4})).item<int64_t>() == 11);
}

TEST_CASE("errors of products") {
  CHECK(error_of([] {
          mm(ones({2, 3}), ones({4, 5}));
        }) == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
  CHECK(error_of([] {
          matmul(ones({2, 3}), ones({4, 5}));
        }) == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)");
  CHECK(error_of([] {
          matmul(ones(3), ones({4, 5}));
        }) == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x3 and 4x5)");
  CHECK(error_of([] {
          linear(ones({3, 4, 3}), ones({5, 4}));
        }) == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (12x3 and 4x5)");
  CHECK(
      error_of([] {
        matmul(ones({2, 3, 4}), ones({2, 5, 6}));
      }) ==
      "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 5].");
  CHECK(error_of([] {
          matmul(ones({2, 3, 4}), ones({3, 4, 5}));
        }) ==
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton "
        "dimension 0");
  CHECK(error_of([] {
          mv(ones({2, 3}), ones(4));
        }) == "RuntimeError: size mismatch, got input (2), mat (2x3), vec (4)");
  CHECK(error_of([] {
          mm(ones({2, 2}), tensor({{1, 2}, {3, 4}}));
        }) == "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != long int");
  CHECK(contains(error_of([] {
                   linear(tensor({{1, 2}}), ones({3, 2}), ones(3));
                 }),
                 "mat1 and mat2 must have the same dtype"));
}

TEST_CASE("broadcasting") {
  CHECK((ones({3, 1}) + ones(4)).shape() == Dims{3, 4});
  CHECK((ones({2, 1, 4}) + ones({3, 1})).shape() == Dims{2, 3, 4});
  CHECK((ones({1, 0}) + ones({5, 1})).shape() == Dims{5, 0});
  CHECK(error_of([] { ones(3) + ones(4); }) ==
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton "
        "dimension 0");
  CHECK(error_of([] {
          ones({2, 3, 4}) * ones({3, 3});
        }) ==
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton "
        "dimension 2");
  CHECK((ones({3, 4}).t() + 1).strides() == Dims{1, 4});  // results keep the memory order
  CHECK((ones({3, 4}).t() + ones({4, 3})).strides() == Dims{1, 4});
}

TEST_CASE("joining") {
  const Tensor a = tensor({{1, 2}}), b = tensor({{3, 4}, {5, 6}});
  CHECK(numbers(cat({a, b})) == Numbers{1, 2, 3, 4, 5, 6});
  CHECK(cat({a, tensor({{0.5, 0.5}})}, 1).dtype() == float32);
  CHECK(stack({b, b}, 1).shape() == Dims{2, 2, 2});
  CHECK(numbers(stack({b, b * 10}, -1)[0]) == Numbers{3, 30, 4, 40});
  CHECK(error_of([] {
          cat({ones({2, 3}), ones({2, 4})});
        }) ==
        "RuntimeError: Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 "
        "for tensor number 1 in the list.");
  CHECK(error_of([] {
          stack({ones({2, 3}), ones({2, 4})});
        }) ==
        "RuntimeError: stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [2, 4] at "
        "entry 1");
  CHECK(contains(error_of([] { cat({}); }), "expected a non-empty list of Tensors"));
}

TEST_CASE("reordering") {
  const Tensor x = arange(6).view({2, 3});
  CHECK(numbers(flip(x, {0, 1})) == Numbers{5, 4, 3, 2, 1, 0});
  CHECK(numbers(roll(x, 1)) == Numbers{5, 0, 1, 2, 3, 4});
  CHECK(numbers(roll(x, -1, 1)) == Numbers{1, 2, 0, 4, 5, 3});
  CHECK(numbers(repeat(x, {2, 1})[2]) == Numbers{0, 1, 2});
  CHECK(repeat(x, {2, 1, 1}).shape() == Dims{2, 2, 3});
  CHECK(numbers(tril(ones({3, 3}), -1)) == Numbers{0, 0, 0, 1, 0, 0, 1, 1, 0});
  CHECK(numbers(triu(ones({2, 3}), 1)) == Numbers{0, 1, 1, 0, 0, 1});
}

TEST_CASE("indexing") {
  const Tensor x = arange(12).view({3, 4});
  CHECK(numbers(index(x, {tensor({2, 0})})) == Numbers{8, 9, 10, 11, 0, 1, 2, 3});
  CHECK(numbers(index(x, {tensor({0, -1}), tensor({1, -1})})) == Numbers{1, 11});
  CHECK(index(x, {tensor({{0, 1}, {2, 0}})}).shape() == Dims{2, 2, 4});
  CHECK(index(x, {tensor({{0}, {1}}), tensor({{1, 2, 3}})}).shape() == Dims{2, 3});
  CHECK(numbers(index(x, {x > 9})) == Numbers{10, 11});
  CHECK(numbers(index(x, {tensor({true, false, true}), tensor({0, 3})})) == Numbers{0, 11});
  CHECK(index(ones({2, 3, 4}), {tensor({0}), {}, tensor({1})}).shape() ==
        Dims{1, 3});  // indices apart: their dimension comes first
  CHECK(error_of([&] { index(x, {tensor({3})}); }) ==
        "IndexError: index 3 is out of bounds for dimension 0 with size 3");
  CHECK(error_of([&] { index(x, {tensor({-4})}); }) ==
        "IndexError: index -4 is out of bounds for dimension 0 with size 3");
  CHECK(error_of([&] {
          index(tensor({1, 2}), {tensor({0}), tensor({0})});
        }) == "IndexError: too many indices for tensor of dimension 1");
  CHECK(error_of([&] {
          index(x, {ones({2, 4}) > 0});
        }) ==
        "IndexError: The shape of the mask [2, 4] at index 0 does not match the shape of the indexed tensor "
        "[3, 4] at index 0");
}

TEST_CASE("index assignment") {
  const Tensor x = zeros({3, 4});
  index_put_(x, {tensor({0, 2})}, tensor({1., 2., 3., 4.}));
  CHECK(numbers(x) == Numbers{1, 2, 3, 4, 0, 0, 0, 0, 1, 2, 3, 4});
  index_put_(x, {x == 0}, tensor(9.));
  CHECK(numbers(x[1]) == Numbers{9, 9, 9, 9});
  const Tensor counts = zeros(3, int64);
  index_put_(counts, {tensor({2, 0, 2, 2})}, tensor(1), true);
  CHECK(numbers(counts) == Numbers{1, 0, 3});
  CHECK(contains(error_of([&] { index_put_(x, {tensor({7})}, tensor(0.)); }), "index 7 is out of bounds"));
}

TEST_CASE("gather and its like") {
  const Tensor x = arange(6).view({2, 3});
  CHECK(numbers(gather(x, 1, tensor({{2, 0}, {1, 1}}))) == Numbers{2, 0, 4, 4});
  CHECK(numbers(scatter_add(zeros({2, 3}), 1, tensor({{0, 0}, {2, 2}}), ones({2, 2}))) ==
        Numbers{2, 0, 0, 0, 0, 2});
  CHECK(numbers(index_select(x, 1, tensor({2, 2}))) == Numbers{2, 2, 5, 5});
  CHECK(numbers(masked_select(x, x > 3)) == Numbers{4, 5});
  CHECK(numbers(nonzero(x > 3)) == Numbers{1, 1, 1, 2});
  CHECK(contains(error_of([&] { gather(x, 1, tensor({{3}})); }),
                 "index 3 is out of bounds for dimension 1 with size 3"));
  CHECK(error_of([] { embedding(ones({3, 2}), tensor({3})); }) == "IndexError: index out of range in self");
  CHECK(error_of([] { embedding(ones({3, 2}), tensor({-1})); }) == "IndexError: index out of range in self");
  const Tensor w = ones({3, 2}, float64).requires_grad_();
  sum(embedding(w, tensor({0, 2, 2}), 0)).backward();
  CHECK(numbers(w.grad()) == Numbers{0, 0, 0, 0, 2, 2});  // the padding row gets no gradient
}

TEST_CASE("sorting") {
  const Tensor x = tensor({3, 1, 2, 1});
  const auto [values, indices] = sort(x);
  CHECK(numbers(values) == Numbers{1, 1, 2, 3});
  CHECK(numbers(indices) == Numbers{1, 3, 2, 0});
  CHECK(numbers(sort(x, -1, true).values) == Numbers{3, 2, 1, 1});
  CHECK(numbers(topk(x, 2).indices) == Numbers{0, 2});
  CHECK(numbers(topk(x, 1, -1, false).values) == Numbers{1});
  CHECK(topk(ones({3, 5}), 2, 0).values.shape() == Dims{2, 5});
  CHECK(error_of([&] { topk(x, 5); }) == "RuntimeError: selected index k out of range");
}

TEST_CASE("sorting nothing writes nothing") {  // or AddressSanitizer reports the write
  const Tensor none = to(ones({1, 4, 2}), uint8).expand({0, 4, 2});
  CHECK(sort(none).values.shape() == Dims{0, 4, 2});
  CHECK(sort(none).values.strides() == Dims{0, 2, 1});
}

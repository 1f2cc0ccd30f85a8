// Tensors themselves: creation, dtypes, views, strides.
#include "support.h"

using namespace glassgrad;
using namespace testing;

TEST_CASE("tensor from literals") {
  CHECK(tensor({1, 2, 3}).dtype() == int64);
  CHECK(tensor({1, 2.5}).dtype() == float32);
  CHECK(tensor({true, false}).dtype() == boolean);
  CHECK(tensor({1, 2}, float64).dtype() == float64);
  CHECK(tensor(7).shape() == Dims{});
  CHECK(tensor({{1, 2}, {3, 4}, {5, 6}}).shape() == Dims{3, 2});
  CHECK(tensor(Literal{}).shape() == Dims{0});
  CHECK(tensor(Literal{}).dtype() == float32);
  CHECK(numbers(tensor({{1, 2}, {3, 4}})) == Numbers{1, 2, 3, 4});
  CHECK(tensor((int64_t{1} << 62) + 1).item<int64_t>() == (int64_t{1} << 62) + 1);
  CHECK(tensor(0.1).item() == double(0.1f));
  CHECK(contains(error_of([] {
                   tensor({{1, 2}, {3}});
                 }),
                 "ValueError: expected sequence of length 2 at dim 1 (got 1)"));
}

TEST_CASE("making tensors") {
  CHECK(numbers(zeros({2, 2})) == Numbers(4, 0));
  CHECK(numbers(ones(3, int64)) == Numbers(3, 1));
  CHECK(full({2}, 3).dtype() == int64);
  CHECK(full({2}, 1.5).dtype() == float32);
  CHECK(full({2}, true).dtype() == boolean);
  CHECK(full({2}, 3, float64).dtype() == float64);
  CHECK(numbers(eye(2, 3)) == Numbers{1, 0, 0, 0, 1, 0});
  CHECK(numbers(arange(5)) == Numbers{0, 1, 2, 3, 4});
  CHECK(numbers(arange(int64_t{5}, int64_t{0}, int64_t{-2})) == Numbers{5, 3, 1});
  CHECK(arange(0).shape() == Dims{0});
  CHECK(numbers(arange(0., 1., 0.25)) == Numbers{0, 0.25, 0.5, 0.75});
  CHECK(numbers(linspace(0, 1, 5)) == Numbers{0, 0.25, 0.5, 0.75, 1});
  CHECK(linspace(3, 9, 1).item() == 3);
  CHECK(empty({2, 0, 3}).numel() == 0);
  CHECK(error_of([] {
          zeros({2, -1});
        }) == "RuntimeError: Trying to create tensor with negative dimension -1: [2, -1]");
  CHECK(contains(error_of([] {
                   empty({int64_t{1} << 40, int64_t{1} << 40});
                 }),
                 "Storage size calculation overflowed"));
}

#ifndef NDEBUG
TEST_CASE("what nobody has written is nan where the engine is debugged") {
  for (const DType dtype : {float32, float64}) CHECK(all(isnan(empty({2, 3}, dtype))).item<bool>());
  CHECK(numbers(empty(2, int64)) == Numbers{-1, -1});
}
#endif

TEST_CASE("like forms keep dtype and memory order") {
  const Tensor x = ones({3, 4}, float64).t();
  for (const Tensor& y :
       {empty_like(x), zeros_like(x), ones_like(x), full_like(x, 2), rand_like(x), randn_like(x)}) {
    CHECK(y.dtype() == float64);
    CHECK(y.shape() == Dims{4, 3});
    CHECK(y.strides() == Dims{1, 4});
  }
  CHECK(zeros_like(x, int64).dtype() == int64);
  CHECK(ones_like(ones({4, 4}).slice(1, 0, 2)).is_contiguous());  // not dense: there is no order to keep
}

TEST_CASE("eight dimensions and no more") {
  const Tensor x = ones({1, 2, 1, 2, 1, 2, 1, 2});
  CHECK(x.dim() == 8);
  CHECK(sum(x * x.T()).item() == 16 * 16);
  CHECK(repr(x.flatten()) == "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1.])");
  CHECK(contains(error_of([&] { x.unsqueeze(0); }), "at most 8 dimensions"));
  CHECK(contains(error_of([] { ones({1, 1, 1, 1, 1, 1, 1, 1, 1}); }), "at most 8 dimensions"));
  CHECK(contains(error_of([&] { stack({x, x}); }), "at most 8 dimensions"));
}

TEST_CASE("item and truth") {
  CHECK(tensor({{3.5}}).item() == 3.5);
  CHECK(error_of([] { ones(3).item(); }) ==
        "RuntimeError: a Tensor with 3 elements cannot be converted to Scalar");
  CHECK(tensor({2}).is_true());
  CHECK_FALSE(tensor(0.).is_true());
  CHECK(error_of([] { ones(3).is_true(); }) ==
        "RuntimeError: Boolean value of Tensor with more than one value is ambiguous");
  CHECK(error_of([] { empty(0).is_true(); }) ==
        "RuntimeError: Boolean value of Tensor with no values is ambiguous");
}

TEST_CASE("sizes and dimensions") {
  const Tensor x = ones({2, 3});
  CHECK(x.size(-1) == 3);
  CHECK(error_of([&] { x.size(2); }) ==
        "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  CHECK(error_of([&] { x.transpose(0, -3); }) ==
        "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got -3)");
  CHECK(error_of([&] { sum(x, 5); }) ==
        "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 5)");
  CHECK(numbers(sum(tensor(3.), 0)) == Numbers{3});  // a 0-d tensor has dimensions 0 and -1
  CHECK(numbers(softmax(tensor(3.), -1)) == Numbers{1});
}

TEST_CASE("views share the storage") {
  const Tensor x = arange(0., 12.).view({3, 4});
  const std::vector<Tensor> views = {x.t(),
                                     x.T(),
                                     x.transpose(0, 1),
                                     x.permute({1, 0}),
                                     x.view({2, 6}),
                                     x.reshape({12}),
                                     x.flatten(),
                                     x.unflatten(1, {2, 2}),
                                     x.slice(0, 1, 3),
                                     x.narrow(1, 1, 2),
                                     x.select(0, 1),
                                     x[2],
                                     x.expand({2, 3, 4}),
                                     x.unsqueeze(1),
                                     x.squeeze(),
                                     x.diagonal(),
                                     x.as_strided({2, 2}, {1, 4}, 3),
                                     x.contiguous(),
                                     x.detach(),
                                     x.unbind()[1],
                                     x.split(2)[1],
                                     x.chunk(2, 1)[0],
                                     x.split_with_sizes({1, 2})[1]};
  for (const Tensor& v : views) CHECK(v->storage.get() == x->storage.get());
  CHECK(x.t().contiguous()->storage.get() != x->storage.get());
  CHECK(x.t().reshape({12})->storage.get() != x->storage.get());
  CHECK(x.contiguous().ref() == x.ref());
  fill_(x.t()[0], 9);
  CHECK(numbers(x.select(1, 0)) == Numbers{9, 9, 9});
  CHECK(numbers(views[6].slice(0, 0, 5)) == Numbers{9, 1, 2, 3, 9});
}

TEST_CASE("geometry of views") {
  const Tensor x = arange(24).view({2, 3, 4});
  CHECK(x.strides() == Dims{12, 4, 1});
  CHECK(x.permute({2, 0, 1}).strides() == Dims{1, 12, 4});
  CHECK(x.T().shape() == Dims{4, 3, 2});
  CHECK(x.slice(2, 0, 4, 2).strides() == Dims{12, 4, 2});
  CHECK(x.slice(1, -2, {}).shape() == Dims{2, 2, 4});
  CHECK(x.slice(1, 2, 1).shape() == Dims{2, 0, 4});
  CHECK(x.slice(1, -100, 100).shape() == Dims{2, 3, 4});
  CHECK(x.expand({5, -1, -1, -1}).strides() == Dims{0, 12, 4, 1});
  CHECK(numbers(x.diagonal(0, 1, 2)[1]) == Numbers{12, 17, 22});
  CHECK(numbers(x.diagonal(-1, 1, 2)[0]) == Numbers{4, 9});
  CHECK(x.flatten(1).shape() == Dims{2, 12});
  CHECK(tensor(1.).flatten().shape() == Dims{1});
  CHECK(ones({1, 2, 1}).squeeze().shape() == Dims{2});
  CHECK(ones({1, 2, 1}).squeeze(-1).shape() == Dims{1, 2});
  CHECK(ones({1, 2, 1}).squeeze(1).shape() == Dims{1, 2, 1});
  CHECK(ones(3).t().shape() == Dims{3});
  CHECK(x.transpose(0, 2).view({4, 3, 2, 1}).shape() == Dims{4, 3, 2, 1});
  CHECK(x.transpose(1, 2).view({2, 2, 2, 3}).strides() ==
        Dims{12, 2, 1, 4});  // a dimension split, not merged
  CHECK(empty({0, 3}).view({-1, 3}).shape() == Dims{0, 3});
}

TEST_CASE("pieces of a tensor") {
  const Tensor x = arange(10);
  const auto shapes = [](const std::vector<Tensor>& parts) {
    std::vector<int64_t> sizes;
    for (const Tensor& p : parts) sizes.push_back(p.size(0));
    return sizes;
  };
  CHECK(shapes(x.split(4)) == std::vector<int64_t>{4, 4, 2});
  CHECK(shapes(x.chunk(4)) == std::vector<int64_t>{3, 3, 3, 1});
  CHECK(shapes(x.chunk(6)) == std::vector<int64_t>{2, 2, 2, 2, 2});
  CHECK(shapes(x.split_with_sizes({1, 9})) == std::vector<int64_t>{1, 9});
  CHECK(x.unbind().size() == 10);
  CHECK(contains(error_of([&] {
                   x.split_with_sizes({1, 2});
                 }),
                 "split_with_sizes expects split_sizes to sum exactly to 10"));
  CHECK(contains(error_of([&] { x.chunk(0); }), "chunk expects `chunks` to be greater than 0"));
}

TEST_CASE("errors of views") {
  const Tensor x = ones({3, 4});
  CHECK(error_of([&] { x.view({5, 2}); }) == "RuntimeError: shape '[5, 2]' is invalid for input of size 12");
  CHECK(error_of([&] { x.view({-1, -1}); }) == "RuntimeError: only one dimension can be inferred");
  CHECK(contains(error_of([&] { x.t().view({12}); }),
                 "view size is not compatible with input tensor's size and stride"));
  CHECK(error_of([&] {
          x.expand({5, 4});
        }) ==
        "RuntimeError: The expanded size of the tensor (5) must match the existing size (3) at "
        "non-singleton dimension 0.  Target sizes: [5, 4].  Tensor sizes: [3, 4]");
  CHECK(error_of([] {
          ones({2, 2, 2}).t();
        }) == "RuntimeError: t() expects a tensor with <= 2 dimensions, but self is 3D");
  CHECK(error_of([&] { x.select(0, 3); }) ==
        "IndexError: index 3 is out of bounds for dimension 0 with size 3");
  CHECK(error_of([] { tensor(1.)[0]; }) ==
        "IndexError: invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
        "in C++ to convert a 0-dim tensor to a number");
  CHECK(error_of([&] { x.permute({0, 0}); }) == "RuntimeError: permute(): duplicate dims are not allowed.");
  CHECK(error_of([&] { x.slice(0, 0, 2, 0); }) == "ValueError: step must be greater than zero");
  CHECK(contains(error_of([&] { x.as_strided({4, 4}, {4, 1}, 0); }), "out of bounds for storage of size"));
}

TEST_CASE("dtypes of results") {
  const Tensor b = tensor({true, false}), i = tensor({1, 2}), f = ones(2), d = ones(2, float64);
  const Tensor d0 = tensor(2., float64), f0 = tensor(2.f), i0 = tensor(2);
  CHECK((b + b).dtype() == boolean);
  CHECK((b + 1).dtype() == int64);
  CHECK((b * 0.5).dtype() == float32);
  CHECK((b + i).dtype() == int64);
  CHECK((i + 1.5).dtype() == float32);
  CHECK((i / i).dtype() == float32);
  CHECK((i * f0).dtype() == float32);
  CHECK((i * d0).dtype() == float64);
  CHECK((f * d0).dtype() == float32);
  CHECK((f + i).dtype() == float32);
  CHECK((d * f0).dtype() == float64);
  CHECK((f + d).dtype() == float64);
  CHECK((f0 + d0).dtype() == float64);
  CHECK((i0 + f0).dtype() == float32);
  CHECK((i * i0).dtype() == int64);
  CHECK(pow(i, 2).dtype() == int64);
  CHECK(pow(i, 0.5).dtype() == float32);
  CHECK((i > 1.5).dtype() == boolean);
  for (const Tensor& y : {exp(i), sqrt(i), sin(i), tanh(b), sigmoid(i), log(i), mean(f)})
    CHECK(y.dtype() == float32);
  CHECK(sum(b).dtype() == int64);
  CHECK(sum(i).dtype() == int64);
  CHECK(prod(b).dtype() == int64);
  CHECK(cumsum(b, 0).dtype() == int64);
  CHECK(argmax(f).dtype() == int64);
  CHECK(exp(d).dtype() == float64);
}

TEST_CASE("conversions") {
  CHECK(numbers(to(tensor({1.9, -1.9}), int64)) == Numbers{1, -1});
  CHECK(numbers(to(tensor({0., 0.1, -3., NAN}), boolean)) == Numbers{0, 1, 1, 1});
  CHECK(numbers(to(tensor({true, false}), float64)) == Numbers{1, 0});
  const Tensor x = ones(2);
  CHECK(to(x, float32).ref() == x.ref());
  CHECK(clone(x).ref() != x.ref());
}

TEST_CASE("equality of tensors") {
  const Tensor x = tensor({1., 2.});
  CHECK(equal(x, clone(x)));
  CHECK_FALSE(equal(x, tensor({1., 3.})));
  CHECK_FALSE(equal(x, tensor({{1., 2.}})));
  CHECK_FALSE(equal(tensor(NAN), tensor(NAN)));
  CHECK(allclose(x, x + 1e-6));
  CHECK_FALSE(allclose(x, x + 1e-2));
  CHECK_FALSE(allclose(tensor(NAN), tensor(NAN)));
  CHECK(allclose(tensor(INFINITY), tensor(INFINITY)));
}

TEST_CASE("as_strided refuses regions beyond all memory") {
  const int64_t far = int64_t{1} << 62;
  CHECK(
      error_of([&] {
        ones({2, 3}).as_strided({2, 2}, {far, far}, 0);
      }) ==
      "RuntimeError: Storage size calculation overflowed with sizes=[2, 2] and strides=[4611686018427387904, "
      "4611686018427387904]");
  CHECK(
      contains(error_of([&] { ones(3).as_strided(2, INT64_MAX - 1, 1); }), "are out of bounds for storage"));
  CHECK(contains(error_of([&] { ones(3)[1].as_strided(1, 1, INT64_MAX); }), "invalid storage offset"));
}

TEST_CASE("places beyond two to the thirty-first") {
  constexpr int64_t kMany = int64_t{1} << 33;
  const Tensor x = tensor({{1.}, {2.}}).expand({2, kMany});
  CHECK(x.numel() == 2 * kMany);
  CHECK(x[1][kMany - 1].item() == 2);
  CHECK(x[0][-kMany].item() == 1);
  CHECK(x.slice(1, kMany / 2, {}, 3).shape() == Dims{2, (kMany / 2 + 2) / 3});
  CHECK(x.t().narrow(0, kMany - 2, 2).to_vector<float>() == std::vector<float>{1, 2, 1, 2});
  CHECK(numbers(index_select(x, 1, tensor({kMany - 1, 0}))) == Numbers{1, 1, 2, 2});
  CHECK(contains(error_of([&] { x.select(1, kMany); }), "out of bounds"));
#ifdef NDEBUG  // only in builds that do not touch memory when they allocate it
  const Tensor far = empty((int64_t{1} << 31) + 9, boolean);
  copy_(far.narrow(0, far.numel() - 3, 3), tensor({false, true, false}));
  CHECK(numbers(far.slice(0, -3, {}, 1)) == Numbers{0, 1, 0});
  CHECK(far[-2].item<bool>());
  CHECK(gather(far, 0, tensor({far.numel() - 2})).item<bool>());
#endif
}

TEST_CASE("what becomes an integer leaves the graph") {
  const Tensor x = leaf({1, 2}), y = tensor({3, 4});
  CHECK_FALSE(to(x, int64).requires_grad());
  copy_(y, x);
  CHECK_FALSE(y.requires_grad());
  CHECK(numbers(y) == Numbers{1, 2});
}

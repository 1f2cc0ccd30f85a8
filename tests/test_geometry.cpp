// Tensors reshaped in place, leaves that are views, leaves that get different data: PyTorch 2.6's values and
// errors.
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

const std::string kLeaf =
    "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.";
const std::string kViewOfLeaf =
    "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.";

Tensor t_(const Tensor& x) {
  return view_in_place(x, [](const Tensor& t) { return t.t(); });
}
Tensor squeeze_(const Tensor& x) {
  return view_in_place(x, [](const Tensor& t) { return t.squeeze(); });
}
Tensor unsqueeze_(const Tensor& x, int64_t dim) {
  return view_in_place(x, [=](const Tensor& t) { return t.unsqueeze(dim); });
}
Tensor row(double from, int64_t n) { return arange(from, from + double(n), 1., float64); }

}  // namespace

TEST_CASE("a leaf that was made by a view may not be written in place") {
  const Tensor whole = zeros({3, 4}, float64);
  for (const Tensor& made : {row(1, 4).view({2, 2}), row(1, 4).reshape({2, 2}).T(), whole.slice(1, 1, 3),
                             whole.select(0, 1).unsqueeze(0), row(1, 4).unsqueeze(0).expand({2, 4})}) {
    const Tensor x = made;
    x.requires_grad_();
    CHECK(error_of([&] { mul_(x[0], 2); }) == kViewOfLeaf);
    CHECK(error_of([&] { mul_(x, 2); }) == kViewOfLeaf);
    CHECK(error_of([&] { unsqueeze_(x[0], 0); }) == kViewOfLeaf);
    CHECK(error_of([&] { unsqueeze_(x, 0); }) == kViewOfLeaf);
    CHECK(error_of([&] { copy_(x[0], leaf(1.)); }) == kViewOfLeaf);
    CHECK(x.is_leaf());
    const Tensor before = clone(x.detach());
    sum(x * x).backward();
    CHECK(close(x.grad(), numbers(before * 2)));
    const NoGrad no_grad;
    if (x.strides()[0] != 0) mul_(x[0], 2);
    CHECK(x.is_leaf());
  }
}

TEST_CASE("a leaf beside another one in the same memory stays one") {
  const Tensor whole = ones({2, 3}, float64), x = whole[0], y = whole[1];
  x.requires_grad_();
  y.requires_grad_();
  fill_(whole, 3);  // adds no graph: whole needs no gradient
  CHECK(x.is_leaf());
  (x * y).backward(row(1, 3));
  CHECK(numbers(x.grad()) == Numbers{3, 6, 9});
  CHECK(numbers(y.grad()) == Numbers{3, 6, 9});
  CHECK_FALSE(whole.requires_grad());
}

TEST_CASE("a leaf does not change its shape in place") {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}});
  CHECK(error_of([&] { t_(x); }) == kLeaf);
  CHECK(x.shape() == Dims{2, 3});
  CHECK(x.version() == 0);
  const std::vector<Tensor> parts = (x * 1).unbind(0);
  CHECK(contains(error_of([&] { unsqueeze_(parts[0], 0); }), "Output 0 of UnbindBackward0 is a view"));
}

TEST_CASE("another shape in place is a step of the graph") {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}}), y = x * 1;
  CHECK(t_(y).ref() == y.ref());
  CHECK(y.shape() == Dims{3, 2});
  CHECK(y.version() == 1);
  CHECK(std::string(y.grad_fn_name()) == "TBackward0");
  unsqueeze_(y, 1);
  y.backward(row(0, 6).view({3, 1, 2}));
  CHECK(numbers(x.grad()) == Numbers{0, 2, 4, 1, 3, 5});
}

TEST_CASE("another shape in place is a write to what was saved") {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}}), y = exp(x);
  t_(y);
  CHECK(contains(
      error_of([&] { sum(y).backward(); }),
      "[torch.DoubleTensor [2, 3]], which is output 0 of ExpBackward0, is at version 1; expected version 0"));
  CHECK_FALSE(x.grad());
}

TEST_CASE("a base that changes its shape keeps its views") {
  const Tensor w = leaf({10, 20, 30}), base = ones({3, 2}, float64), v = base[0];
  t_(base);
  mul_(base, w);
  CHECK(numbers(v) == Numbers{10, 10});
  CHECK(std::string(v.grad_fn_name()) == "AsStridedBackward0");
  v.backward(row(1, 2));
  CHECK(numbers(w.grad()) == Numbers{3, 0, 0});
}

TEST_CASE("a view that changes its shape stays one") {
  const Tensor w = leaf({10, 20, 30}), base = zeros({1, 3}, float64), v = base.view({1, 3});
  squeeze_(v);
  add_(v, w);
  CHECK(numbers(base) == Numbers{10, 20, 30});
  CHECK(std::string(base.grad_fn_name()) == "CopySlices");
  CHECK(std::string(v.grad_fn_name()) == "AsStridedBackward0");
  base.backward(row(1, 3).view({1, 3}));
  CHECK(numbers(w.grad()) == Numbers{1, 2, 3});
}

TEST_CASE("views of views change their shapes while they are written") {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}}), base = x * 1, part = base.slice(1, 0, 2);
  t_(part);
  CHECK(std::string(base.grad_fn_name()) == "MulBackward0");
  mul_(part, 2);
  CHECK(numbers(base) == Numbers{2, 4, 3, 8, 10, 6});
  base.backward(row(0, 6).view({2, 3}));
  CHECK(numbers(x.grad()) == Numbers{0, 2, 2, 6, 8, 5});
  x.set_grad({});
  const Tensor again = x * 1, first = again[0];
  t_(again);
  mul_(first, 3);
  (again * row(0, 6).view({3, 2})).backward(ones({3, 2}, float64));
  CHECK(numbers(x.grad()) == Numbers{0, 6, 12, 1, 3, 5});
}

TEST_CASE("a retained gradient has the shape that its tensor has") {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}}), y = x * 1;
  y.retain_grad();
  t_(y);
  (y * row(0, 6).view({3, 2})).backward(ones({3, 2}, float64));
  CHECK(y.grad().shape() == Dims{3, 2});
  CHECK(numbers(y.grad()) == Numbers{0, 1, 2, 3, 4, 5});
}

TEST_CASE("another shape under no_grad is no step of the graph") {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}}), old = x * 2;
  {
    const NoGrad no_grad;
    t_(x);
  }
  CHECK(x.is_leaf());
  CHECK(
      error_of([&] { sum(old).backward(); }) ==
      "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
  CHECK_FALSE(x.grad());
  CHECK(
      error_of([&] { sum(x * 2).backward(); }) ==
      "RuntimeError: Function MulBackward0 returned an invalid gradient at index 0 - got [3, 2] but expected shape "
      "compatible with [2, 3]");
}

TEST_CASE("a leaf that was given data of another shape gets no gradient of an old graph") {
  const Tensor q = ones(3, float64).requires_grad_();
  Tensor old = q * 2;
  set_data(q, ones({2, 2}, float64));
  CHECK(
      error_of([&] { sum(old).backward(); }) ==
      "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
  CHECK_FALSE(q.grad());
  CHECK(contains(error_of([&] { sum(q * 3).backward(); }),
                 "got [2, 2] but expected shape compatible with [3]"));
  CHECK_FALSE(q.grad());
  old = {};  // no old graph is left
  sum(q * 3).backward();
  CHECK(numbers(q.grad()) == Numbers{3, 3, 3, 3});
  set_data(q, ones(3, float64));  // its .grad stays
  CHECK(
      error_of([&] { sum(q * 3).backward(); }) ==
      "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
  CHECK(numbers(q.grad()) == Numbers{3, 3, 3, 3});
  set_data(q, ones(1, float64));  // for this size PyTorch makes a gradient of the wrong shape
  q.set_grad({});
  const Tensor one = q * 2;
  set_data(q, ones(3, float64));
  CHECK(contains(error_of([&] { one.backward(); }), "doesn't match the broadcast shape"));
}

TEST_CASE("a leaf that gained a dimension of size 1 gets its gradient in its new shape") {
  const Tensor x = leaf({1, 2, 3}), old = x * 2;
  {
    const NoGrad no_grad;
    unsqueeze_(x, 0);
  }
  old.backward(row(1, 3));
  CHECK(x.grad().shape() == Dims{1, 3});
  CHECK(numbers(x.grad()) == Numbers{2, 4, 6});
}

TEST_CASE("a leaf that needs no gradient any more gets none of an old graph") {
  const Tensor x = leaf({1, 2}), y = leaf({3, 4}), z = x * y;
  x.requires_grad_(false);
  sum(z).backward();
  CHECK_FALSE(x.grad());
  CHECK(numbers(y.grad()) == Numbers{1, 2});
}

TEST_CASE("a leaf that was given data of another dtype gets its gradient in it") {
  const Tensor q = ones(3).requires_grad_(), old = q * 2;
  set_data(q, ones(3, float64));
  sum(q * 3).backward();
  sum(old).backward();
  CHECK(q.grad().dtype() == float64);
  CHECK(numbers(q.grad()) == Numbers{5, 5, 5});
}

TEST_CASE("a view that was given other data keeps its graph") {
  const Tensor w = leaf({1, 2, 3}), base = ones({2, 3}, float64), v = base[0];
  mul_(base, w);
  set_data(v, zeros(3, float64));
  CHECK(v.requires_grad());
  v.backward(row(1, 3));
  CHECK(numbers(w.grad()) == Numbers{1, 2, 3});
  fill_(v, 5);
  CHECK(numbers(base[0]) == Numbers{1, 2, 3});
}

TEST_CASE("views of what was made under no_grad say so") {
  const Tensor x = leaf({{1, 2}, {3, 4}}), y = x * 1;
  Tensor v;
  {
    const NoGrad no_grad;
    v = y.view({4});
  }
  const Tensor again = v.view({2, 2});
  CHECK(
      contains(error_of([&] { mul_(again, 2); }),
               "Output 0 of ViewBackward0 is a view of a view which was created in no_grad mode and is being "
               "modified inplace with grad mode enabled."));
  CHECK(contains(error_of([&] { mul_(v.unbind()[1], 2); }),
                 "Output 1 of UnbindBackward0 is a view and is being modified inplace."));
}

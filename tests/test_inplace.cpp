// In-place ops in the graph: on whole tensors, on views, on the bases of views.
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

std::string fn(const Tensor& x) {
  const char* name = x.grad_fn_name();
  return name ? name : "none";
}

}  // namespace

TEST_CASE("an in-place op takes the tensors place in the graph") {
  const Tensor x = leaf({1, 2}), y = x * 3;
  const Tensor same = mul_(y, 2);
  CHECK(same.ref() == y.ref());
  CHECK(fn(y) == "MulBackward0");
  add_(y, 1);
  CHECK(fn(y) == "AddBackward0");
  CHECK(y.version() == 2);
  sum(y).backward();
  CHECK(numbers(x.grad()) == Numbers{6, 6});
}

TEST_CASE("an in-place op that needs its old value keeps a copy") {
  const Tensor x = leaf({2, 3}), w = leaf({5, 7}), y = x * 1;
  mul_(y, w);
  mul_(y, y);
  sum(y).backward();
  CHECK(close(x.grad(), {2 * 2 * 25, 2 * 3 * 49}));
  CHECK(close(w.grad(), {2 * 5 * 4, 2 * 7 * 9}));
  CHECK(numbers(y) == Numbers{100, 441});
}

TEST_CASE("a plain tensor becomes part of a graph by what is written into it") {
  const Tensor x = leaf({1, 2}), y = zeros(2, float64);
  add_(y, x);
  CHECK(y.requires_grad());
  const Tensor z = zeros({2, 2}, float64);
  copy_(z[1], x);
  CHECK(z.requires_grad());
  CHECK(fn(z) == "CopySlices");
  sum(z * tensor({{1., 2.}, {3., 4.}}, float64) + y).backward();
  CHECK(numbers(x.grad()) == Numbers{3 + 2, 4 + 2});
}

TEST_CASE("names after writing through a view") {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor base = x * 1, older = base.t(), row = base[0];
  CHECK(fn(row) == "SelectBackward0");
  mul_(row, 10);
  CHECK(fn(base) == "CopySlices");
  CHECK(fn(row) == "AsStridedBackward0");
  CHECK(fn(older) == "AsStridedBackward0");
  CHECK(fn(base.t()) == "TBackward0");  // a view that is made afterwards
  CHECK(row.version() == 1);
  CHECK(base.version() == 1);
}

TEST_CASE("gradients of older and newer views of a written base") {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor base = x * 1, older = base.t(), row = base[0];
  mul_(row, 10);
  const Tensor newer = base.select(1, 1);
  SUBCASE("base") {
    sum(base).backward();
    CHECK(numbers(x.grad()) == Numbers{10, 10, 1, 1});
  }
  SUBCASE("the view that was written") {
    sum(row).backward();
    CHECK(numbers(x.grad()) == Numbers{10, 10, 0, 0});
  }
  SUBCASE("an older view") {
    sum(older * tensor({{1., 2.}, {3., 4.}}, float64)).backward();
    CHECK(numbers(x.grad()) == Numbers{10, 30, 2, 4});
  }
  SUBCASE("a newer view") {
    sum(newer).backward();
    CHECK(numbers(x.grad()) == Numbers{0, 10, 0, 1});
  }
}

TEST_CASE("writing the base reaches its older views") {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor base = x * 1, column = base.select(1, 0);
  mul_(base, 10);
  CHECK(fn(base) == "MulBackward0");
  CHECK(fn(column) == "AsStridedBackward0");
  CHECK(numbers(column) == Numbers{10, 30});
  sum(column).backward();
  CHECK(numbers(x.grad()) == Numbers{10, 0, 10, 0});
}

TEST_CASE("a view of a plain base requires grad once the base does") {
  const Tensor x = leaf({1, 2}), base = zeros({2, 2}, float64), column = base.select(1, 0);
  CHECK_FALSE(column.requires_grad());
  copy_(base[1], x);
  CHECK(column.requires_grad());
  CHECK_FALSE(column.is_leaf());
  sum(column).backward();
  CHECK(numbers(x.grad()) == Numbers{1, 0});
}

TEST_CASE("writing into views of views") {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}}), w = leaf({10, 20});
  const Tensor base = x * 1;
  copy_(base.t().slice(0, 1, {}).select(1, 1), w);  // base[1, 1:]
  mul_(base.view({6}).slice(0, 0, 6, 2), 2);        // every other element
  CHECK(numbers(base) == Numbers{2, 2, 6, 4, 20, 20});
  sum(base * tensor({{1., 2., 3.}, {4., 5., 6.}}, float64)).backward();
  CHECK(numbers(x.grad()) == Numbers{2, 2, 6, 4, 0, 0});
  CHECK(numbers(w.grad()) == Numbers{10, 6});
}

TEST_CASE("writing into views of a base that is not contiguous") {
  const Tensor x = leaf({{1, 2, 3}, {4, 5, 6}});
  const Tensor base = x.t() * 1;  // keeps the transposed layout
  REQUIRE_FALSE(base.is_contiguous());
  const Tensor older = base.select(0, 2);
  mul_(base[1], 10);
  CHECK(numbers(base) == Numbers{1, 4, 20, 50, 3, 6});
  sum(base * tensor({{1., 2.}, {3., 4.}, {5., 6.}}, float64) + 0 * older).backward();
  CHECK(numbers(x.grad()) == Numbers{1, 30, 5, 2, 40, 6});
  const Tensor again = x.t() * 1, column = again.select(1, 0);
  mul_(again[0], 7);
  sum(column).backward();
  CHECK(numbers(x.grad()) == Numbers{1 + 7, 30 + 1, 5 + 1, 2, 40, 6});
}

TEST_CASE("reading a view before and after a write") {
  const Tensor x = leaf({1, 2});
  const Tensor base = x * 1, view = base.view({2, 1});
  const Tensor before = view * 5;
  mul_(base, 3);
  const Tensor after = view * 7;
  CHECK(numbers(before) == Numbers{5, 10});
  CHECK(numbers(after) == Numbers{21, 42});
  (sum(before) + sum(after)).backward();
  CHECK(numbers(x.grad()) == Numbers{5 + 21, 5 + 21});
}

TEST_CASE("masked_fill_ before softmax is legal") {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor scores = matmul(x, x.t());
  masked_fill_(scores, tensor({{false, true}, {false, false}}), -INFINITY);
  CHECK(fn(scores) == "MaskedFillBackward0");
  const Tensor weights = softmax(scores, -1);
  CHECK(numbers(weights[0]) == Numbers{1, 0});
  sum(weights * x).backward();
  for (double g : numbers(x.grad())) CHECK(std::isfinite(g));
}

TEST_CASE("version counters count every write through any view") {
  const Tensor x = zeros({2, 2}), v = x[0];
  CHECK(x.version() == 0);
  add_(v, 1);
  zero_(x.t());
  fill_(x.detach(), 3);
  CHECK(x.version() == 3);
  CHECK(v.version() == 3);
  add_(x.data(), 1);
  CHECK(x.version() == 3);
  CHECK(x.data().version() == 0);
  const NoGrad no_grad;
  normal_(x);
  CHECK(x.version() == 4);
}

TEST_CASE("views made under no_grad may not be written later") {
  const Tensor x = leaf({1, 2}), y = x * 1;
  Tensor v;
  {
    const NoGrad no_grad;
    v = y[0];
  }
  CHECK(contains(error_of([&] { add_(v, 1); }),
                 "A view was created in no_grad mode and is being modified inplace"));
  const NoGrad no_grad;
  add_(v, 1);
  CHECK(numbers(y) == Numbers{2, 2});
}

TEST_CASE("a view requires grad when its base does") {
  const Tensor x = leaf({1, 2}), later = tensor({1., 2.}), early = later[0];
  Tensor v;
  {
    const NoGrad no_grad;
    v = x.view({2});
  }
  CHECK(v.requires_grad());
  CHECK(v.is_leaf());  // made under no_grad: a leaf of its own
  (v * 3).backward(tensor({1., 2.}));
  CHECK(numbers(v.grad()) == Numbers{3, 6});
  CHECK(!x.grad());
  later.requires_grad_();
  CHECK(early.requires_grad());
  CHECK(early.is_leaf());
}

TEST_CASE("a view made under no_grad has no grad_fn once its base was written") {
  const Tensor x = leaf({1, 2}), y = x * 2;
  Tensor v;
  {
    const NoGrad no_grad;
    v = y[0];
  }
  mul_(y, 3);
  CHECK(std::string(v.grad_fn_name()) == "Invalid");
  CHECK(contains(error_of([&] { v * 2; }), "its base or another view of its base has been modified inplace"));
  const NoGrad no_grad;
  mul_(v, 2);
  mul_(v, 2);
  CHECK(numbers(y) == Numbers{24, 12});
}

TEST_CASE("in-place ops check what they are given") {
  CHECK(error_of([] {
          add_(ones(3), ones({2, 3}));
        }) == "RuntimeError: output with shape [3] doesn't match the broadcast shape [2, 3]");
  CHECK(error_of([] {
          div_(tensor({1, 2}), 2);
        }) == "RuntimeError: result type Float can't be cast to the desired output type Long");
  CHECK(error_of([] {
          add_(tensor({1, 2}), 0.5);
        }) == "RuntimeError: result type Float can't be cast to the desired output type Long");
  CHECK(contains(error_of([] {
                   add_(ones({1, 3}).expand({2, 3}), 1);
                 }),
                 "more than one element of the written-to tensor"));
  CHECK(error_of([] {
          masked_fill_(ones({2, 2}), ones({2, 2}), 0);
        }) == "RuntimeError: masked_fill_ only supports boolean masks, but got mask with dtype float");
  const Tensor f = ones(2);
  add_(f, tensor({1., 2.}, float64));  // f keeps its dtype
  CHECK(f.dtype() == float32);
  CHECK(numbers(f) == Numbers{2, 3});
}

TEST_CASE("a view that was an operand of the write is looked at anew after it") {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  for (const bool written_through_view : {false, true}) {
    x.set_grad({});
    const Tensor a = x * 1, same = a.transpose(0, 0), other = a.view({2, 2});
    add_(written_through_view ? other : a, same);  // 2x
    add_(same, same);                              // 4x
    CHECK(numbers(a) == Numbers{4, 8, 12, 16});
    (sum(same) + sum(a)).backward();
    CHECK(numbers(x.grad()) == Numbers{8, 8, 8, 8});
  }
}

TEST_CASE("operands that share memory with the result") {
  const Tensor x = tensor({{1., 2.}, {3., 4.}}, float64);
  add_(x, x);
  CHECK(numbers(x) == Numbers{2, 4, 6, 8});
  mul_(x, x[0].expand({2, 2}).contiguous());
  CHECK(numbers(x) == Numbers{4, 16, 12, 32});
  const std::string overlap =
      "RuntimeError: unsupported operation: some elements of the input tensor and the written-to tensor "
      "refer to a single memory location. Please clone() the tensor before performing the operation.";
  CHECK(error_of([&] { mul_(x, x.t()); }) == overlap);
  const Tensor v = arange(0., 5., 1., float64);
  CHECK(error_of([&] { copy_(v.slice(0, 1, {}), v.slice(0, 0, 4)); }) == overlap);
  const Tensor places = tensor({0, 1});
  CHECK(error_of([&] { index_put_(v, {places}, v.slice(0, 1, 3)); }) == overlap);
  CHECK(error_of([&] { index_put_(v, {places}, v[0]); }) == overlap);
  CHECK(error_of([&] { index_put_(places, {places}, 5); }) == overlap);
  const Tensor filled = clone(v);
  index_put_(filled, {filled > 1}, filled[0]);  // one number under a mask
  CHECK(numbers(filled) == Numbers{0, 1, 0, 0, 0});
  index_put_(filled, {places}, index(v, {places + 2}));
  CHECK(numbers(filled) == Numbers{2, 3, 0, 0, 0});
  copy_(v.slice(0, 0, 2), v.slice(0, 2, 4));  // next to each other
  CHECK(numbers(v) == Numbers{2, 3, 2, 3, 4});
}

TEST_CASE("a write whose operand has no gradient any more writes nothing") {
  const Tensor x = leaf({{1, 2}, {3, 4}}), y = x * 1, part = y.unbind()[1];
  mul_(y, 2);  // part is one of several views: this write ends its grad_fn
  const std::vector<std::function<void(const Tensor&)>> writes = {
      [&](const Tensor& z) { add_(z, part); },
      [&](const Tensor& z) { copy_(z, part); },
      [&](const Tensor& z) { mul_(z, part); },
      [&](const Tensor& z) { fill_(z, part[0]); },
      [&](const Tensor& z) { masked_fill_(z, z > 0, part[0]); },
      [&](const Tensor& z) {
        index_put_(z, {tensor({0, 1})}, part, true);
      }};
  for (const auto& write : writes) {
    const Tensor z = ones(2, float64);
    CHECK(contains(error_of([&] { write(z); }),
                   "its base or another view of its base has been modified inplace"));
    CHECK(numbers(z) == Numbers{1, 1});
    CHECK(z.version() == 0);
    CHECK_FALSE(z.requires_grad());
  }
}

TEST_CASE("what shares one place among its elements is filled where no gradient is needed") {
  const Tensor x = zeros(1).expand({3}), mask = tensor({true, false, true});
  index_put_(x, {tensor({0})}, 1.0);
  CHECK(numbers(x) == Numbers{1, 1, 1});
  masked_fill_(x, mask, 2.0);
  CHECK(numbers(x) == Numbers{2, 2, 2});
  const Tensor y = (leaf({1}) * 1).expand({3});
  for (const auto& write : std::vector<std::function<void()>>{
           [&] { index_put_(y, {tensor({0})}, 1.0); }, [&] { masked_fill_(y, mask, 2.0); },
           [&] { fill_(y, leaf(3.)); }, [&] { copy_(y, y); }})
    CHECK(contains(error_of(write), "more than one element of the written-to tensor"));
  CHECK(numbers(y) == Numbers{1, 1, 1});
}

TEST_CASE("a copy onto itself and a write to nothing are steps of the graph") {
  const Tensor x = leaf({1, 2}), y = x * 3;
  copy_(y, y);
  CHECK(fn(y) == "CopyBackwards");
  CHECK(y.version() == 1);
  y.backward(tensor({1., 2.}, float64));
  CHECK(numbers(x.grad()) == Numbers{3, 6});
  const Tensor nothing = (zeros({0, 3}, float64).requires_grad_() * 1).expand({2, 0, 3});
  mul_(nothing, 2);
  CHECK(fn(nothing) == "AsStridedBackward0");
}

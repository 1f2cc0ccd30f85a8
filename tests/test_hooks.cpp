// Hooks and retained gradients.
#include "support.h"

using namespace glassgrad;
using namespace testing;

TEST_CASE("hooks run in order and replace the gradient") {
  const Tensor x = leaf({1, 2}), y = x * 3;
  std::string order;
  y.register_hook([&](const Tensor& g) {
    order += "a";
    CHECK(numbers(g) == Numbers{1, 1});
    return g * 10;
  });
  y.register_hook([&](const Tensor& g) {
    order += "b";
    CHECK(numbers(g) == Numbers{10, 10});
    return Tensor();  // the gradient stays as it is
  });
  x.register_hook([&](const Tensor& g) {
    order += "c";
    CHECK(numbers(g) == Numbers{30, 30});
    return g + 1;
  });
  sum(y).backward();
  CHECK(order == "abc");
  CHECK(numbers(x.grad()) == Numbers{31, 31});
}

TEST_CASE("a hook sees the whole gradient once") {
  const Tensor x = leaf(2.), y = x * 1;
  std::vector<double> seen;
  y.register_hook([&](const Tensor& g) {
    seen.push_back(g.item());
    return Tensor();
  });
  (y * 3 + y * y + exp(y)).backward();
  REQUIRE(seen.size() == 1);
  CHECK(std::abs(seen[0] - (3 + 4 + std::exp(2.))) <= 1e-12);
}

TEST_CASE("hooks can be removed also from within") {
  const Tensor x = leaf(2.), y = x + 0;
  int first = 0, second = 0;
  const uint64_t id = y.register_hook([&](const Tensor&) {
    ++first;
    return Tensor();
  });
  uint64_t own = 0;
  own = y.register_hook([&](const Tensor&) {
    ++second;
    y.remove_hook(own);
    return Tensor();
  });
  const Tensor z = y + 0;
  z.backward();
  y.remove_hook(id);
  y.remove_hook(id);  // removing a hook twice does no harm
  z.backward();
  CHECK(first == 1);
  CHECK(second == 1);
}

TEST_CASE("hooks of the results of one node are apart") {
  const Tensor x = leaf({1, 2, 3});
  const auto parts = (x * 1).unbind();
  parts[0].register_hook([](const Tensor& g) { return g * 10; });
  parts[2].register_hook([](const Tensor& g) { return g * 100; });
  (parts[0] + parts[1] + parts[2]).backward();
  CHECK(numbers(x.grad()) == Numbers{10, 1, 100});
}

TEST_CASE("hooks need a gradient to hook into") {
  CHECK(error_of([] { tensor(1.).register_hook([](const Tensor&) { return Tensor(); }); }) ==
        "RuntimeError: cannot register a hook on a tensor that doesn't require gradient");
  CHECK(error_of([] { tensor(1.).retain_grad(); }) ==
        "RuntimeError: can't retain_grad on Tensor that has requires_grad=False");
}

TEST_CASE("a hook may run a backward of its own") {
  const Tensor x = leaf(2.), w = leaf(3.), y = x * 1;
  y.register_hook([&](const Tensor& g) {
    const GradMode on(true);
    (w * w).backward();
    return g * w.detach();
  });
  (y * 5).backward();
  CHECK(numbers(w.grad()) == Numbers{6});
  CHECK(numbers(x.grad()) == Numbers{15});
}

TEST_CASE("a hook may run a backward through the same graph") {
  const Tensor x = leaf(2.), y = x * 3, z = y * y;
  double inner = 0;
  bool once = true;
  y.register_hook([&](const Tensor&) {
    if (std::exchange(once, false)) inner = grad({z}, {x}, {}, true)[0].item();
    return Tensor();
  });
  z.backward({}, true);
  CHECK(inner == 36);
  CHECK(numbers(x.grad()) == Numbers{36});
}

TEST_CASE("retain_grad keeps the gradient of what is no leaf") {
  const Tensor x = leaf({1, 2}), y = x * 3;
  y.retain_grad();
  y.retain_grad();
  const Tensor z = sum(y * y);
  z.backward({}, true);
  CHECK(numbers(y.grad()) == Numbers{6, 12});
  z.backward();
  CHECK(numbers(y.grad()) == Numbers{12, 24});  // accumulated, like a leaf's
  CHECK(numbers(x.grad()) == Numbers{36, 72});
  x.retain_grad();  // a leaf keeps it anyway
  CHECK_FALSE((x * 2).grad());
}

TEST_CASE("a retained gradient is what the hooks made of it") {
  const Tensor x = leaf(1.), y = x * 3;
  y.retain_grad();
  y.register_hook([](const Tensor& g) { return g * 10; });
  (y * 2).backward();
  CHECK(numbers(y.grad()) == Numbers{20});
}

TEST_CASE("retain_grad speaks of the tensor as it is after an in-place op") {
  const Tensor x = leaf({1, 2}), y = x * 3;
  y.retain_grad();
  mul_(y, 10);
  sum(y * tensor({1., 2.}, float64)).backward();
  CHECK(numbers(y.grad()) == Numbers{1, 2});
  CHECK(numbers(x.grad()) == Numbers{30, 60});
}

TEST_CASE("hooks of before an in-place op stay with the old value") {
  const Tensor x = leaf(1.), y = x * 3;
  double seen = 0;
  y.register_hook([&](const Tensor& g) {
    seen = g.item();
    return Tensor();
  });
  mul_(y, 10);
  (y * 2).backward();
  CHECK(seen == 20);
}

TEST_CASE("a tensor that retains its gradient may die first") {
  const Tensor x = leaf(2.);
  Tensor z;
  {
    const Tensor y = x * 3;
    y.retain_grad();
    z = y * 5;
  }
  z.backward();
  CHECK(numbers(x.grad()) == Numbers{15});
}

TEST_CASE("a leaf may die before its graph") {
  Tensor y;
  {
    const Tensor x = leaf(2.);
    y = x * x;
  }
  y.backward();
  CHECK(y.item() == 4);
}

TEST_CASE("a hook keeps alive what it holds and lets go with the graph") {
  const int64_t before = Storage::alive();
  {
    const Tensor x = leaf(2.), y = x * 3;
    y.register_hook([held = zeros(100)](const Tensor& g) { return g + held[0].item(); });
    (y * y).backward();
  }
  CHECK(Storage::alive() == before);
}

TEST_CASE("a hook after the accumulation sees all gradients and may change them") {
  const Tensor x = leaf(2.), w = leaf(3.);
  std::vector<double> seen;
  const uint64_t id = x.register_post_accumulate_grad_hook([&](const Tensor& t) {
    seen = {t.grad().item(), w.grad().item()};
    t.set_grad({});
  });
  (x * w).backward();
  CHECK(seen == std::vector{3., 2.});
  CHECK(!x.grad());
  x.remove_hook(id);
  (x * w).backward();
  CHECK(x.grad().item() == 3);
  CHECK(w.grad().item() == 4);
  CHECK_THROWS_WITH((x * w).register_post_accumulate_grad_hook({}),
                    "post accumulate grad hooks cannot be registered on non-leaf tensors");
}

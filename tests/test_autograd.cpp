// Backward: the gradients it computes and accumulates, and the tensors it keeps and frees.
#include <atomic>
#include <thread>

#include "support.h"

using namespace glassgrad;
using namespace testing;

TEST_CASE("backward reaches every leaf and adds to its grad") {
  const Tensor x = leaf({1, 2, 3}), w = leaf({4, 5, 6}), constant = tensor({1., 1., 1.}, float64);
  const Tensor y = sum(x * w + constant);
  CHECK(y.requires_grad());
  CHECK_FALSE(y.is_leaf());
  CHECK(x.is_leaf());
  y.backward();
  CHECK(numbers(x.grad()) == Numbers{4, 5, 6});
  CHECK(numbers(w.grad()) == Numbers{1, 2, 3});
  CHECK_FALSE(constant.grad());
  CHECK_FALSE(x.grad().requires_grad());
  sum(x * 2).backward();
  CHECK(numbers(x.grad()) == Numbers{6, 7, 8});
}

TEST_CASE("a value used twice gets both gradients") {
  const Tensor x = leaf(3.);
  const Tensor y = x * x, z = y * y + y;
  z.backward();
  CHECK(close(x.grad(), {4 * 27 + 2 * 3}));
}

TEST_CASE("backward takes a gradient of the result") {
  const Tensor x = leaf({1, 2, 3});
  (x * x).backward(tensor({1., 10., 100.}, float64));
  CHECK(numbers(x.grad()) == Numbers{2, 40, 600});
  // Writing to .grad must not change the gradient tensor that the caller passed in.
  const Tensor g = ones(3, float64), z = leaf({1, 1, 1});
  (z + 0).backward(g);
  add_(z.grad(), 5);
  CHECK(numbers(g) == Numbers{1, 1, 1});
  // The graph of a leaf is the leaf itself.
  const Tensor a = leaf({7, 8});
  a.backward(tensor({2., 3.}, float64));
  CHECK(numbers(a.grad()) == Numbers{2, 3});
}

TEST_CASE("retain_graph allows a second backward") {
  const Tensor x = leaf({1, 2}), y = sum(x * x);
  y.backward({}, true);
  y.backward({}, true);
  CHECK(numbers(x.grad()) == Numbers{4, 8});
  y.backward();
  CHECK(numbers(x.grad()) == Numbers{6, 12});
  CHECK(contains(error_of([&] { y.backward(); }), "Trying to backward through the graph a second time"));
  CHECK(numbers(x.grad()) == Numbers{6, 12});
  // Nothing was saved, so nothing was freed.
  const Tensor z = sum(x + 1);
  z.backward();
  z.backward();
  CHECK(numbers(x.grad()) == Numbers{8, 14});
}

TEST_CASE("create_graph gives gradients that have a graph") {
  const Tensor x = leaf(2.);
  const Tensor g = grad({x * x * x}, {x}, {}, {}, true)[0];
  CHECK(close(g, {12}));
  CHECK(g.requires_grad());
  const Tensor h = grad({g}, {x}, {}, {}, true)[0];
  CHECK(close(h, {12}));
  const Tensor third = grad({h}, {x})[0];
  CHECK(close(third, {6}));
  CHECK_FALSE(third.requires_grad());
  CHECK_FALSE(x.grad());
}

TEST_CASE("grad of what was not used") {
  const Tensor x = leaf(2.), unused = leaf(1.), y = x * 3;
  CHECK(error_of([&] {
          grad({y}, {x, unused});
        }) ==
        "RuntimeError: One of the differentiated Tensors appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior.");
  const auto g = grad({x * 3}, {x, unused}, {}, {}, false, true);
  CHECK(numbers(g[0]) == Numbers{3});
  CHECK_FALSE(g[1]);
  CHECK(contains(error_of([&] { grad({x * 3}, {tensor(1.)}); }), "does not require grad"));
}

TEST_CASE("grad touches neither other leaves nor their part of the graph") {
  const Tensor x = leaf(2.), w = leaf(5.);
  const Tensor side = exp(w), y = x * 3 + side;
  CHECK(numbers(grad({y}, {x})[0]) == Numbers{3});
  CHECK_FALSE(x.grad());
  CHECK_FALSE(w.grad());
  side.backward();  // exp's saved result is still there
  CHECK(close(w.grad(), {std::exp(5.)}));
}

TEST_CASE("grad with unusual inputs") {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3, z = sum(y * y);
  SUBCASE("the same one twice") {
    const auto g = grad({z}, {x, x});
    CHECK(numbers(g[0]) == Numbers{18, 36});
    CHECK(numbers(g[1]) == Numbers{18, 36});
  }
  SUBCASE("an intermediate, and what it was made of") {
    const auto g = grad({z}, {y, x});
    CHECK(numbers(g[0]) == Numbers{6, 12});
    CHECK(numbers(g[1]) == Numbers{18, 36});
  }
  SUBCASE("the output itself") {
    CHECK(numbers(grad({z}, {z})[0]) == Numbers{1});
    const auto g = grad({z}, {z, x}, {tensor(10., float64)});
    CHECK(numbers(g[0]) == Numbers{10});
    CHECK(numbers(g[1]) == Numbers{180, 360});
  }
  SUBCASE("a leaf that is the output") {
    CHECK(numbers(grad({x}, {x}, {ones(2, float64)})[0]) == Numbers{1, 1});
  }
  SUBCASE("two outputs") {
    const auto g = grad({z, sum(x)}, {x});
    CHECK(numbers(g[0]) == Numbers{19, 37});
  }
  SUBCASE("the same output twice") { CHECK(numbers(grad({z, z}, {x})[0]) == Numbers{36, 72}); }
  SUBCASE("two results of one node") {
    const auto rows = (x * 1).unbind();
    const auto g = grad({rows[0] * 2 + rows[1] * 5}, {rows[0], rows[1], x});
    CHECK(numbers(g[0]) == Numbers{2});
    CHECK(numbers(g[1]) == Numbers{5});
    CHECK(numbers(g[2]) == Numbers{2, 5});
  }
  SUBCASE("a view") {
    const Tensor v = y[0];
    const auto g = grad({sum(v * v)}, {v, y});
    CHECK(numbers(g[0]) == Numbers{6});
    CHECK(numbers(g[1]) == Numbers{6, 0});
  }
  SUBCASE("one that was changed in place") {
    const Tensor t = x * 1;
    mul_(t, 3);
    CHECK(numbers(grad({sum(t * t)}, {t})[0]) == Numbers{6, 12});
  }
}

TEST_CASE("requires_grad") {
  CHECK_FALSE(tensor({1., 2.}).requires_grad());
  CHECK(error_of([] {
          tensor({1, 2}).requires_grad_();
        }) == "RuntimeError: only Tensors of floating point dtype can require gradients");
  const Tensor x = leaf(1.), y = x * 2;
  CHECK(contains(error_of([&] { y.requires_grad_(false); }),
                 "you can only change requires_grad flags of leaf variables."));
  CHECK_FALSE((x > 0).requires_grad());
  CHECK_FALSE(argmax(leaf({1, 2})).requires_grad());
  x.requires_grad_(false);
  CHECK_FALSE((x * 2).requires_grad());
}

TEST_CASE("no_grad builds no graph and ends with its scope") {
  const Tensor x = leaf(2.);
  {
    const NoGrad no_grad;
    CHECK_FALSE((x * 2).requires_grad());
    {
      const GradMode on(true);
      CHECK((x * 2).requires_grad());
    }
    CHECK_FALSE((x * 2).requires_grad());
    mul_(x, 3);  // a leaf may be written here
  }
  CHECK((x * 2).requires_grad());
  CHECK(x.item() == 6);
  try {
    const NoGrad no_grad;
    throw 1;
  } catch (int) {
  }
  CHECK((x * 2).requires_grad());
}

TEST_CASE("detach shares the version counter and data does not") {
  const Tensor x = leaf({1, 2}), y = exp(x);
  const Tensor detached = y.detach(), data = y.data();
  CHECK_FALSE(detached.requires_grad());
  CHECK_FALSE(data.requires_grad());
  add_(data, 1);
  CHECK(y.version() == 0);
  CHECK(close(detached, {std::exp(1.) + 1, std::exp(2.) + 1}));  // the same memory
  add_(detached, 1);
  CHECK(y.version() == 1);
  CHECK(contains(error_of([&] { sum(y).backward(); }), "modified by an inplace operation"));
}

TEST_CASE("gradients pass a change of dtype") {
  const Tensor x = tensor({1.5, 2.5}).requires_grad_();
  const Tensor y = to(x, float64);
  CHECK(std::string(y.grad_fn_name()) == "ToCopyBackward0");
  sum(y * y).backward();
  CHECK(x.grad().dtype() == float32);
  CHECK(numbers(x.grad()) == Numbers{3, 5});
  const Tensor a = ones(2).requires_grad_(), b = leaf({3, 4});  // float32 times float64
  sum(a * b).backward();
  CHECK(a.grad().dtype() == float32);
  CHECK(b.grad().dtype() == float64);
  CHECK(numbers(a.grad()) == Numbers{3, 4});
}

TEST_CASE("grad mode is off inside backward unless create_graph") {
  const Tensor x = leaf(2.), y = x * 3;
  std::vector<bool> modes;
  y.register_hook([&](const Tensor&) {
    modes.push_back(grad_mode);
    return Tensor();
  });
  y.backward({}, true);
  grad({y}, {x}, {}, true, true);
  CHECK(modes == std::vector<bool>{false, true});
  CHECK(grad_mode);
}

TEST_CASE("graphs of other threads are independent") {
  const Tensor w = leaf({1, 2, 3});  // read by all
  std::vector<std::thread> threads;
  std::vector<Numbers> results(4);
  for (size_t k = 0; k < results.size(); ++k)
    threads.emplace_back([&, k] {
      for (int i = 0; i < 200; ++i) {
        const Tensor x = leaf({double(k), 1, 2});
        Tensor y = x * w;
        for (int j = 0; j < 10; ++j) y = y * 1 + 0;
        const auto g = grad({sum(y)}, {x, w});
        results[k] = numbers(g[0]);
        results[k].push_back(g[1].to_vector<double>()[0]);
      }
    });
  for (auto& t : threads) t.join();
  for (size_t k = 0; k < results.size(); ++k) CHECK(results[k] == Numbers{1, 2, 3, double(k)});
}

TEST_CASE("backwards of several threads into one leaf add up") {
  const Tensor w = leaf({0, 0});
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) sum(w * 2).backward();
    });
  for (auto& t : threads) t.join();
  CHECK(numbers(w.grad()) == Numbers{400, 400});
}

TEST_CASE("threads that go backward through one graph take turns") {
  const Tensor x = leaf({1, 2}), y = sum(exp(x) * x);
  const auto in_threads = [&](int times, bool retain) {
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
      threads.emplace_back([&] {
        for (int i = 0; i < times; ++i) {
          const std::string error = error_of([&] { y.backward({}, retain); });
          refused += error != "nothing";
          if (error != "nothing")
            CHECK(contains(error, "Trying to backward through the graph a second time"));
        }
      });
    for (auto& t : threads) t.join();
    return refused.load();
  };
  const Numbers once = numbers(grad({y}, {x}, {}, true)[0]);
  CHECK(in_threads(50, true) == 0);
  CHECK(close(x.grad(), {200 * once[0], 200 * once[1]}));
  x.set_grad({});
  CHECK(in_threads(1, false) == 3);  // the first thread has freed it
  CHECK(numbers(x.grad()) == once);
}

TEST_CASE("grad mode belongs to a thread") {
  const NoGrad no_grad;
  bool other = false;
  std::thread([&] { other = (leaf(1.) * 2).requires_grad(); }).join();
  CHECK(other);
  CHECK_FALSE((leaf(1.) * 2).requires_grad());
}

TEST_CASE("with create_graph each leaf gets a gradient of its own") {
  const Tensor a = leaf({1, 2}), b = leaf({3, 4});
  (a + b).backward(ones({2}), {}, true);
  CHECK(a.grad()->storage.get() != b.grad()->storage.get());
  CHECK(numbers(a.grad()) == Numbers{1, 1});
}

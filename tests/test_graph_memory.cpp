// The memory that the graph keeps alive, in storages.
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

// Returns how many storages f leaves behind after everything it made is destroyed.
template <class F>
int64_t left_behind(F f) {
  const int64_t before = Storage::alive();
  f();
  return Storage::alive() - before;
}

}  // namespace

TEST_CASE("backward frees what was saved node by node") {
  const Tensor x = leaf({1, 2});
  Tensor y = x + 0;
  const int64_t before = Storage::alive();
  for (int i = 0; i < 10; ++i) y = tanh(y) * y;
  CHECK(Storage::alive() >= before + 10);
  y = sum(y);
  y.backward();
  CHECK(Storage::alive() == before + 1);  // the scalar replaces y; the other storage is x's gradient
  CHECK(x.grad());
}

TEST_CASE("backward with retain_graph keeps what was saved") {
  const Tensor x = leaf({1, 2});
  const Tensor y = sum(tanh(x * 2) * tanh(x));
  const int64_t before = Storage::alive();
  y.backward({}, true);
  CHECK(Storage::alive() == before + 1);  // x's gradient
  y.backward();
  CHECK(Storage::alive() < before);
}

TEST_CASE("grad frees only what it ran") {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor y = sum(exp(x) + exp(w));
  const int64_t before = Storage::alive();
  const Tensor g = grad({y}, {x})[0];
  CHECK(Storage::alive() == before - 1 + 1);  // exp(x) was freed, g was made
}

TEST_CASE("nothing is left behind") {
  CHECK(left_behind([] {
          const Tensor x = leaf({{1, 2}, {3, 4}});
          sum(softmax(matmul(x, x.t()), -1) * x).backward();
        }) == 0);
  CHECK(left_behind([] {  // a graph that never runs
          const Tensor x = leaf({1, 2});
          const Tensor y = exp(x) * x;
        }) == 0);
  CHECK(left_behind([] {
          const Tensor x = leaf({{1, 2}, {3, 4}}), base = x * 1;
          const Tensor older = base.t();
          mul_(base[0], x[1]);
          masked_fill_(older, older > 2, 0);
          sum(base * older).backward();
        }) == 0);
  CHECK(left_behind([] {
          const Tensor x = leaf({1, 2}), y = x * 3;
          y.retain_grad();
          y.register_hook([](const Tensor& g) { return g * 2; });
          sum(y * y).backward();
        }) == 0);
  CHECK(left_behind([] {  // an error in the middle
          const Tensor x = leaf({1, 2}), y = exp(x);
          const Tensor z = sum(y * x);
          y.register_hook([](const Tensor&) -> Tensor { throw ValueError("stop"); });
          error_of([&] { z.backward(); });
        }) == 0);
}

TEST_CASE("create_graph into grad makes no cycle") {
  CHECK(left_behind([] {
          const Tensor x = leaf({1, 2});
          sum(x * x * x).backward({}, {}, true);
          CHECK(x.grad().requires_grad());
        }) == 0);
  CHECK(left_behind([] {
          const Tensor x = leaf({1, 2}), y = x * x;
          y.retain_grad();
          sum(y * y).backward({}, {}, true);
        }) == 0);
  CHECK(left_behind([] {
          const Tensor x = leaf({1, 2});
          const Tensor g = grad({sum(exp(x) * x)}, {x}, {}, {}, true)[0];
          sum(g * g).backward();
        }) == 0);
}

TEST_CASE("a hook that holds its own tensor must be removed by hand") {
  // Like in PyTorch, node, hook and tensor hold one another. Removing the hook frees all of them.
  CHECK(left_behind([] {
          const Tensor x = leaf({1, 2}), y = x * 3;
          const uint64_t id = y.register_hook([y](const Tensor& g) { return g; });
          sum(y).backward();
          y.remove_hook(id);
        }) == 0);
}

TEST_CASE("views keep only the storage") {
  CHECK(left_behind([] {
          const Tensor row = ones({100, 100})[3];
          CHECK(row.numel() == 100);
        }) == 0);
}

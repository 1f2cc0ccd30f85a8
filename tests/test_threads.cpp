// The guarantees of the thread pool: every piece runs once, the caller gets errors, and the bits are the same
// for any number of threads.
#include <atomic>
#include <cstring>
#include <thread>

#include "engine/core/for_scope.h"
#include "engine/core/threads.h"
#include "engine/cpu/parallel.h"
#include "nn/functional.h"
#include "support.h"
#include "thread_count.h"

using namespace glassgrad;
using namespace testing;

namespace {

std::string bits(const Tensor& x) {
  const Tensor dense = x.contiguous();
  return {static_cast<const char*>(dense.raw().data), size_t(x.numel() * item_size(x.dtype()))};
}

// Checks that the result of f does not depend on the number of threads.
template <class F>
void same_bits(const char* what, F f) {
  std::string expected;
  for (const int n : kThreadCounts) {
    const Threads now(n);
    const std::string found = bits(f());
    if (n == 1) expected = found;
    CHECK_MESSAGE(found == expected, what, ", threads: ", n);
  }
}

// Returns how often parallel calls its function for each number.
std::vector<int> visits(int64_t n, int64_t piece) {
  std::vector<int> seen(size_t(n), 0);
  parallel(n, piece, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) ++seen[size_t(i)];
  });
  return seen;
}

}  // namespace

TEST_CASE("every number is in one piece") {
  for (const int n : {1, 2, 4, 7}) {
    const Threads now(n);
    for (int round = 0; round < 200; ++round) CHECK(visits(1003, 10) == std::vector<int>(1003, 1));
    CHECK(visits(0, 10).empty());
    CHECK(visits(5, 10) == std::vector<int>(5, 1));
  }
}

TEST_CASE("a piece may ask for more pieces") {
  const Threads now(3);
  std::vector<std::vector<int>> seen(40);
  parallel(40, 1, [&](int64_t i, int64_t) { seen[size_t(i)] = visits(100, 7); });
  for (const std::vector<int>& s : seen) CHECK(s == std::vector<int>(100, 1));
}

TEST_CASE("the caller gets the error of the first piece that fails and the pool works on") {
  for (const int n : {1, 2, 4}) {
    const Threads now(n);
    for (int round = 0; round < 50; ++round) {
      CHECK_THROWS_WITH_AS(parallel(100, 1,
                                    [&](int64_t i, int64_t) {
                                      if (i >= 30) fail<ValueError>("piece {}", i);
                                    }),
                           "piece 30", ValueError);
      CHECK(visits(100, 1) == std::vector<int>(100, 1));
    }
  }
}

TEST_CASE("a watch of the callers thread ends a loop between its pieces") {
  struct Patience {
    mutable int left;
    static void look(const void* of) {
      if (static_cast<const Patience*>(of)->left-- == 0) fail<ValueError>("enough");
    }
  };
  for (const int n : {1, 2, 4}) {
    const Threads now(n);
    const Tensor a = ones({300, 400}), b = ones({400, 300});
    std::atomic<int> done = 0;
    const Patience patience{2};
    {
      const ForScope<LoopWatch> watched(loop_watch, {Patience::look, &patience});
      CHECK_THROWS_WITH_AS(parallel(100'000, 1, [&](int64_t, int64_t) { ++done; }), "enough", ValueError);
      CHECK(patience.left == -1);
      CHECK(sum(mm(a, b)).item() == 400.0 * 300 * 300);  // the pool still works
    }
    CHECK(done < 100'000);
    const int looks = patience.left;
    CHECK(sum(mm(a, b)).item() == 400.0 * 300 * 300);
    CHECK(patience.left == looks);
  }
}

TEST_CASE("threads of the application may use the engine at the same time") {
  const Threads now(3);
  Generator g(1);
  const Tensor a = randn({200, 64}, float32, g), b = randn({64, 100}, float32, g);
  const std::string expected = bits(mm(a, b));
  std::vector<int> right(4, 0);
  std::vector<std::thread> others;
  for (int& count : right)
    others.emplace_back([&] {
      for (int round = 0; round < 50; ++round) count += bits(mm(a, b)) == expected;
    });
  for (std::thread& other : others) other.join();
  CHECK(right == std::vector<int>(4, 50));
}

TEST_CASE("the number of threads is checked") {
  const Threads now(2);
  CHECK(threads() == 2);
  for (const int n : {-1, 0, kMostThreads + 1})
    CHECK_THROWS_WITH_AS(set_threads(n),
                         fmt::format("the number of threads must be from 1 to 256, but is {}", n).c_str(),
                         ValueError);
  CHECK(threads() == 2);
}

TEST_CASE("products have the same bits for any number of threads") {
  Generator g(2);
  struct Sizes {
    int64_t batches, m, k, n;
  };
  for (const auto& [batches, m, k, n] :
       {Sizes{1, 1, 300, 500}, Sizes{1, 500, 300, 1}, Sizes{1, 67, 40, 33}, Sizes{1, 258, 600, 70},
        Sizes{1, 768, 128, 128}, Sizes{24, 64, 32, 64}, Sizes{7, 65, 300, 17},
        // blocks that share packed panels, in one group and in several; a chain too long to share them
        Sizes{2, 900, 70, 50}, Sizes{1, 420, 1024, 450}, Sizes{1, 230, 1100, 90}})
    for (const bool a_turned : {false, true})
      for (const bool b_turned : {false, true}) {
        const Tensor a = a_turned ? randn({batches, k, m}, float32, g).transpose(1, 2)
                                  : randn({batches, m, k}, float32, g);
        const Tensor b = b_turned ? randn({batches, n, k}, float32, g).transpose(1, 2)
                                  : randn({batches, k, n}, float32, g);
        same_bits("bmm", [&] { return bmm(a, b); });
        same_bits("mm", [&] { return mm(a[0], b[0]); });
      }
}

TEST_CASE("what training is made of has the same bits for any number of threads") {
  Generator g(3);
  const Tensor x = randn({70, 5, 257}, float32, g), row = randn(257, float32, g);
  const Tensor turned = randn({257, 5, 70}, float32, g).transpose(0, 2);
  same_bits("add", [&] { return x + row; });
  same_bits("a turned operand", [&] { return turned * x; });
  same_bits("gelu", [&] { return gelu(x, "tanh"); });
  same_bits("where", [&] { return where(x > 0, x, turned); });
  same_bits("a copy", [&] { return clone(turned).contiguous(); });
  same_bits("sum", [&] { return sum(x); });
  for (const int dim : {0, 1, 2}) {
    same_bits("softmax", [&] { return softmax(x, dim); });
    same_bits("log_softmax", [&] { return log_softmax(turned, dim); });
    same_bits("sums", [&] { return sum(x, dim); });
    same_bits("sums of a turned tensor", [&] { return sum(turned, dim); });
  }
  const auto gradients = [](const Tensor& loss, const std::vector<Tensor>& leaves) {
    loss.backward();
    std::vector<Tensor> all;
    for (const Tensor& leaf : leaves) all.push_back(leaf.grad().flatten());
    return cat(all);
  };
  const auto leaf = [](const Tensor& values) { return clone(values).requires_grad_(); };
  same_bits("layer_norm and its gradients", [&] {
    const Tensor in = leaf(x), weight = leaf(row), bias = leaf(row);
    return gradients(sum(square(layer_norm(in, 257, weight, bias))), {in, weight, bias});
  });
  same_bits("the gradient of attention", [&] {
    const Tensor in = leaf(x);
    return gradients(sum(square(matmul(softmax(matmul(in, in.transpose(1, 2)), -1), gelu(in, "tanh")))),
                     {in});
  });
}

TEST_CASE("scaled_dot_product_attention has the same bits for any number of threads") {
  Generator g(5);
  // The only head of the second shape is cut into parts.
  for (const Dims& shape : {Dims{2, 2, 300, 20}, Dims{1, 1, 800, 20}}) {
    const auto leaf = [&] { return randn(shape, float32, g).requires_grad_(); };
    const Tensor q = leaf(), k = leaf(), v = leaf();
    for (const bool causal : {false, true})
      same_bits("attention and its gradients", [&] {
        const Tensor y = scaled_dot_product_attention(q, k, v, {}, causal);
        for (const Tensor* x : {&q, &k, &v}) x->set_grad({});
        sum(square(y)).backward();
        return cat({y.flatten(), q.grad().flatten(), k.grad().flatten(), v.grad().flatten()});
      });
  }
}

TEST_CASE("steps of optimizers have the same bits for any number of threads") {
  Generator g(4);
  const Tensor p = randn(50'001, float32, g), grad = randn(50'001, float32, g), v = square(grad);
  same_bits("adam_", [&] {
    const Tensor q = clone(p), mean = clone(grad), squares = clone(v);
    adam_(q, grad, mean, squares, {.lr = 0.01, .weight_decay = 0.1, .step = 3});
    return cat({q, mean, squares});
  });
  same_bits("sgd_", [&] {
    const Tensor q = clone(p), momentum = clone(grad);
    sgd_(q, grad, momentum, {.lr = 0.01, .momentum = 0.9, .step = 3});
    return cat({q, momentum});
  });
}

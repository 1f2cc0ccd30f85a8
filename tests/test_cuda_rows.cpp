// The op table's reductions, row ops, losses and attention on a GPU, in sizes that the table lacks: for a
// warp, a block, several blocks, and columns; rows that do not fill packs or begin between packs; NaN and
// ties.
#include "support.h"
#include "two_devices.h"

using namespace glassgrad;
using testing::Tensors, testing::Function, testing::kGpu, testing::has_gpu;

namespace {

// Compares values and first derivatives. Second derivatives consist of ops of the table, so they need no
// check here.
void compare(const char* name, const Tensors& inputs, const Function& call, bool gradient = true) {
  testing::Worst worst;
  compare_devices({.name = name, .shapes = {}, .call = call, .gradient = gradient}, inputs, worst, false);
}
void compare_values(const char* name, const Tensors& inputs, const Function& call) {
  compare(name, inputs, call, false);
}

// x of this dtype contiguous, starting at the second element, and transposed.
Tensors drawn(const Dims& shape, DType dtype) {
  Generator g(3);
  const auto draw = [&](const Dims& s) { return to(randn(s, float64, g) * (dtype == int64 ? 9 : 1), dtype); };
  Dims wider = shape;
  wider[wider.n - 1] += 1;
  Tensors all = {draw(shape), draw(wider).slice(-1, 1, {})};
  if (shape.n == 2) all.push_back(draw({shape[1], shape[0]}).t());
  return all;
}

template <class F>
void each_layout(std::initializer_list<Dims> shapes, std::initializer_list<DType> dtypes, F f) {
  if (!has_gpu()) return;
  for (const Dims& shape : shapes)
    for (const DType t : dtypes)
      for (const Tensor& x : drawn(shape, t)) f(x);
}

// Rows for one block and for several, columns likewise, rows for groups of 1 to 32 threads.
const std::initializer_list<Dims> kShapes = {{9000}, {2, 3000}, {3000, 2}, {300, 40},
                                             {5, 7}, {9, 33},   {3, 300},  {20, 3, 40}};

}  // namespace

TEST_CASE("reductions of every size are alike on a GPU") {
  each_layout(kShapes, {float32, float64}, [](const Tensor& x) {
    for (int64_t d = 0; d < x.dim(); ++d)
      compare("sum and var", {x}, [d](const Tensors& t) {
        return Tensors{sum(t[0], Dims(d)), var(t[0], Dims(d))};
      });
    compare("all", {x}, [](const Tensors& t) {
      return Tensors{sum(t[0]), mean(t[0]),   var(t[0]), norm(t[0]),
                     max(t[0]), argmin(t[0]), all(t[0]), any(t[0] == 100)};
    });
  });
}

TEST_CASE("extremes and products of every size are alike on a GPU") {
  each_layout({{9000}, {2, 3000}, {300, 40}, {6, 30}}, {float32, int64, boolean}, [](const Tensor& x) {
    for (int64_t d = 0; d < x.dim(); ++d)
      compare_values("extremes", {x}, [d](const Tensors& t) {
        const auto [most, place] = max(t[0], d);
        const auto [least, where] = min(t[0], d);
        return Tensors{most, place, least, where, sum(t[0], Dims(d)), prod(sign(t[0]), d)};
      });
  });
}

TEST_CASE("a NaN and the first of equals win on a GPU too") {
  if (!has_gpu()) return;
  Generator g(1);
  for (const Dims& shape : {Dims{9000}, Dims{900, 33}, Dims{3, 5000}, Dims{20, 12}}) {
    const Tensor x = round(randn(shape, float32, g));
    const Tensor holes = where(rand(shape, float32, g) > 0.999, NAN, x);
    for (const Tensor& t : {x, holes, holes * INFINITY})
      compare_values("extremes", {t}, [](const Tensors& v) {
        const auto [most, place] = max(v[0], 0);
        const auto [least, at] = min(v[0], -1);
        return Tensors{most, place, least, at, argmax(v[0]), argmin(v[0]), amax(v[0], {}, false)};
      });
  }
}

TEST_CASE("running sums of every length are alike on a GPU") {
  each_layout({{20}, {3000}, {20000}, {2, 9000}, {9000, 2}, {2, 40, 70}}, {float32, float64, int64, boolean},
              [](const Tensor& x) {
                for (int64_t d = 0; d < x.dim(); ++d)
                  compare_values("cumsum", {x}, [d](const Tensors& t) { return Tensors{cumsum(t[0], d)}; });
              });
}

// Rows of 6144 float64 or 12288 float32 take 48 KiB, all the shared memory that a launch has by default.
TEST_CASE("softmax of rows and columns of every length is alike on a GPU") {
  each_layout({{5, 3},
               {3, 50},
               {3, 100},
               {2, 128},
               {2, 300},
               {2, 768},
               {2, 1024},
               {2, 1030},
               {1, 6144},
               {1, 12288},
               {1, 13000},
               {300, 40},
               {40, 3, 7}},
              {float32, float64}, [](const Tensor& x) {
                for (int64_t d = 0; d < x.dim(); ++d)
                  compare("softmax", {x}, [d](const Tensors& t) {
                    return Tensors{softmax(t[0], d), log_softmax(t[0], d)};
                  });
              });
  if (!has_gpu()) return;
  const Tensor x = tensor({1, -INFINITY, 2}, float32), none = full({2, 40}, -INFINITY, float32);
  for (const Tensor& t : {x, none, full({2000}, NAN, float32)})
    compare("softmax", {t}, [](const Tensors& v) {
      return Tensors{softmax(v[0], 0), log_softmax(v[0], -1)};
    });
}

TEST_CASE("losses of rows of every length and of many targets are alike on a GPU") {
  const auto as_one_op = [](const Tensors& t) {
    const Tensor targets = arange(t[0].size(0)) * 7 % t[0].size(1);
    return Tensors{softmax_cross_entropy(t[0], targets), softmax_cross_entropy(t[0], targets, 0)};
  };
  each_layout({{5, 3}, {9, 33}, {3, 100}, {2, 1024}, {300, 40}, {2, 13000}}, {float32, float64},
              [&](const Tensor& x) { compare("softmax_cross_entropy", {x}, as_one_op); });
  if (!has_gpu()) return;
  const Tensor low = tensor({{-INFINITY, 1, -2}, {3, -INFINITY, 1}, {0, 5, 2}}, float32);
  compare("softmax_cross_entropy", {low}, [](const Tensors& t) {
    return Tensors{softmax_cross_entropy(t[0], tensor({1, 0, 2}))};
  });
  Generator g(9);
  const Tensor x = randn({700, 12}, float64, g), target = randint(0, 12, {700}, g);
  for (const Reduction r : {Reduction::None, Reduction::Mean, Reduction::Sum})
    compare("nll_loss", {x}, [&](const Tensors& t) {
      const Tensor there = to(target, t[0].device());
      return Tensors{nll_loss(t[0], there, 4, r),
                     nll_loss(t[0].view({7, 12, 100}), there.view({7, 100}), -100, r)};
    });
}

TEST_CASE("layer norm of rows of every length is alike on a GPU") {
  each_layout({{5, 3},
               {9, 100},
               {70, 150},
               {10, 128},
               {3, 384},
               {9, 768},
               {2, 1024},
               {2, 1030},
               {2, 2048},
               {1, 6144},
               {1, 12288}},
              {float32, float64}, [](const Tensor& x) {
                Generator g(4);
                const int64_t n = x.size(-1);
                const Tensor weight = randn(n, x.dtype(), g), bias = randn(n, x.dtype(), g);
                compare("layer_norm", {x, weight, bias},
                        [n](const Tensors& t) { return Tensors{layer_norm(t[0], {n}, t[1], t[2])}; });
                compare("layer_norm plain", {x},
                        [n](const Tensors& t) { return Tensors{layer_norm(t[0], {n})}; });
              });
  if (!has_gpu()) return;
  Generator g(6);
  compare_values("layer_norm", {randn({2, 13000}, float64, g)},
                 [](const Tensors& t) { return Tensors{layer_norm(t[0], {13000})}; });
}

TEST_CASE("dot on a GPU adds up vectors of any length and step") {
  if (!has_gpu()) return;
  for (const int64_t n : {1, 31, 1000, 70001})
    for (const int64_t step : {1, 3}) {
      const auto apart = [&](const Tensors& t) {
        return Tensors{dot(t[0].slice(0, 0, n * step, step), t[1])};
      };
      compare("dot", {randn(n * step), randn(n)}, apart);
      compare_values("dot", {randint(-100, 100, n * step), randint(-100, 100, n)}, apart);
    }
}

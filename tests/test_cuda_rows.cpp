// Reductions and rows on a GPU in the sizes that the op table has not: those that take a warp, a block,
// several blocks, columns; rows that fill no packs or start between them; NaN and ties.
#include <fmt/format.h>

#include "gpu.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

using Tensors = std::vector<Tensor>;
using Call = std::function<Tensors(const Tensor&)>;

double tolerance(DType t) { return t == float32 ? 1e-5 : t == float64 ? 1e-12 : 0; }

// What f gives of x, and the gradients of x for fixed cotangents.
Tensors results_of(const Tensor& x, const Call& f, Device device) {
  const DefaultDevice here(device);
  const Tensor in = to(x, device).detach();
  if (is_floating(x.dtype())) in.requires_grad_();
  Tensors outputs = f(in);
  const size_t values = outputs.size();
  for (size_t k = 0; k < values; ++k) {
    if (!outputs[k].requires_grad()) continue;
    Generator g(5);
    const Tensor cotangent = [&] {
      const DefaultDevice cpu(kCpu);
      return randn(outputs[k].shape(), x.dtype(), g);
    }();
    outputs.push_back(grad({outputs[k]}, {in}, {to(cotangent, device)})[0]);
  }
  return outputs;
}

void compare(const std::string& name, const Tensor& x, const Call& f) {
  if (!has_gpu()) return;
  const Tensors cpu = results_of(x, f, kCpu), gpu = results_of(x, f, kGpu);
  REQUIRE(cpu.size() == gpu.size());
  for (size_t k = 0; k < cpu.size(); ++k)
    CHECK_MESSAGE(relative_difference(gpu[k], cpu[k]) <= tolerance(cpu[k].dtype()),
                  name << " of " << to_string(x.shape()) << ", result " << k);
}

// x of this dtype in every layout: contiguous, transposed, and starting at the second element.
Tensors laid_out(const Dims& shape, DType dtype) {
  Generator g(3);
  const auto drawn = [&](const Dims& s) {
    return to(randn(s, float64, g) * (dtype == int64 ? 9 : 1), dtype);
  };
  Dims wider = shape;
  wider[wider.n - 1] += 1;
  Tensors all = {drawn(shape), drawn(wider).slice(-1, 1, {})};
  if (shape.n == 2) all.push_back(drawn({shape[1], shape[0]}).t());
  return all;
}

template <class F>
void each_layout(std::initializer_list<Dims> shapes, std::initializer_list<DType> dtypes, F f) {
  for (const Dims& shape : shapes)
    for (const DType t : dtypes)
      for (const Tensor& x : laid_out(shape, t)) f(x);
}

// One row for a block and several, columns likewise, rows for groups of 1 to 32 threads.
const std::initializer_list<Dims> kShapes = {{9000}, {2, 3000}, {3000, 2}, {300, 40},
                                             {5, 7}, {9, 33},   {3, 300},  {20, 3, 40}};

}  // namespace

TEST_CASE("reductions of every size are alike on a GPU") {
  each_layout(kShapes, {float32, float64}, [](const Tensor& x) {
    for (int64_t d = 0; d < x.dim(); ++d) {
      compare("sum", x, [d](const Tensor& t) { return Tensors{sum(t, Dims(d))}; });
      compare("var", x, [d](const Tensor& t) { return Tensors{var(t, Dims(d))}; });
    }
    compare("all", x, [](const Tensor& t) {
      return Tensors{sum(t), mean(t), var(t), norm(t), max(t), argmin(t), all(t), any(t == 100)};
    });
  });
}

TEST_CASE("extremes and products of every size are alike on a GPU") {
  each_layout({{9000}, {2, 3000}, {300, 40}, {6, 30}}, {float32, int64, boolean}, [](const Tensor& x) {
    for (int64_t d = 0; d < x.dim(); ++d)
      compare("extremes", x, [d](const Tensor& t) {
        const auto [most, place] = max(t.detach(), d);
        const auto [least, where] = min(t.detach(), d);
        return Tensors{most, place, least, where, sum(t.detach(), Dims(d)), prod(sign(t.detach()), d)};
      });
  });
}

TEST_CASE("a NaN and the first of equals win on a GPU too") {
  Generator g(1);
  for (const Dims& shape : {Dims{9000}, Dims{900, 33}, Dims{3, 5000}, Dims{20, 12}}) {
    const Tensor x = round(randn(shape, float32, g));
    const Tensor holes = where(rand(shape, float32, g) > 0.999, NAN, x);
    for (const Tensor& t : {x, holes, holes * INFINITY})
      compare("extremes", t, [](const Tensor& v) {
        const auto [most, place] = max(v.detach(), 0);
        const auto [least, at] = min(v.detach(), -1);
        return Tensors{most, place, least, at, argmax(v), argmin(v), amax(v.detach(), {}, false)};
      });
  }
}

TEST_CASE("running sums of every length are alike on a GPU") {
  each_layout({{20}, {3000}, {20000}, {2, 9000}, {9000, 2}, {2, 40, 70}}, {float32, float64, int64, boolean},
              [](const Tensor& x) {
                for (int64_t d = 0; d < x.dim(); ++d)
                  compare("cumsum", x, [d](const Tensor& t) { return Tensors{cumsum(t.detach(), d)}; });
              });
}

// Rows of 6144 and 12288 numbers: in one of the dtypes, all of the shared memory that a launch has unasked.
TEST_CASE("softmax of rows and columns of every length is alike on a GPU") {
  each_layout(
      {{5, 3},
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
          compare("softmax", x, [d](const Tensor& t) { return Tensors{softmax(t, d), log_softmax(t, d)}; });
      });
  const Tensor x = tensor({1, -INFINITY, 2}, float32), none = full({2, 40}, -INFINITY, float32);
  for (const Tensor& t : {x, none, full({2000}, NAN, float32)})
    compare("softmax", t, [](const Tensor& v) { return Tensors{softmax(v, 0), log_softmax(v, -1)}; });
}

TEST_CASE("cross entropy as one op is alike on a GPU for rows of every length") {
  const auto loss_of = [](const Tensor& t) {
    const Tensor targets = arange(t.size(0)) * 7 % t.size(1);
    return Tensors{softmax_cross_entropy(t, targets), softmax_cross_entropy(t, targets, 0)};
  };
  each_layout({{5, 3}, {9, 33}, {3, 100}, {2, 1024}, {300, 40}, {2, 13000}}, {float32, float64},
              [&](const Tensor& x) { compare("softmax_cross_entropy", x, loss_of); });
  const Tensor low = tensor({{-INFINITY, 1, -2}, {3, -INFINITY, 1}, {0, 5, 2}}, float32);
  compare("softmax_cross_entropy", low, [](const Tensor& t) {
    return Tensors{softmax_cross_entropy(t, tensor({1, 0, 2}))};
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
                const auto of_all = [&](const Tensor& t, bool affine) {
                  const Tensor w = to(weight, t.device()).detach().requires_grad_(),
                               b = to(bias, t.device()).detach().requires_grad_();
                  const Tensor y = affine ? layer_norm(t, {n}, w, b) : layer_norm(t, {n});
                  Tensors all = {y.detach()};
                  const Tensors in = affine ? Tensors{t, w, b} : Tensors{t};
                  for (const Tensor& d : grad({y}, in, {cos(t.detach())})) all.push_back(d);
                  return all;
                };
                for (const bool affine : {true, false})
                  compare("layer_norm", x, [&](const Tensor& t) { return of_all(t, affine); });
              });
  Generator g(6);
  compare("layer_norm", randn({2, 13000}, float64, g).detach(),
          [](const Tensor& t) { return Tensors{layer_norm(t.detach(), {13000})}; });
}

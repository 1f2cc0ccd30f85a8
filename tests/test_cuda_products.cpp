// Products and optimizers on a GPU, beyond the shapes of the op table: more than one tile, not a multiple of
// a tile, any strides; and many parameters at once.
#include <memory>

#include "engine/cuda/kernels.h"
#include "engine/matmul_precision.h"
#include "gpu.h"
#include "gradcheck.h"
#include "nn/optim.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

Tensor there(const Tensor& x) { return to(x, kGpu); }
Tensor here(const Tensor& x) { return to(x, kCpu); }

// The layout of a matrix operand: by rows, by columns, with gaps, or with all rows in the same memory.
enum class OperandLayout { Rows, Columns, Gaps, Repeated };
constexpr OperandLayout kAll[] = {OperandLayout::Rows, OperandLayout::Columns, OperandLayout::Gaps,
                                  OperandLayout::Repeated};

Tensor matrix(int64_t batch, int64_t rows, int64_t columns, DType t, OperandLayout layout) {
  const auto numbers = [&](const Dims& shape) {
    return t == int64 ? randint(-1000, 1000, shape) : randn(shape, t);
  };
  switch (layout) {
    case OperandLayout::Columns:
      return there(numbers({batch, columns, rows})).transpose(1, 2);
    case OperandLayout::Gaps:
      return there(numbers({batch, rows, 2 * columns + 1})).slice(2, 1, 2 * columns + 1, 2);
    case OperandLayout::Repeated:
      return there(numbers({batch, 1, columns})).expand({batch, rows, columns});
    default:
      return there(numbers({batch, rows, columns}));
  }
}

// Computes each element as one chain of fma over k, from 0.
template <class T>
Tensor chains(const Tensor& a, const Tensor& b, DType t) {
  const auto left = here(a).to_vector<T>(), right = here(b).to_vector<T>();
  const int64_t m = a.size(1), depth = a.size(2), n = b.size(2);
  std::vector<double> y;
  for (int64_t batch = 0; batch < a.size(0); ++batch)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum = T(std::fma(left[size_t((batch * m + i) * depth + k)],
                           right[size_t((batch * depth + k) * n + j)], sum));
        y.push_back(double(sum));
      }
  return from_values(y, {a.size(0), m, n}, t);
}
Tensor expected_product(const Tensor& a, const Tensor& b) {
  if (a.dtype() == float32) return chains<float>(a, b, float32);
  if (a.dtype() == float64) return chains<double>(a, b, float64);
  return bmm(here(a), here(b));
}

bool near_to(const Tensor& a, const Tensor& b, double part, const Tensor& scale) {
  return max(abs(here(a) - b)).item() <= part * (max(scale).item() + 1e-30);
}
bool near_to(const Tensor& a, const Tensor& b, double part) { return near_to(a, b, part, abs(b)); }

}  // namespace

TEST_CASE("products on a GPU are chains over k whatever their shape and strides") {
  if (!has_gpu()) return;
  // The last shape has enough tiles to fill a large GPU.
  for (const Dims& s : {Dims{1, 1, 1}, Dims{3, 5, 2}, Dims{20, 33, 40}, Dims{65, 31, 130}, Dims{700, 3, 780}})
    for (const DType t : {float32, float64, int64})
      for (const OperandLayout left : kAll)
        for (const OperandLayout right : kAll) {
          if (s[0] > 100 && (left != right || t != float32)) continue;
          const Tensor a = matrix(2, s[0], s[1], t, left), b = matrix(2, s[1], s[2], t, right);
          const Tensor expected = expected_product(a, b);
          const Tensor y = mm(a[0], b[0]);
          CHECK(y.device() == kGpu);
          CHECK(equal(here(y), expected[0]));
          if (s[0] * s[1] * s[2] >= 400) CHECK(equal(here(bmm(a, b)), expected));
        }
}

// ---------------------------------------------------------------- halves
#ifdef GLASSGRAD_HAS_CUDA
namespace {

// Compares products of halves, which are summed in float32 and rounded once, with products in float64.
void check_halves(DType t, DType result, const Dims& s, bool a_turned, bool b_turned, bool with_bias) {
  const int64_t batches = 2, m = s[0], depth = s[1], n = s[2];
  const auto matrix = [&](int64_t rows, int64_t columns, bool turned) {
    const Tensor x = to(randn(turned ? Dims{batches, columns, rows} : Dims{batches, rows, columns}), t);
    return turned ? x.transpose(1, 2) : x;
  };
  const auto there = [](const Tensor& x) { return to(x, kGpu); };
  const Tensor a = matrix(m, depth, a_turned), b = matrix(depth, n, b_turned), bias = to(randn(n), result);
  const Tensor a_there = there(a), b_there = there(b), bias_there = there(bias);
  CHECK(a_there.strides() == a.strides());
  CHECK(b_there.strides() == b.strides());
  // The result is a part of wider rows, whose other numbers must not change.
  const Tensor rows_there = there(full({batches, m, n + 3}, 7, result));
  cuda::matmul(a_there.raw(), b_there.raw(), rows_there.narrow(2, 0, n).raw(), MatmulArithmetic::Fused,
               MatmulPrecision::fp32, with_bias ? bias_there.raw().data : nullptr);
  const Tensor rows = to(rows_there, kCpu), y = rows.narrow(2, 0, n);
  const auto wide = [](const Tensor& x) { return to(x, float64); };
  const Tensor scale = bmm(abs(wide(a)), abs(wide(b))) + 1.0;
  Tensor expected = bmm(wide(a), wide(b));
  if (with_bias) expected = expected + wide(bias);
  const double rounding = result == float32 ? 0 : result == bfloat16 ? 0x1p-8 : 0x1p-11;
  const Tensor allowed = abs(expected) * rounding + scale * (double(depth + 2) * 0x1p-24);
  CHECK(all(abs(wide(y) - expected) <= allowed).item() == 1);
  CHECK(all(wide(rows.narrow(2, n, 3)) == 7.0).item() == 1);
}

}  // namespace

TEST_CASE("products of halves on a GPU are added up in float32 and rounded once") {
  if (!has_gpu()) return;
  manual_seed(3);
  for (const DType t : {bfloat16, float16})
    for (const DType result : {t, float32})
      for (const Dims& s : {Dims{1, 1, 1}, Dims{20, 33, 40}, Dims{1, 300, 9}, Dims{37, 200, 1},
                            Dims{65, 31, 130}, Dims{260, 264, 250}, Dims{260, 264, 253}})
        for (const int layout : {0, 1, 2, 3}) {
          if (s[0] > 200 && layout % 3 != 0) continue;
          check_halves(t, result, s, layout % 2 == 1, layout / 2 == 1, layout < 2);
        }
}
#endif

TEST_CASE("small batched products on a GPU round before they add as on the CPU") {
  if (!has_gpu()) return;
  for (const DType t : {float32, float64}) {
    const Tensor a = matrix(5, 4, 9, t, OperandLayout::Rows), b = matrix(5, 9, 3, t, OperandLayout::Columns);
    CHECK(equal(here(bmm(a, b)), bmm(here(a), here(b))));
  }
}

TEST_CASE("a product on a GPU of one long row or column is that of the CPU") {
  if (!has_gpu()) return;
  for (const DType t : {float32, float64})
    for (const OperandLayout layout : kAll) {
      const double close = t == float32 ? 3e-7 : 1e-14;
      const Tensor a = matrix(1, 37, 300, t, layout)[0], x = matrix(1, 1, 300, t, OperandLayout::Rows)[0];
      // The terms may cancel (with OperandLayout::Repeated in all rows at once), so bound the error by the
      // sum of |terms|.
      const Tensor added_up = mv(abs(here(a)), abs(here(x[0])));
      CHECK(near_to(mv(a, x[0]), mv(here(a), here(x[0])), close, added_up));
      CHECK(near_to(mm(x, a.t()), mm(here(x), here(a).t()), close, added_up));
      const Tensor bias = there(randn(37, t));
      CHECK(near_to(addmm(bias, x, a.t()), addmm(here(bias), here(x), here(a).t()), close, added_up));
    }
}

TEST_CASE("a product and a bias on a GPU are one chain and one sum") {
  if (!has_gpu()) return;
  for (const int64_t n : {2, 64, 131}) {
    const Tensor a = matrix(1, 70, 29, float32, OperandLayout::Rows),
                 b = matrix(1, 29, n, float32, OperandLayout::Columns);
    const Tensor bias = randn(n), product = expected_product(a, b)[0];
    CHECK(equal(here(addmm(there(bias), a[0], b[0])), product + bias));
    CHECK(equal(here(linear(a[0], b[0].t(), there(bias))), product + bias));
  }
}

TEST_CASE("products of operands on several devices are refused") {
  if (!has_gpu()) return;
  const Tensor a = ones({2, 2}), b = there(a), x = ones(2), three = ones({1, 2, 2});
  const std::string found =
      "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, ";
  CHECK(error_of([&] { mm(a, b); }) == found + "cpu and cuda:0!");
  CHECK(error_of([&] { mm(b, a); }) == found + "cuda:0 and cpu!");
  CHECK(error_of([&] { bmm(three, there(three)); }) == found + "cpu and cuda:0!");
  CHECK(error_of([&] { mv(b, x); }) == found + "cuda:0 and cpu!");
  CHECK(error_of([&] { dot(x, there(x)); }) == found + "cpu and cuda:0!");
  CHECK(error_of([&] { addmm(x, b, b); }) == found + "cpu and cuda:0!");
  CHECK(error_of([&] { linear(b, a, there(x)); }) == found + "cuda:0 and cpu!");
  CHECK(error_of([&] { matmul(a, there(x)); }) == found + "cpu and cuda:0!");
}

TEST_CASE("the precision of products is a setting for a device that has it") {
  CHECK(matmul_precision() == MatmulPrecision::fp32);
  CHECK_THROWS_AS(set_matmul_precision(MatmulPrecision::tf32), ValueError);
  if (!has_gpu()) return;
  const Tensor a = randn({30, 40}), b = randn({40, 50}), exact = mm(a, b);
  CHECK_THROWS_AS(set_matmul_precision(MatmulPrecision::bf16, kGpu), ValueError);
  set_matmul_precision(MatmulPrecision::tf32, kGpu);
  CHECK(matmul_precision() == MatmulPrecision::tf32);
  CHECK(near_to(mm(there(a), there(b)), exact, 0.05));
  CHECK(near_to(mm(a, b), exact, 0));
  set_matmul_precision(MatmulPrecision::fp32);
}

TEST_CASE("large products on a GPU are as exact as their precision however their matrices lie") {
  if (!has_gpu()) return;
  // Makes a matrix on both devices. A copy would have no gaps, so the whole is copied and sliced again on the
  // GPU.
  const auto large = [](int64_t batch, int64_t rows, int64_t columns, int layout) {
    const Tensor whole = layout == 0   ? randn({batch, rows, columns})
                         : layout == 1 ? randn({batch, columns, rows})
                                       : randn({batch, rows, columns + 3});
    const auto laid = [&](const Tensor& x) {
      return layout == 0 ? x : layout == 1 ? x.transpose(1, 2) : x.slice(2, 1, columns + 1);
    };
    return std::pair(laid(whole), laid(there(whole)));
  };
  for (const Dims& s : {Dims{256, 256, 256}, Dims{300, 260, 251}, Dims{1, 4200, 4100}})
    for (const int layout : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
      const auto [a, left] = large(2, s[0], s[1], layout % 3);
      const auto [b, right] = large(2, s[1], s[2], layout / 3);
      const Tensor bias = randn(s[2]), product = bmm(a, b);
      for (const MatmulPrecision p : {MatmulPrecision::fp32, MatmulPrecision::tf32}) {
        set_matmul_precision(p, kGpu);
        const double close = p == MatmulPrecision::tf32 ? 2e-3 : 1e-5;
        const Tensor y = bmm(left, right), with_bias = addmm(there(bias), left[0], right[0]);
        set_matmul_precision(MatmulPrecision::fp32);
        CHECK(near_to(y, product, close));
        CHECK(near_to(with_bias, product[0] + bias, close));
        if (cuda::blas_plans().empty()) return;  // without cuBLASLt only the project's own kernel runs
      }
    }
  for (const std::string& plan : cuda::blas_plans()) MESSAGE(plan);
}

// ---------------------------------------------------------------- optimizers
namespace {

// Returns more parameters than one launch takes, of many sizes. Some do not begin at a multiple of 16 bytes,
// and one is stored by columns.
Tensors some_parameters(DType t) {
  Generator g(5);
  Tensors all = {randn({33, 17}, t, g).t(), randn(9001, t, g).slice(0, 3, 9001), randn({}, t, g),
                 empty(0, t)};
  for (int64_t n = 1; n <= 70; ++n) all.push_back(randn(n, t, g));
  return all;
}

// Returns those parameters after 20 steps on a device, with the same gradients on every device.
template <class Make>
Tensors after_steps(Device device, DType t, const Make& make) {
  Tensors all;
  for (const Tensor& p : some_parameters(t)) all.push_back(leaf(to(p, device)));
  const auto optimizer = make(all);
  int64_t total = 0;
  for (const Tensor& p : all) total += p.numel();
  Generator g(6);
  for (int step = 0; step < 20; ++step) {
    const Tensor gradients = to(randn(total, t, g), device);
    int64_t at = 0;
    for (size_t k = 0; k < all.size(); ++k) {
      const Tensor gradient = gradients.slice(0, at, at + all[k].numel()).reshape(all[k].shape());
      all[k].set_grad((size_t(step) + k) % 5 ? gradient : Tensor());  // some gradients are left out
      at += all[k].numel();
    }
    optimizer->step();
  }
  return all;
}

template <class Make>
void check_steps(const Make& make) {
  for (const DType t : {float32, float64}) {
    const Tensors cpu = after_steps(kCpu, t, make), gpu = after_steps(kGpu, t, make);
    for (size_t k = 0; k < cpu.size(); ++k) {
      CHECK(gpu[k].device() == kGpu);
      CHECK(equal(here(gpu[k].detach()), cpu[k].detach()));
    }
  }
}

}  // namespace

TEST_CASE("optimizers on a GPU take the steps of the CPU bit for bit") {
  if (!has_gpu()) return;
  using namespace nn::optim;
  check_steps([](const Tensors& p) { return std::make_unique<Adam>(p, 1e-2, Betas{0.8, 0.95}, 1e-8, 0.1); });
  check_steps([](const Tensors& p) { return std::make_unique<AdamW>(p, 1e-2); });
  check_steps([](const Tensors& p) { return std::make_unique<SGD>(p, 1e-2); });
  check_steps([](const Tensors& p) { return std::make_unique<SGD>(p, 1e-2, 0.9, 0.1, 0.01); });
  check_steps([](const Tensors& p) { return std::make_unique<SGD>(p, 1e-2, 0.9, 0, 0, true); });
}

TEST_CASE("an optimizer takes parameters of several devices and dtypes") {
  if (!has_gpu()) return;
  const auto stepped = [](Device device) {
    Tensors all;
    for (const DType t : {float32, float64, float32})
      for (const Device d : {kCpu, device}) all.push_back(leaf(ones(3, t, d)));
    nn::optim::AdamW optimizer(all, 0.1);
    for (const Tensor& p : all) p.set_grad(full({3}, 0.5, p.dtype(), p.device()));
    optimizer.step();
    return all;
  };
  const Tensors cpu = stepped(kCpu), mixed = stepped(kGpu);
  for (size_t k = 0; k < cpu.size(); ++k) CHECK(equal(here(mixed[k].detach()), cpu[k].detach()));
  const Tensor p = ones(2), g = there(p);
  CHECK(contains(error_of([&] { sgd_(p, g, {}, {}); }), "Expected all tensors to be on the same device"));
}

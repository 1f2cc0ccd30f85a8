// Attention on a GPU: sizes that are not multiples of its tiles, masks, strides; also in bf16 on tensor
// cores. Skipped without a GPU, real or emulated.
#include <doctest/doctest.h>

#include <sstream>

#include "engine/matmul_precision.h"
#include "gpu.h"
#include "gradcheck.h"
#ifdef GLASSGRAD_HAS_CUDA
#include "engine/ops/kernels.h"
#endif

using namespace glassgrad;
using namespace testing;

namespace {

enum class Mask { none, causal, taken, added };
struct Case {
  int64_t queries, keys, width, values;
  Mask mask;

  std::string text() const {
    std::ostringstream out;
    out << "T=" << queries << " S=" << keys << " E=" << width << " D=" << values << " mask " << int(mask);
    return out.str();
  }
};

// Returns q, k and v with the heads inside their rows, as in layers; the gradient of the result; and a mask
// that hides every key from one query.
Tensors inputs_of(const Case& c) {
  manual_seed(5);
  const int64_t batch = c.queries < 10 ? 2 : 1, heads = 2;
  Tensors x{randn({batch, c.queries, heads, c.width}), randn({batch, c.keys, heads, c.width}),
            randn({batch, c.keys, heads, c.values}), randn({batch, heads, c.queries, c.values})};
  Tensor mask = randn({c.queries, c.keys});
  if (c.mask == Mask::taken) mask = (mask > 0.0) & (arange(c.queries).view({-1, 1}) != int64_t{1});
  x.push_back(mask);
  return x;
}

// The result and the gradients of q, k and v, moved to the CPU.
Tensors results_of(const Case& c, const Tensors& inputs, DType dtype, Device device) {
  const auto moved = [&](const Tensor& t) { return to(is_floating(t.dtype()) ? to(t, dtype) : t, device); };
  Tensors x;
  for (int i = 0; i < 3; ++i) x.push_back(leaf(moved(inputs[size_t(i)])));
  const Tensor mask = c.mask == Mask::taken || c.mask == Mask::added ? moved(inputs[4]) : Tensor();
  const Tensor y = scaled_dot_product_attention(x[0].transpose(1, 2), x[1].transpose(1, 2),
                                                x[2].transpose(1, 2), mask, c.mask == Mask::causal, 0.2);
  CHECK(y.device() == device);
  Tensors results = grad({y}, x, {moved(inputs[3])});
  results.insert(results.begin(), y.detach());
  for (Tensor& r : results) r = to(r, kCpu);
  return results;
}

// The largest ‖a − b‖ / ‖b‖ of all results; a norm of b below 1 counts as 1.
double difference(const Tensors& a, const Tensors& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const Tensor x = to(a[i], float64), y = to(b[i], float64);
    const double d = std::sqrt(sum(square(x - y)).item() / std::max(sum(square(y)).item(), 1.0));
    if (!(d <= worst)) worst = d;
  }
  return worst;
}

void check_repeats(const Case& c, const Tensors& inputs, const Tensors& first, DType dtype) {
  const Tensors again = results_of(c, inputs, dtype, kGpu);
  for (size_t i = 0; i < first.size(); ++i) CHECK_MESSAGE(equal(first[i], again[i]), c.text());
}

}  // namespace

TEST_CASE("attention on a GPU is that of the CPU whatever its sizes and masks") {
  if (!has_gpu()) return;
  for (const Case& c :
       {Case{1, 1, 3, 3, Mask::none}, Case{65, 70, 33, 5, Mask::causal}, Case{70, 65, 5, 66, Mask::causal},
        Case{3, 129, 70, 130, Mask::added}, Case{66, 1, 8, 8, Mask::none}, Case{67, 66, 64, 64, Mask::taken}})
    for (const DType dtype : {float32, float64}) {
      const Tensors inputs = inputs_of(c), gpu = results_of(c, inputs, dtype, kGpu);
      const double d = difference(gpu, results_of(c, inputs, dtype, kCpu));
      CHECK_MESSAGE(d <= (dtype == float32 ? 1e-5 : 1e-12), c.text() << ": " << d);
      if (c.mask == Mask::taken) check_repeats(c, inputs, gpu, dtype);
    }
}

TEST_CASE("attention in float32 on a GPU in tiles of packed rows is exact or rounded to tf32") {
  if (!has_gpu()) return;
  for (const Case& c : {Case{70, 67, 64, 64, Mask::causal}, Case{1, 70, 64, 64, Mask::none},
                        Case{66, 330, 64, 64, Mask::causal}, Case{260, 210, 64, 64, Mask::causal},
                        Case{130, 200, 36, 48, Mask::added}, Case{33, 410, 64, 64, Mask::taken},
                        Case{140, 66, 20, 64, Mask::taken}}) {
    const Tensors inputs = inputs_of(c), cpu = results_of(c, inputs, float32, kCpu);
    for (const MatmulPrecision precision : {MatmulPrecision::fp32, MatmulPrecision::tf32}) {
      set_matmul_precision(precision, kGpu);
      const Tensors gpu = results_of(c, inputs, float32, kGpu);
      for (size_t i = 0; i < gpu.size(); ++i) {
        const double d = difference({gpu[i]}, {cpu[i]});
        CHECK_MESSAGE(d <= (precision == MatmulPrecision::fp32 ? 1e-5 : 2e-3),
                      c.text() << ", result " << i << ": " << d);
        if (precision == MatmulPrecision::tf32)
          CHECK_MESSAGE(d > 1e-6, c.text() << ", result " << i << " is not rounded");
      }
      check_repeats(c, inputs, gpu, float32);
    }
    set_matmul_precision(MatmulPrecision::fp32, kGpu);
  }
}

#ifdef GLASSGRAD_HAS_CUDA
// ---- the kernels of bf16 on tensor cores
namespace glassgrad {
GG_KERNEL(attention, kernels().attention);
GG_KERNEL(attention_grad, kernels().attention_grad);
}  // namespace glassgrad

namespace {

struct NarrowCase {
  int64_t batch, heads, queries, keys, width;
  Mask mask;
  DType added = float32;

  std::string text() const {
    std::ostringstream out;
    out << "B=" << batch << " H=" << heads << ' ' << Case{queries, keys, width, width, mask}.text();
    return out.str();
  }
};

// Returns one of the three parts of a buffer (B, T, 3, H, D), as (B, H, T, D).
Tensor one_of(const Tensor& fused, int64_t which) { return fused.select(2, which).transpose(1, 2); }

// y, dq, dk and dv from the same inputs in bf16: by the GPU's kernels, and in float64 on the CPU.
struct Narrow {
  NarrowCase c;
  Tensor q_of, k_of, g, mask;

  explicit Narrow(const NarrowCase& of) : c(of) {
    manual_seed(7);
    const auto random = [](const Dims& shape) { return to(randn(shape), bfloat16); };
    q_of = random({c.batch, c.queries, 3, c.heads, c.width});
    k_of = random({c.batch, c.keys, 3, c.heads, c.width});
    g = random({c.batch, c.queries, c.heads, c.width});
    if (c.mask == Mask::added) mask = to(randn({c.queries, c.keys}), c.added);
    if (c.mask == Mask::taken)
      mask = (randn({c.queries, c.keys}) > -0.5) & (arange(c.queries).view({-1, 1}) != int64_t{1});
  }

  Tensors exact() const {
    Tensors x;
    for (const Tensor& t : {one_of(q_of, 0), one_of(k_of, 1), one_of(k_of, 2)})
      x.push_back(leaf(to(t, float64)));
    const Tensor wide = c.mask == Mask::added ? to(mask, float64) : mask;
    const Tensor y = scaled_dot_product_attention(x[0], x[1], x[2], wide, c.mask == Mask::causal, 0.2);
    Tensors results = grad({y}, x, {to(g.transpose(1, 2), float64)});
    results.insert(results.begin(), y.detach());
    return results;
  }

  Tensors of_gpu() const {
    const Tensor q = to(q_of, kGpu), k = to(k_of, kGpu), of_y = to(g, kGpu).transpose(1, 2),
                 m = mask ? to(mask, kGpu).expand({c.batch, c.heads, c.queries, c.keys}) : Tensor();
    const auto room = [](const Dims& shape, DType t) { return empty_contiguous(shape, t, kGpu); };
    const Tensor y = room(g.shape(), bfloat16).transpose(1, 2), dq = room(q_of.shape(), bfloat16),
                 dk = room(k_of.shape(), bfloat16), log_sums = room({c.batch, c.heads, c.queries}, float32),
                 sums = room({c.batch, c.heads, c.queries}, float32);
    const AttentionInputs in{one_of(q, 0).raw(),
                             one_of(k, 1).raw(),
                             one_of(k, 2).raw(),
                             m ? m.raw() : View{nullptr, {}, {}, boolean},
                             0.2,
                             c.mask == Mask::causal};
    CHECK(cuda::fits_tensor_cores(in));
    attention_on(kGpu)(in, y.raw(), log_sums.raw());
    cuda::row_dots(of_y.raw(), y.raw(), sums.raw());
    attention_grad_on(kGpu)(in, of_y.raw(), log_sums.raw(), sums.raw(), one_of(dq, 0).raw(),
                            one_of(dk, 1).raw(), one_of(dk, 2).raw());
    Tensors results;
    for (const Tensor& x : {y, one_of(dq, 0), one_of(dk, 1), one_of(dk, 2)}) results.push_back(to(x, kCpu));
    return results;
  }
};

}  // namespace

TEST_CASE("attention in bf16 on a GPU is near to that of float64 from the same inputs") {
  if (!has_gpu()) return;
  for (const NarrowCase& c :
       {NarrowCase{1, 1, 70, 67, 64, Mask::causal}, NarrowCase{1, 1, 1, 70, 64, Mask::none},
        NarrowCase{1, 1, 66, 40, 128, Mask::causal}, NarrowCase{2, 1, 130, 200, 64, Mask::none},
        NarrowCase{1, 2, 260, 210, 64, Mask::causal}, NarrowCase{1, 2, 33, 410, 64, Mask::added},
        NarrowCase{1, 2, 67, 66, 64, Mask::added, bfloat16}, NarrowCase{1, 3, 210, 260, 128, Mask::causal},
        NarrowCase{2, 1, 140, 66, 128, Mask::taken}, NarrowCase{1, 2, 70, 140, 64, Mask::taken}}) {
    const Narrow of(c);
    const Tensors gpu = of.of_gpu(), exact = of.exact();
    for (size_t i = 0; i < gpu.size(); ++i) {
      const double d = difference({gpu[i]}, {exact[i]});
      CHECK_MESSAGE(d <= 0.01, c.text() << ", result " << i << ": " << d);
      CHECK_MESSAGE(d > 1e-4, c.text() << ", result " << i << " is not rounded");
    }
    if (c.mask != Mask::causal) continue;
    const Tensors again = of.of_gpu();
    for (size_t i = 0; i < gpu.size(); ++i) CHECK_MESSAGE(equal(gpu[i], again[i]), c.text());
  }
}

TEST_CASE("sums of products of rows of bf16 on a GPU") {
  if (!has_gpu()) return;
  for (const int64_t width : {5, 64, 72, 128}) {
    const Tensor a = to(randn({2, 133, 3, width}), bfloat16), b = to(randn({2, 3, 133, width}), bfloat16);
    const Tensor y = empty_contiguous({2, 3, 133}, float32, kGpu);
    cuda::row_dots(to(a, kGpu).transpose(1, 2).raw(), to(b, kGpu).raw(), y.raw());
    const Tensor exact = sum(to(a.transpose(1, 2), float64) * to(b, float64), {-1});
    CHECK(difference({to(y, kCpu)}, {exact}) <= 1e-6);
  }
}

TEST_CASE("tensor cores take attention in bf16 with packed rows of 64 or 128 numbers alone") {
  if (!has_gpu()) return;
  const auto fits = [](const Tensor& x) {
    const View v = x.raw();
    return cuda::fits_tensor_cores({v, v, v, {nullptr, {}, {}, boolean}, 1, false});
  };
  const Tensor x = to(randn({2, 9, 136}), bfloat16);
  CHECK(fits(x.slice(-1, 0, 64)));
  CHECK(fits(x.slice(-1, 8, 136)));
  CHECK_FALSE(fits(x.slice(-1, 4, 68)));
  CHECK_FALSE(fits(x.slice(-1, 0, 32)));
  CHECK_FALSE(fits(x.slice(-1, 0, 128, 2)));
  CHECK_FALSE(fits(to(x.slice(-1, 0, 64), float32)));
  CHECK_FALSE(fits(to(x.slice(-1, 0, 64), float16)));
}
#endif

// Attention on a GPU: sizes that are no multiples of its tiles, masks, strides; and from inputs rounded to
// bf16. Where there is no GPU, and the build emulates none, there is nothing to compare.
#include <doctest/doctest.h>

#include <sstream>

#include "engine/matmul_precision.h"
#include "gpu.h"
#include "gradcheck.h"

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

// q, k, v with the heads inside of their rows, as layers have them; the gradient of the result; a mask that
// hides every key from one query.
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

// The result and the gradients of q, k and v, on the CPU.
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

// ‖a − b‖ / ‖b‖, the largest of all results; what is near to 0 counts as 1.
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

struct WithBf16 {
  WithBf16() { set_matmul_precision(MatmulPrecision::bf16, kGpu); }
  ~WithBf16() { set_matmul_precision(MatmulPrecision::fp32, kGpu); }
};

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

TEST_CASE("attention on a GPU from inputs rounded to bf16 is near to that of float64") {
  if (!has_gpu()) return;
  for (const Case& c : {Case{1, 70, 64, 64, Mask::none}, Case{130, 67, 64, 64, Mask::causal},
                        Case{66, 70, 64, 64, Mask::added}, Case{33, 40, 128, 128, Mask::causal},
                        Case{67, 66, 128, 128, Mask::taken}}) {
    const Tensors inputs = inputs_of(c), exact = results_of(c, inputs, float64, kCpu);
    const WithBf16 on;
    const Tensors gpu = results_of(c, inputs, float32, kGpu);
    const double d = difference(gpu, exact);
    CHECK_MESSAGE(d <= 0.01, c.text() << ": " << d);
    CHECK_MESSAGE(d > 1e-4, c.text() << " is not rounded");
    if (c.mask == Mask::taken) check_repeats(c, inputs, gpu, float32);
  }
}

TEST_CASE("attention on a GPU rounds nothing to bf16 where tensor cores do not fit") {
  if (!has_gpu()) return;
  const WithBf16 on;
  for (const Case& c : {Case{9, 8, 64, 32, Mask::none}, Case{9, 8, 32, 32, Mask::causal}}) {
    const Tensors inputs = inputs_of(c);
    CHECK(difference(results_of(c, inputs, float32, kGpu), results_of(c, inputs, float64, kCpu)) <= 1e-5);
  }
}

// Narrow dtypes on a GPU, against the CPU. Skipped without a GPU, real or emulated.
#include <array>

#include "engine/autocast.h"
#include "engine/ops.h"
#include "engine/ops/promote.h"
#include "two_devices.h"

using namespace glassgrad;
using namespace testing;

TEST_CASE("every dtype becomes every other on a GPU as on the CPU") {
  if (!has_gpu()) return;
  manual_seed(3);
  const Tensor odd = from_values(std::vector<double>{1.5, 0.0, -2.5, 100.25, -0.0, 65519.0, 3e-8}, {1, 7});
  const Tensor numbers = cat({randn({5, 7}) * 40.0, odd}, 0);
  for (const DType from : kAllDTypes)
    for (const DType to_dtype : kAllDTypes) {
      const Tensor x = to(is_floating(from) ? numbers : clamp(numbers, 0.0, 100.0), from);
      const Tensor there = to(to(x, kGpu).t(), to_dtype);
      CHECK(there.device() == kGpu);
      CHECK_MESSAGE(equal(to(there, kCpu), to(x.t(), to_dtype)), dtype_name(from)
                                                                     << " to " << dtype_name(to_dtype));
    }
}

// ---- the op table
namespace {

// The counts of one dtype: samples with results, samples that both devices refused; for halves, the numbers
// that agree, those that differ, and the largest difference.
struct DTypeCount {
  int64_t samples = 0, refused = 0, same = 0, apart = 0;
  double units = 0;
  std::string where = "nowhere";
};

// Returns |a − b| in units in the last place of the largest of size, a and b.
double units_apart(double a, double b, double size, DType dtype) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return INFINITY;
  const double exponent =
      std::floor(std::log2(std::max({size, std::abs(a), std::abs(b), least_normal(dtype)})));
  return std::abs(a - b) / (epsilon(dtype) * std::exp2(exponent));
}

// Both devices compute wide and round once, but a GPU sums in a different order, so a number may be rounded
// to its neighbour. Larger differences come from ops that, as in PyTorch, the CPU rounds after each step and
// a GPU rounds once, and from intermediate numbers that only one device rounds. They are at most this many
// units in the last place of the largest number.
constexpr double kRoundedBefore = 4;
bool is_rounded_before(const OpRow& row) {
  constexpr std::string_view kNames[] = {"prod",       "nll_loss",    "index_put_",
                                         "layer_norm", "linear_gelu", "scaled_dot_product_attention"};
  return std::find(std::begin(kNames), std::end(kNames), row.function()) != std::end(kNames);
}

void compare_halves(const Tensor& gpu, const Tensor& cpu, bool rounded_before, const std::string& text,
                    DTypeCount& count) {
  REQUIRE_MESSAGE((gpu.dtype() == cpu.dtype() && gpu.shape() == cpu.shape()), text);
  const auto a = gpu.to_vector<double>(), b = cpu.to_vector<double>();
  double largest = 0, worst = 0;
  for (const double v : b)
    if (rounded_before && std::isfinite(v)) largest = std::max(largest, std::abs(v));
  for (size_t i = 0; i < a.size(); ++i) {
    const double units = units_apart(a[i], b[i], largest, cpu.dtype());
    ++(units == 0 ? count.same : count.apart);
    worst = std::max(worst, units);
  }
  CHECK_MESSAGE(worst <= (rounded_before ? kRoundedBefore : 1), text << ": " << worst << " units apart");
  if (worst > count.units) count.units = worst, count.where = text;
}

void compare(const Tensors& gpu, const Tensors& cpu, bool rounded_before, const std::string& text,
             DTypeCount& count) {
  REQUIRE(gpu.size() == cpu.size());
  for (size_t k = 0; k < cpu.size(); ++k) {
    REQUIRE(!gpu[k] == !cpu[k]);
    if (!cpu[k]) continue;
    CHECK_MESSAGE(gpu[k].device() == kGpu, text);
    const DType t = cpu[k].dtype();
    if (is_narrow(t) && is_floating(t)) {
      compare_halves(gpu[k], cpu[k], rounded_before, text, count);
    } else {
      const double d = relative_difference(gpu[k], cpu[k]);
      CHECK_MESSAGE(d <= (is_floating(t) ? 1e-5 : 0), text << ", result " << k << ": " << d);
    }
  }
}

struct Outcome {
  Results results;
  std::string error;
};
// Errors name a kernel of the device, argmax_cpu or argmax_cuda: replace it by the CPU's name before
// comparing.
Outcome outcome_of(const OpRow& row, const Tensors& x, Device device) {
  try {
    return {results_of(row, x, device, false), ""};
  } catch (const Error& e) {
    std::string text = e.what();
    if (const size_t at = text.find("_cuda\""); at != std::string::npos) text.replace(at, 5, "_cpu");
    return {{}, text};
  }
}

void compare_narrow(OpRow row, const std::vector<Dims>& shapes, Layout layout, DType dtype,
                    DTypeCount& count) {
  Tensors x;
  for (const Tensor& t : sample_inputs(row, shapes, layout))
    x.push_back(to(is_floating(dtype) ? t : round(t * 3.0), dtype));
  row.gradient = row.gradient && is_floating(dtype);
  std::string text = fmt::format("{} of {}", row.name, dtype_name(dtype));
  for (const Dims& shape : shapes) text += " " + to_string(shape);
  Outcome cpu = outcome_of(row, x, kCpu), gpu = outcome_of(row, x, kGpu);
  CHECK_MESSAGE(gpu.error == cpu.error, text);
  if (!cpu.error.empty() || !gpu.error.empty()) return void(++count.refused);
  ++count.samples;
  if (row.function() == "topk" && !is_floating(dtype))  // topk may name any of equal numbers
    cpu.results.values.resize(1), gpu.results.values.resize(1);
  compare(gpu.results.values, cpu.results.values, is_rounded_before(row), text, count);
  compare(gpu.results.gradients, cpu.results.gradients, is_rounded_before(row), text + ", gradient", count);
}

}  // namespace

TEST_CASE("every op in every dtype on a GPU") {
  if (!has_gpu()) return;
  std::array<DTypeCount, std::size(kAllDTypes)> counts;
  for (const DType dtype : kAllDTypes) {
    if (dtype == float32 || dtype == float64) continue;
    for (const OpRow& row : op_table())
      for (const auto& shapes : row.shapes)
        for (const Layout layout : {Layout::Contiguous, Layout::Transposed})
          if (has_layout(shapes, layout)) compare_narrow(row, shapes, layout, dtype, counts[size_t(dtype)]);
  }
  std::string text;
  for (const DType dtype : kAllDTypes)
    if (const DTypeCount& c = counts[size_t(dtype)]; c.samples > 0) {
      text += fmt::format("; {} {} samples, {} refused", dtype_name(dtype), c.samples, c.refused);
      if (is_floating(dtype))
        text += fmt::format(", {} numbers the same, {} apart by {:.3g} units at most ({})", c.same, c.apart,
                            c.units, c.where);
    }
  MESSAGE("cuda: " << text.substr(2));
}

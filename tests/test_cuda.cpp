// The op table on a GPU: compares every row's values and first and second derivatives with the CPU's. Skipped
// without a GPU, real or emulated.
#include <cstdlib>
#include <sstream>

#include "two_devices.h"

using namespace glassgrad;
using namespace testing;

namespace {

// GLASSGRAD_TEST_OPS=softmax,sum: only the rows whose names begin with one of these.
bool is_wanted(const std::string& name) {
  const char* const set = std::getenv("GLASSGRAD_TEST_OPS");
  if (!set) return true;
  std::istringstream names(set);
  for (std::string prefix; std::getline(names, prefix, ',');)
    if (name.starts_with(prefix)) return true;
  return false;
}

}  // namespace

TEST_CASE("every op and its gradients on a GPU") {
  if (!has_gpu()) return;
  Worst worst32, worst64;
  for (const OpRow& row : op_table())
    for (const auto& shapes : row.shapes)
      for (const Layout layout : kLayouts) {
        if (!has_layout(shapes, layout) || !is_wanted(row.name)) continue;
        const Tensors wide = sample_inputs(row, shapes, layout);
        Tensors narrow;
        for (const Tensor& t : wide) narrow.push_back(to(t, float32));
        compare_devices(row, wide, worst64);
        compare_devices(row, narrow, worst32);
      }
  MESSAGE(fmt::format(
      "cuda: {} rows on {}: float32 {} samples, worst {:.1e} ({}); float64 {} samples, worst {:.1e} ({})",
      op_table().size(), to_string(kGpu), worst32.compared, worst32.difference, worst32.where,
      worst64.compared, worst64.difference, worst64.where));
}

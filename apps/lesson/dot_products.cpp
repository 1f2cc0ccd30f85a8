#include "apps/lesson/dot_products.h"

#include <cmath>

#include "engine/ops.h"

namespace glassgrad::learn {

DotProductVariances dot_product_variances(std::span<const int64_t> widths, uint64_t seed) {
  constexpr int64_t kSamples = 2000;
  Generator g(seed);
  std::vector<Tensor> raw, scaled;
  for (const int64_t width : widths) {
    const Tensor products = randn({kSamples, width}, float32, g) * randn({kSamples, width}, float32, g);
    const Tensor dots = sum(products, {-1});
    raw.push_back(var(dots));
    scaled.push_back(var(dots / std::pow(double(width), 0.5)));
  }
  return {stack(raw, 0), stack(scaled, 0)};
}

}  // namespace glassgrad::learn

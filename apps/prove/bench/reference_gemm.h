// Matrix products of other libraries, if they are installed: loaded on request, never linked.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace glassgrad::bench {

// y = a·b for row-major (m,k)·(k,n); a `turned` operand is stored as its transpose.
struct Product {
  int64_t m, k, n;
  bool a_turned = false, b_turned = false;
  int64_t batches = 1;  // number of products, one call each
  double flops() const { return 2.0 * double(m) * double(k) * double(n) * double(batches); }
};

struct ReferenceGemm {
  const char* name;  // "openblas", "onednn"
  void (*product)(const Product& p, const float* a, const float* b, float* y);
};
// Returns the libraries that can be loaded, set to this number of threads.
std::vector<ReferenceGemm> reference_gemms(int threads);

}  // namespace glassgrad::bench

// Other libraries' matrix products, where they are installed: loaded when asked for, never linked.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace glassgrad::bench {

// y = a·b for row-major (m,k)·(k,n); a turned operand lies in memory as its transpose.
struct Product {
  int64_t m, k, n;
  bool a_turned = false, b_turned = false;
  int64_t batches = 1;  // of which each is a call of its own
  double flops() const { return 2.0 * double(m) * double(k) * double(n) * double(batches); }
};

struct Yardstick {
  const char* name;  // "openblas", "onednn"
  void (*product)(const Product& p, const float* a, const float* b, float* y);
};
// Those that can be loaded, using so many threads.
std::vector<Yardstick> yardsticks(int threads);

}  // namespace glassgrad::bench

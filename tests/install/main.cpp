// Uses glassgrad as any project would: d(Σ x²)/dx = 2x.
#include <engine/ops.h>

#include <cstdio>

int main() {
  using namespace glassgrad;
  const Tensor x = from_values(std::vector<double>{1, 2, 3}, Dims{3});
  x.requires_grad_();
  sum(x * x).backward();
  const bool right = x.grad().to_vector<double>() == std::vector<double>{2, 4, 6};
  std::puts(right ? "gradient 2x" : "wrong gradient");
  return right ? 0 : 1;
}

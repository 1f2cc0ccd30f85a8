#include "nn/functional.h"

#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::nn::functional {

double dropout_probability(double p) {
  check<ValueError>(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got {}",
                    python_float(p));
  return p;
}

Tensor dropout(const Tensor& x, double p, bool training, Generator& g) {
  dropout_probability(p);
  if (p == 0 || !training || x.numel() == 0) return x;
  const Scope scope("dropout");
  if (p == 1) return x * zeros({}, x.dtype());
  const Tensor mask = empty_like(x);
  bernoulli_(mask, 1 - p, g);
  div_(mask, 1 - p);
  return x * mask;
}

}  // namespace glassgrad::nn::functional

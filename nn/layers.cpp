#include "nn/layers.h"

#include <cmath>

#include "engine/ops.h"
#include "engine/print.h"
#include "nn/functional.h"
#include "nn/init.h"

namespace glassgrad::nn {

Linear::Linear(int64_t in_features, int64_t out_features, bool with_bias)
    : Module("Linear"), weight(empty({out_features, in_features})) {
  register_parameter("weight", weight);
  register_parameter("bias", bias);
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!with_bias) return;
  bias = Parameter(empty({out_features}));
  const double bound = in_features > 0 ? 1 / std::sqrt(double(in_features)) : 0;
  init::uniform_(bias, -bound, bound);
}

Tensor Linear::forward(const Tensor& x) const { return linear(x, weight, bias); }

std::string Linear::extra_repr() const {
  return fmt::format("in_features={}, out_features={}, bias={}", weight.size(1), weight.size(0),
                     bias ? "True" : "False");
}

Dropout::Dropout(double p) : Module("Dropout"), p_(functional::dropout_probability(p)) {}

Tensor Dropout::forward(const Tensor& x) const { return functional::dropout(x, p_, training()); }

std::string Dropout::extra_repr() const { return fmt::format("p={}, inplace=False", python_float(p_)); }

}  // namespace glassgrad::nn

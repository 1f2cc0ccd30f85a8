// The layers (torch.nn classes of the same names, arguments and defaults).
#pragma once
#include "nn/module.h"

namespace glassgrad::nn {

// y = x·weightᵀ + bias:  (…, in_features) → (…, out_features).
// weight (out_features, in_features), bias (out_features); both are drawn from U(−1/√in_features,
// 1/√in_features), the weight first. Error `mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)`.
class Linear : public Module {
 public:
  Linear(int64_t in_features, int64_t out_features, bool with_bias = true);
  Tensor forward(const Tensor& x) const override;

  Parameter weight, bias;  // bias is undefined if there is none

 protected:
  std::string extra_repr() const override;
};

// functional::dropout in training, x itself in evaluation. ValueError for p outside [0, 1], when built.
class Dropout : public Module {
 public:
  explicit Dropout(double p = 0.5);
  Tensor forward(const Tensor& x) const override;
  double p() const { return p_; }

 protected:
  std::string extra_repr() const override;

 private:
  double p_;
};

}  // namespace glassgrad::nn

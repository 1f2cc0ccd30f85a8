// The layers (torch.nn classes of the same names, arguments and defaults).
#pragma once
#include "engine/ops.h"
#include "nn/module.h"

namespace glassgrad::nn {

// y = x·weightᵀ + bias:  (…, in_features) → (…, out_features). weight (out_features, in_features), bias
// (out_features); both are drawn from U(−1/√in_features, 1/√in_features), the weight first. Throws Error
// `mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)`.
class Linear : public Module {
 public:
  Linear(int64_t in_features, int64_t out_features, bool with_bias = true);
  Tensor forward(const Tensor& x) const override;

  Parameter weight, bias;  // bias is undefined if there is none

 protected:
  std::string extra_repr() const override;
};

// functional::dropout in training, x itself in evaluation. The constructor throws ValueError for p outside
// [0, 1].
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

// Row indices[…] of weight: int64 (…) → (…, embedding_dim). weight (num_embeddings, embedding_dim) is drawn
// from N(0, 1); row padding_idx is then set to 0 and gets no gradient. Throws IndexError `index out of range
// in self`, AssertionError `Padding_idx must be within num_embeddings`.
class Embedding : public Module {
 public:
  Embedding(int64_t num_embeddings, int64_t embedding_dim, std::optional<int64_t> padding_idx = {});
  Tensor forward(const Tensor& indices) const override;

  Parameter weight;

 protected:
  std::string extra_repr() const override;

 private:
  std::optional<int64_t> padding_idx_;  // not negative
};

// The residual stream x of a transformer, and a branch that is not yet added to it: the next norm adds it in
// the same pass. An undefined branch means none.
struct Stream {
  Tensor x, branch;
};

// A norm of the residual stream's rows: any (…, normalized_shape) → the same shape.
class StreamNorm : public Module {
 public:
  // forward, for a result that goes into a product that autocast lowers. May round to the half dtype in the
  // same pass.
  virtual Tensor lowered(const Tensor& x) const { return (*this)(x); }
  // Adds the stream's branch and normalizes the sum; names both results in the trace.
  virtual SumAndNormed lowered(const Stream& stream) const;

 protected:
  using Module::Module;
};

// layer_norm over the last dimensions, which are normalized_shape: any (…, normalized_shape) → the same
// shape. weight of ones, bias of zeros, both of normalized_shape; both undefined without elementwise_affine,
// bias also without with_bias. Throws Error `Given normalized_shape=[5], expected input with shape [*, 5],
// but got input of size[2, 4]`.
class LayerNorm : public StreamNorm {
 public:
  explicit LayerNorm(const Dims& normalized_shape, double eps = 1e-5, bool elementwise_affine = true,
                     bool with_bias = true);
  Tensor forward(const Tensor& x) const override;
  Tensor lowered(const Tensor& x) const override;
  SumAndNormed lowered(const Stream& stream) const override;

  Parameter weight, bias;

 protected:
  std::string extra_repr() const override;

 private:
  Dims normalized_shape_;
  double eps_;
};

// functional::rms_norm over the last dimensions, which are normalized_shape; weight of ones. A shape that
// does not broadcast throws the broadcasting Error.
class RMSNorm : public StreamNorm {
 public:
  explicit RMSNorm(const Dims& normalized_shape, double eps = 1e-5);
  Tensor forward(const Tensor& x) const override;

  Parameter weight;

 protected:
  std::string extra_repr() const override;

 private:
  Dims normalized_shape_;
  double eps_;
};

// ---- activations: a function at each element, any shape
template <Tensor (*function)(const Tensor&)>
class Activation : public Module {
 public:
  Tensor forward(const Tensor& x) const override { return function(x); }

 protected:
  using Module::Module;
};
struct ReLU : Activation<relu> {
  ReLU() : Activation("ReLU") {}
};
struct Tanh : Activation<tanh> {
  Tanh() : Activation("Tanh") {}
};
struct Sigmoid : Activation<sigmoid> {
  Sigmoid() : Activation("Sigmoid") {}
};
struct SiLU : Activation<silu> {
  SiLU() : Activation("SiLU") {}
};

// approximate: "none" or "tanh". The call throws Error `approximate argument must be either none or tanh.`
class GELU : public Module {
 public:
  explicit GELU(std::string approximate = "none") : Module("GELU"), approximate_(std::move(approximate)) {}
  Tensor forward(const Tensor& x) const override { return gelu(x, approximate_); }
  const std::string& approximate() const { return approximate_; }

 protected:
  std::string extra_repr() const override;

 private:
  std::string approximate_;
};

class LeakyReLU : public Module {
 public:
  explicit LeakyReLU(double negative_slope = 0.01) : Module("LeakyReLU"), negative_slope_(negative_slope) {}
  Tensor forward(const Tensor& x) const override { return leaky_relu(x, negative_slope_); }

 protected:
  std::string extra_repr() const override;

 private:
  double negative_slope_;
};

// The softmax over one dimension.
class Softmax : public Module {
 public:
  explicit Softmax(int64_t dim) : Module("Softmax"), dim_(dim) {}
  Tensor forward(const Tensor& x) const override { return softmax(x, dim_); }

 protected:
  std::string extra_repr() const override;

 private:
  int64_t dim_;
};

// Returns its input.
struct Identity : Module {
  Identity() : Module("Identity") {}
  Tensor forward(const Tensor& x) const override { return x; }
};

}  // namespace glassgrad::nn

#include "nn/layers.h"

#include <algorithm>
#include <cmath>
#include <typeinfo>

#include "engine/autocast.h"
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

// ---- Embedding
namespace {

std::optional<int64_t> padding_row(std::optional<int64_t> padding_idx, int64_t num_embeddings) {
  if (!padding_idx) return {};
  check<AssertionError>(*padding_idx >= -num_embeddings && *padding_idx < num_embeddings,
                        "Padding_idx must be within num_embeddings");
  return *padding_idx < 0 ? *padding_idx + num_embeddings : *padding_idx;
}

}  // namespace

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, std::optional<int64_t> padding_idx)
    : Module("Embedding"),
      weight(empty({num_embeddings, embedding_dim})),
      padding_idx_(padding_row(padding_idx, num_embeddings)) {
  register_parameter("weight", weight);
  init::normal_(weight);
  if (padding_idx_) init::constant_(weight.data()[*padding_idx_], 0);
}

Tensor Embedding::forward(const Tensor& indices) const { return embedding(weight, indices, padding_idx_); }

std::string Embedding::extra_repr() const {
  const std::string sizes = fmt::format("{}, {}", weight.size(0), weight.size(1));
  return padding_idx_ ? fmt::format("{}, padding_idx={}", sizes, *padding_idx_) : sizes;
}

// ---- norms
namespace {

// "(64,), eps=1e-05, elementwise_affine=True".
std::string norm_repr(const Dims& normalized_shape, double eps, bool elementwise_affine) {
  std::string sizes;
  for (const int64_t size : normalized_shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  if (normalized_shape.n == 1) sizes += ",";
  return fmt::format("({}), eps={}, elementwise_affine={}", sizes, python_float(eps),
                     elementwise_affine ? "True" : "False");
}

}  // namespace

SumAndNormed StreamNorm::lowered(const Stream& stream) const {
  const auto& [x, branch] = stream;
  const Tensor sum = branch ? named(x + branch, "x") : x;
  return {sum, named(lowered(sum), "normed")};
}

LayerNorm::LayerNorm(const Dims& normalized_shape, double eps, bool elementwise_affine, bool with_bias)
    : StreamNorm("LayerNorm"), normalized_shape_(normalized_shape), eps_(eps) {
  register_parameter("weight", weight);
  register_parameter("bias", bias);
  if (!elementwise_affine) return;
  weight = Parameter(init::constant_(empty(normalized_shape), 1));
  if (with_bias) bias = Parameter(init::constant_(empty(normalized_shape), 0));
}

Tensor LayerNorm::forward(const Tensor& x) const {
  return layer_norm(x, normalized_shape_, weight, bias, eps_);
}

Tensor LayerNorm::lowered(const Tensor& x) const {
  if (steps_are_watched() || !lowers({&x})) return (*this)(x);
  return layer_norm(x, normalized_shape_, weight, bias, eps_, autocast_dtype(x.device().type));
}

SumAndNormed LayerNorm::lowered(const Stream& stream) const {
  const auto& [x, branch] = stream;
  if (branch && !watching && lowers({&x}))
    return add_layer_norm(x, branch, normalized_shape_, weight, bias, eps_);
  return StreamNorm::lowered(stream);
}

std::string LayerNorm::extra_repr() const { return norm_repr(normalized_shape_, eps_, bool(weight)); }

RMSNorm::RMSNorm(const Dims& normalized_shape, double eps)
    : StreamNorm("RMSNorm"), normalized_shape_(normalized_shape), eps_(eps) {
  register_parameter("weight", weight);
  weight = Parameter(init::constant_(empty(normalized_shape), 1));
}

Tensor RMSNorm::forward(const Tensor& x) const {
  return functional::rms_norm(x, normalized_shape_, weight, eps_);
}

std::string RMSNorm::extra_repr() const { return norm_repr(normalized_shape_, eps_, true); }

// ---- Sequential
Tensor Sequential::forward(const Tensor& x) const {
  Tensor y = x;
  for (size_t i = 0; i < size(); ++i) {
    const Module &module = *modules_[i], &next = *modules_[std::min(i + 1, size() - 1)];
    const bool is_one_op = typeid(module) == typeid(Linear) && typeid(next) == typeid(GELU);
    if (is_one_op && !steps_are_watched()) {
      const auto& layer = static_cast<const Linear&>(module);
      y = linear_gelu(y, layer.weight, layer.bias, static_cast<const GELU&>(next).approximate());
      ++i;
    } else {
      y = named(module(y), "x");
    }
  }
  return y;
}

// ---- activations
std::string GELU::extra_repr() const { return fmt::format("approximate='{}'", approximate_); }
std::string LeakyReLU::extra_repr() const {
  return fmt::format("negative_slope={}", python_float(negative_slope_));
}
std::string Softmax::extra_repr() const { return fmt::format("dim={}", dim_); }

}  // namespace glassgrad::nn

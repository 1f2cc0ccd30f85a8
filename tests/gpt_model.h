// Models for the tests of GPT, and independent ways to compute some of their numbers.
#pragma once
#include <unordered_set>

#include "engine/graph.h"
#include "nn/gpt.h"

namespace testing {

using glassgrad::Tensor;
using glassgrad::nn::GPT, glassgrad::nn::GPTConfig;

// Returns a configuration for each part that is not GPT-2's, and one with all of these parts.
inline std::vector<GPTConfig> config_variants(const GPTConfig& plain) {
  using glassgrad::nn::Mlp, glassgrad::nn::Norm, glassgrad::nn::Positions;
  std::vector<GPTConfig> kinds(7, plain);
  kinds[0].norm = Norm::Rms;
  kinds[1].positions = Positions::Rope;
  kinds[2].positions = Positions::Sinusoid;
  kinds[3].mlp = Mlp::SwiGlu;
  kinds[4].kv_heads = plain.heads / 2;
  kinds[5].window = plain.context_length / 3;
  GPTConfig& all = kinds[6];
  all.norm = Norm::Rms, all.positions = Positions::Rope, all.mlp = Mlp::SwiGlu;
  all.kv_heads = 1, all.window = plain.context_length / 4, all.bias = false;
  return kinds;
}

// A model in eval mode, with weights large enough that logits differ.
struct Model : GPT {
  explicit Model(const GPTConfig& config, double scale = 4) : GPT((glassgrad::manual_seed(5), config)) {
    eval();
    const glassgrad::NoGrad no_grad;
    for (const Tensor& p : parameters())
      if (p.dim() == 2) glassgrad::mul_(p, scale);
  }
};

inline Tensor row(const std::vector<int64_t>& tokens) {
  return glassgrad::from_values(tokens, {1, static_cast<int64_t>(tokens.size())});
}

// Returns the logits after the last tokens that fit into the context, without a cache.
inline Tensor logits_without_cache(const GPT& model, const std::vector<int64_t>& tokens) {
  const glassgrad::NoGrad no_grad;
  const int64_t context = model.config().context_length, n = std::ssize(tokens);
  const std::vector<int64_t> last(tokens.end() - std::min(n, context), tokens.end());
  return model(row(last))[0][-1];
}

inline int64_t parameter_count(const glassgrad::nn::Module& model) {
  int64_t n = 0;
  for (const Tensor& p : model.parameters()) n += p.numel();
  return n;
}

// Returns the bytes of all that the graph of x has saved, without the model's own tensors.
inline double saved_bytes(const Tensor& x, const glassgrad::nn::Module& model) {
  std::unordered_set<const glassgrad::Storage*> storages;
  for (const glassgrad::NamedTensor& t : model.state_dict()) storages.insert(t.tensor->storage.get());
  std::unordered_set<const glassgrad::Node*> seen;
  std::vector<const glassgrad::Node*> open{grad_fn(x).get()};
  double bytes = 0;
  while (!open.empty()) {
    const glassgrad::Node* node = open.back();
    open.pop_back();
    if (!node || !seen.insert(node).second) continue;
    for (const glassgrad::Edge& edge : node->inputs()) open.push_back(edge.node.get());
    for (int i = 0; i < node->n_saved; ++i)
      if (const glassgrad::Ref<glassgrad::Impl>& data = node->saved[i].data;
          data && storages.insert(data->storage.get()).second)
        bytes += double(data->storage->bytes);
  }
  return bytes;
}

}  // namespace testing

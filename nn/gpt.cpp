#include "nn/gpt.h"

#include <cmath>

#include "engine/autocast.h"
#include "engine/matmul_precision.h"
#include "nn/init.h"

namespace glassgrad::nn {

// ---- CachedAttention
CachedAttention::CachedAttention(const GPTConfig& config)
    : QkvModule("MultiHeadAttention", config.width, config.width, config.bias),
      out_proj(config.width, config.width),
      dropout(config.dropout),
      heads_(config.heads),
      context_length_(config.context_length) {
  register_module("out_proj", out_proj);
  register_module("dropout", dropout);
}

Tensor CachedAttention::forward(const Tensor& x) const {
  const auto [queries, keys, values] = project_heads(x, heads_);  // (b, heads, T, head_dim) each
  if (!training() || dropout.p() == 0)
    return joined(scaled_dot_product_attention(queries, keys, values, {}, true));
  const Tensor future = named(glassgrad::to(future_mask(x.size(1)), x.device()), "mask_bool");  // (T, T)
  return joined(attention(queries, keys.transpose(2, 3), values, future, &dropout));
}

Tensor CachedAttention::joined(const Tensor& context_vec) const {
  const Tensor combined = combine_heads(named(context_vec, "context_vec"), "context_vec");  // (b, T, width)
  return named(out_proj(combined), "context_vec");
}

Tensor CachedAttention::step(const Tensor& x, AttentionCache& cache, int64_t past) const {
  const Traced call(*this);
  const auto [queries, keys, values] = project_heads(x, heads_);  // (1, heads, t, head_dim) each
  const int64_t t = x.size(1), total = past + t;
  if (!cache.keys) {
    const Dims room{1, keys.size(1), context_length_, keys.size(3)};
    cache = {zeros(room, x.dtype(), x.device()), zeros(room, x.dtype(), x.device())};
  }
  copy_(cache.keys.narrow(2, past, t), keys);
  copy_(cache.values.narrow(2, past, t), values);
  const Tensor all_keys = named(cache.keys.narrow(2, 0, total), "keys");        // (1, heads, total, head_dim)
  const Tensor all_values = named(cache.values.narrow(2, 0, total), "values");  // (1, heads, total, head_dim)
  Tensor seen;                                                                  // the last token sees all
  if (t > 1) seen = glassgrad::to(~future_mask(total).slice(0, past, {}), x.device());  // (t, total)
  return joined(scaled_dot_product_attention(queries, all_keys, all_values, seen));
}

// ---- FeedForward
FeedForward::FeedForward(const GPTConfig& config) : Module("FeedForward") {
  layers.emplace_back<Linear>(config.width, 4 * config.width);
  layers.emplace_back<GELU>(config.tanh_gelu ? "tanh" : "none");
  layers.emplace_back<Linear>(4 * config.width, config.width);
  register_module("layers", layers);
}

Tensor FeedForward::forward(const Tensor& x) const { return layers(x); }

// ---- TransformerBlock
TransformerBlock::TransformerBlock(const GPTConfig& config)
    : Module("TransformerBlock"),
      att(config),
      ff(config),
      norm1(config.width),
      norm2(config.width),
      drop_shortcut(config.dropout) {
  register_module("att", att);
  register_module("ff", ff);
  register_module("norm1", norm1);
  register_module("norm2", norm2);
  register_module("drop_shortcut", drop_shortcut);
}

// A branch is added at once where somebody watches, else by the next layer norm.
namespace {

Stream with(const Tensor& x, const Tensor& branch) {
  if (watching || autocast_dtype(x.device().type) == float32) return {named(x + branch, "x"), {}};
  return {x, branch};
}

}  // namespace

template <class Attend>
Stream TransformerBlock::residuals(const Stream& stream, Attend attend) const {
  const auto [x, normed] = norm1.lowered(stream);                            // (b, T, width) each
  const Tensor attended = named(drop_shortcut(attend(normed)), "attended");  // (b, T, width)
  const auto [middle, normed_middle] = norm2.lowered(with(x, attended));     // (b, T, width) each
  const Tensor fed = named(drop_shortcut(ff(normed_middle)), "fed");         // (b, T, width)
  return with(middle, fed);
}

Stream TransformerBlock::forward(const Stream& stream) const {
  return residuals(stream, [&](const Tensor& normed) { return att(normed); });
}
Tensor TransformerBlock::forward(const Tensor& x) const {
  const auto [sum, branch] = forward(Stream{x, {}});
  return branch ? sum + branch : sum;
}

Tensor TransformerBlock::step(const Tensor& x, AttentionCache& cache, int64_t past) const {
  const Traced call(*this);
  const auto [sum, branch] =
      residuals({x, {}}, [&](const Tensor& normed) { return att.step(normed, cache, past); });
  return branch ? sum + branch : sum;
}

// ---- GPT
namespace {

const GPTConfig& checked(const GPTConfig& config) {
  config.check();
  return config;
}

}  // namespace

GPT::GPT(const GPTConfig& config)
    : Module("GPT"),
      tok_emb(checked(config).vocab_size, config.width),
      pos_emb(config.context_length, config.width),
      drop_emb(config.dropout),
      trf_blocks(config.layers, config),
      final_norm(config.width),
      out_head(config.width, config.vocab_size, false),
      config_(config) {
  if (config.tie_weights) out_head.weight = tok_emb.weight;
  register_module("tok_emb", tok_emb);
  register_module("pos_emb", pos_emb);
  register_module("drop_emb", drop_emb);
  register_module("trf_blocks", trf_blocks);
  register_module("final_norm", final_norm);
  register_module("out_head", out_head);
  draw_weights();
}

void GPT::draw_weights() {
  constexpr double kStd = 0.02;
  const double residual_std = kStd / std::sqrt(2 * double(config_.layers));
  for (const auto& [name, p] : named_parameters()) {
    const bool adds_to_stream = name.ends_with("out_proj.weight") || name.ends_with("layers.2.weight");
    if (name.ends_with("bias"))
      init::constant_(p, 0);
    else if (p.dim() == 2)  // norms keep their ones
      init::normal_(p, 0, adds_to_stream ? residual_std : kStd);
  }
}

Tensor GPT::embed(const Tensor& tokens, int64_t past) const {
  const DefaultDevice here(tokens.device());
  const Tensor tok_embeds = named(tok_emb(tokens), "tok_embeds");  // (b, T, width)
  const Tensor pos_embeds = named(pos_emb(arange(past, past + tokens.size(1))), "pos_embeds");  // (T, width)
  return named(drop_emb(named(tok_embeds + pos_embeds, "x")), "x");  // (b, T, width)
}

Tensor GPT::forward(const Tensor& tokens) const {
  check<ValueError>(tokens.dim() == 2, "GPT: tokens must have the shape (b, T), but have {}", tokens.shape());
  check<ValueError>(
      tokens.size(1) <= config_.context_length,
      "GPT: {} tokens are more than the context of {}; give the last {}, or train a model with a longer "
      "context_length",
      tokens.size(1), config_.context_length, config_.context_length);
  const bool lowers_weights = !watching && lowers({&out_head.weight});
  const LoweredTogether weights(lowers_weights ? weights_of_products() : std::vector<std::vector<Tensor>>());
  Stream stream{embed(tokens), {}};  // (b, T, width)
  for (const auto& block : trf_blocks)
    stream = watching ? Stream{named((*block)(stream.x), "x"), {}} : block->forward(stream);
  return named(scores(final_norm.lowered(stream).normed), "logits");  // (b, T, vocab_size)
}

std::vector<std::vector<Tensor>> GPT::weights_of_products() const {
  std::vector<std::vector<Tensor>> all{{out_head.weight}};
  const auto add = [&](std::initializer_list<const Linear*> layers) {
    std::vector<Tensor> weights, biases;
    for (const Linear* layer : layers) {
      weights.push_back(layer->weight);
      if (layer->bias) biases.push_back(layer->bias);
    }
    all.push_back(weights);
    if (!biases.empty()) all.push_back(biases);
  };
  for (const auto& block : trf_blocks) {
    add({&block->att.W_query, &block->att.W_key, &block->att.W_value});
    add({&block->att.out_proj});
    for (const size_t i : {size_t{0}, size_t{2}}) add({static_cast<const Linear*>(&block->ff.layers[i])});
  }
  return all;
}

Tensor GPT::scores(const Tensor& x) const {
  const bool on_tensor_cores =
      x.device() != kCpu && (lowers({&out_head.weight}) || matmul_precision() == MatmulPrecision::tf32);
  const int64_t more = -config_.vocab_size & 63;
  if (!on_tensor_cores || more == 0 || steps_are_watched()) return out_head(x);
  const Tensor weight = pad(lowered(out_head.weight), {0, 0, 0, more});
  return linear(x, weight).narrow(-1, 0, config_.vocab_size);
}

Tensor GPT::step(const Tensor& tokens, KvCache& cache) const {
  const NoGrad no_grad;
  const Traced call(*this);
  check<ValueError>(tokens.dim() == 2 && tokens.size(0) == 1 && tokens.size(1) > 0 && tokens.dtype() == int64,
                    "GPT: a step takes int64 tokens of the shape (1, t), but they have {}", tokens.shape());
  if (cache.layers.empty()) cache.layers.resize(trf_blocks.size());
  check<ValueError>(cache.layers.size() == trf_blocks.size(),
                    "GPT: the cache is that of a model of {} layers, this one has {}", cache.layers.size(),
                    trf_blocks.size());
  std::vector<int64_t> seen = cache.tokens;
  const std::vector<int64_t> added = tokens.to_vector<int64_t>();
  seen.insert(seen.end(), added.begin(), added.end());
  Tensor fresh = tokens;
  if (const int64_t context = config_.context_length; std::ssize(seen) > context) {
    seen.erase(seen.begin(), seen.end() - context);
    const DefaultDevice here(tokens.device());
    fresh = from_values(seen, {1, context});
    cache.tokens.clear();  // every position changes
  }
  const int64_t past = std::ssize(cache.tokens);
  Tensor x = embed(fresh, past);  // (1, t, width)
  for (size_t i = 0; i < trf_blocks.size(); ++i) x = named(trf_blocks[i].step(x, cache.layers[i], past), "x");
  x = named(final_norm.lowered(x.select(1, -1)), "normed");  // (1, width)
  cache.tokens = std::move(seen);
  return named(scores(x)[0], "logits");  // (vocab_size)
}

}  // namespace glassgrad::nn

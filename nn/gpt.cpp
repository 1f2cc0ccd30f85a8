#include "nn/gpt.h"

#include <cmath>

#include "engine/autocast.h"
#include "engine/matmul_precision.h"
#include "nn/init.h"

namespace glassgrad::nn {

// ---- CachedAttention
CachedAttention::CachedAttention(const GPTConfig& config)
    : QkvModule("MultiHeadAttention", config.width, config.width, config.key_heads() * config.head_dim(),
                config.bias, {}),
      out_proj(config.width, config.width),
      dropout(config.dropout),
      heads_(config.heads),
      key_heads_(config.key_heads()),
      cache_rows_(config.cache_rows()),
      window_(config.window),
      turns_(config.positions == Positions::Rope) {
  register_module("out_proj", out_proj);
  register_module("dropout", dropout);
}

QkvModule::Projected CachedAttention::heads_at(const Tensor& x, int64_t first) const {
  Projected heads = project_heads(x, heads_, key_heads_);
  if (!turns_) return heads;
  const DefaultDevice here(x.device());
  const auto [cos, sin] =
      rope_tables(first, x.size(1), heads.keys.size(-1), x.dtype());  // (T, head_dim) each
  const RopeTables by{named(cos, "cos"), named(sin, "sin")};
  heads.keys = named(apply_rope(heads.keys, by), "rotated_keys");           // (b, key_heads, T, head_dim)
  heads.queries = named(apply_rope(heads.queries, by), "rotated_queries");  // (b, heads, T, head_dim)
  return heads;
}

Tensor CachedAttention::for_each_query(const Tensor& x) const {
  if (key_heads_ == heads_) return x;
  const int64_t b = x.size(0), group = heads_ / key_heads_, tokens = x.size(2), head_dim = x.size(3);
  return x.unsqueeze(2)
      .expand({b, key_heads_, group, tokens, head_dim})
      .reshape({b, heads_, tokens, head_dim});
}

Tensor CachedAttention::hidden_keys(int64_t tokens, Device device) const {
  const DefaultDevice here(device);
  const bool is_cut = window_ > 0 && window_ < tokens;
  return named(is_cut ? window_mask(tokens, window_) : future_mask(tokens), "mask_bool");
}

Tensor CachedAttention::forward(const Tensor& x) const {
  const auto [queries, own_keys, own_values] = heads_at(x, 0);
  const Tensor keys = for_each_query(own_keys), values = for_each_query(own_values);
  const int64_t tokens = x.size(1);
  if (training() && dropout.p() > 0)
    return joined(
        attention(queries, keys.transpose(2, 3), values, hidden_keys(tokens, x.device()), &dropout));
  if (window_ == 0 || window_ >= tokens)
    return joined(scaled_dot_product_attention(queries, keys, values, {}, true));
  return joined(scaled_dot_product_attention(queries, keys, values, ~hidden_keys(tokens, x.device())));
}

Tensor CachedAttention::joined(const Tensor& context_vec) const {
  const Tensor combined = combine_heads(named(context_vec, "context_vec"), "context_vec");  // (b, T, width)
  return named(out_proj(combined), "context_vec");
}

Tensor CachedAttention::step(const Tensor& x, AttentionCache& cache, int64_t past, int64_t first) const {
  const Traced call(*this);
  const auto [queries, keys, values] = heads_at(x, first + past);
  const int64_t t = x.size(1), total = past + t;
  if (!cache.keys) {
    const Dims room{1, keys.size(1), cache_rows_, keys.size(3)};
    cache = {zeros(room, x.dtype(), x.device()), zeros(room, x.dtype(), x.device())};
  }
  copy_(cache.keys.narrow(2, past, t), keys);
  copy_(cache.values.narrow(2, past, t), values);
  const int64_t from = window_ > 0 ? std::max<int64_t>(0, past + 1 - window_) : 0;  // first row that x sees
  const auto rows = [&](const Tensor& all, const char* name) {
    return for_each_query(named(all.narrow(2, from, total - from), name));  // (1, heads, seen, head_dim)
  };
  const Tensor all_keys = rows(cache.keys, "keys"), all_values = rows(cache.values, "values");
  Tensor seen;  // (t, seen); undefined for a single token, which sees all rows
  if (t > 1) seen = ~hidden_keys(total - from, x.device()).slice(0, past - from, {});
  return joined(scaled_dot_product_attention(queries, all_keys, all_values, seen));
}

// ---- FeedForward
FeedForward::FeedForward(const GPTConfig& config) : Module("FeedForward") {
  const int64_t width = config.width, hidden = config.hidden();
  if (config.mlp == Mlp::SwiGlu) {
    register_module("gate", gate.emplace(width, hidden, false));
    register_module("up", up.emplace(width, hidden, false));
    register_module("down", down.emplace(hidden, width, false));
    return;
  }
  layers.emplace_back<Linear>(width, hidden);
  layers.emplace_back<GELU>(config.tanh_gelu ? "tanh" : "none");
  layers.emplace_back<Linear>(hidden, width);
  register_module("layers", layers);
}

Tensor FeedForward::forward(const Tensor& x) const {
  if (!gate) return layers(x);
  const Tensor activated = named(silu(named((*gate)(x), "gate")), "activated");  // (…, hidden)
  return (*down)(named(activated * named((*up)(x), "up"), "gated"));             // (…, width)
}

std::vector<const Linear*> FeedForward::linears() const {
  if (gate) return {&*gate, &*up, &*down};
  return {static_cast<const Linear*>(&layers[0]), static_cast<const Linear*>(&layers[2])};
}

// ---- TransformerBlock
namespace {

std::unique_ptr<StreamNorm> norm_of(const GPTConfig& config) {
  if (config.norm == Norm::Rms) return std::make_unique<RMSNorm>(config.width);
  return std::make_unique<LayerNorm>(config.width);
}

}  // namespace

TransformerBlock::TransformerBlock(const GPTConfig& config)
    : Module("TransformerBlock"),
      att(config),
      ff(config),
      norm1(norm_of(config)),
      norm2(norm_of(config)),
      drop_shortcut(config.dropout) {
  register_module("att", att);
  register_module("ff", ff);
  register_module("norm1", *norm1);
  register_module("norm2", *norm2);
  register_module("drop_shortcut", drop_shortcut);
}

// Adds the branch now if steps are watched or nothing is lowered; otherwise leaves that to the next norm.
namespace {

Stream with(const Tensor& x, const Tensor& branch) {
  if (watching || autocast_dtype(x.device().type) == float32) return {named(x + branch, "x"), {}};
  return {x, branch};
}

}  // namespace

template <class Attend>
Stream TransformerBlock::residuals(const Stream& stream, Attend attend) const {
  const auto [x, normed] = norm1->lowered(stream);                           // (b, T, width) each
  const Tensor attended = named(drop_shortcut(attend(normed)), "attended");  // (b, T, width)
  const auto [middle, normed_middle] = norm2->lowered(with(x, attended));    // (b, T, width) each
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

Tensor TransformerBlock::step(const Tensor& x, AttentionCache& cache, int64_t past, int64_t first) const {
  const Traced call(*this);
  const auto [sum, branch] =
      residuals({x, {}}, [&](const Tensor& normed) { return att.step(normed, cache, past, first); });
  return branch ? sum + branch : sum;
}

// ---- GPT
namespace {

const GPTConfig& checked(const GPTConfig& config) {
  config.check();
  return config;
}

std::unique_ptr<Embedding> learned_positions(const GPTConfig& config) {
  if (config.positions != Positions::Learned) return nullptr;
  return std::make_unique<Embedding>(config.context_length, config.width);
}

}  // namespace

GPT::GPT(const GPTConfig& config)
    : Module("GPT"),
      tok_emb(checked(config).vocab_size, config.width),
      pos_emb(learned_positions(config)),
      drop_emb(config.dropout),
      trf_blocks(config.layers, config),
      final_norm(norm_of(config)),
      out_head(config.width, config.vocab_size, false),
      config_(config) {
  if (config.tie_weights) out_head.weight = tok_emb.weight;
  register_module("tok_emb", tok_emb);
  if (pos_emb) register_module("pos_emb", *pos_emb);
  register_module("drop_emb", drop_emb);
  register_module("trf_blocks", trf_blocks);
  register_module("final_norm", *final_norm);
  register_module("out_head", out_head);
  draw_weights();
}

void GPT::draw_weights() {
  constexpr double kStd = 0.02;
  const double residual_std = kStd / std::sqrt(2 * double(config_.layers));
  for (const auto& [name, p] : named_parameters()) {
    const bool adds_to_stream = name.ends_with("out_proj.weight") || name.ends_with("layers.2.weight") ||
                                name.ends_with("down.weight");
    if (name.ends_with("bias"))
      init::constant_(p, 0);
    else if (p.dim() == 2)  // norms keep their ones
      init::normal_(p, 0, adds_to_stream ? residual_std : kStd);
  }
}

Tensor GPT::embed(const Tensor& tokens, int64_t past) const {
  const DefaultDevice here(tokens.device());
  Tensor tok_embeds = named(tok_emb(tokens), "tok_embeds");  // (b, T, width)
  const int64_t n = tokens.size(1), width = config_.width;
  Tensor pos_embeds;  // (T, width)
  switch (config_.positions) {
    case Positions::Rope:
      return named(drop_emb(tok_embeds), "x");
    case Positions::Learned:
      pos_embeds = (*pos_emb)(arange(past, past + n));
      break;
    case Positions::Sinusoid:
      tok_embeds = named(tok_embeds * std::sqrt(double(width)), "scaled_embeds");  // (b, T, width)
      pos_embeds = sinusoids(past, n, width, tok_embeds.dtype());
      break;
  }
  named(pos_embeds, "pos_embeds");
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
  const AutocastCache weights(lowers_weights ? weights_of_products() : std::vector<std::vector<Tensor>>());
  Stream stream{embed(tokens), {}};  // (b, T, width)
  for (const auto& block : trf_blocks)
    stream = watching ? Stream{named((*block)(stream.x), "x"), {}} : block->forward(stream);
  return named(scores(final_norm->lowered(stream).normed), "logits");  // (b, T, vocab_size)
}

std::vector<std::vector<Tensor>> GPT::weights_of_products() const {
  std::vector<std::vector<Tensor>> all{{out_head.weight}};
  const auto add = [&](const std::vector<const Linear*>& layers) {
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
    for (const Linear* layer : block->ff.linears()) add({layer});
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

void KvCache::keep_last(int64_t rows) {
  const int64_t forgotten = std::ssize(tokens) - rows;
  for (const AttentionCache& layer : layers)
    for (const Tensor& all : {layer.keys, layer.values})
      copy_(all.narrow(2, 0, rows), clone(all.narrow(2, forgotten, rows)));  // they may overlap
  tokens.erase(tokens.begin(), tokens.begin() + forgotten);
  first += forgotten;
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
  std::vector<int64_t> read = tokens.to_vector<int64_t>();
  const int64_t context = config_.context_length, rows = config_.cache_rows();
  const DefaultDevice here(tokens.device());
  std::vector<int64_t> before = cache.tokens;
  if (!config_.slides() && std::ssize(before) + std::ssize(read) > context) {
    read.insert(read.begin(), before.begin(), before.end());
    read.erase(read.begin(), read.end() - context);
    before.clear();
  }
  const Tensor x = embed(from_values(read, {1, std::ssize(read)}), std::ssize(before));  // (1, t, width)
  cache.tokens = std::move(before);                                // from here on, no user input can fail
  const int64_t kept = config_.slides() ? config_.window - 1 : 0;  // rows that the next token sees
  Tensor last;                                                     // (1, piece, width)
  for (int64_t at = 0; at < x.size(1);) {
    const int64_t piece = std::min(x.size(1) - at, rows - kept);
    if (std::ssize(cache.tokens) + piece > rows) cache.keep_last(kept);
    last = x.narrow(1, at, piece);
    const int64_t past = std::ssize(cache.tokens);
    for (size_t i = 0; i < trf_blocks.size(); ++i)
      last = named(trf_blocks[i].step(last, cache.layers[i], past, cache.first), "x");
    cache.tokens.insert(cache.tokens.end(), read.begin() + at, read.begin() + at + piece);
    at += piece;
  }
  last = named(final_norm->lowered(last.select(1, -1)), "normed");  // (1, width)
  return named(scores(last)[0], "logits");                          // (vocab_size)
}

}  // namespace glassgrad::nn

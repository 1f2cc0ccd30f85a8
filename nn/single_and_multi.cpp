#include "nn/single_and_multi.h"

#include <cmath>

#include "engine/ops.h"
#include "nn/functional.h"

namespace glassgrad::nn::single_and_multi {
namespace {

// Returns the causal mask on x's device.
Tensor future(int64_t num_tokens, const Tensor& x) {
  const DefaultDevice here(x.device());
  return named(future_mask(num_tokens), "mask");
}

int64_t checked_d_model(int64_t d_model, int64_t num_heads) {
  check<AssertionError>(num_heads > 0 && d_model % num_heads == 0, "");
  return d_model;
}

}  // namespace

// ---- attention
SingleHeadAttention::SingleHeadAttention(int64_t d_model)
    : QkvModule("SingleHeadAttention", d_model, d_model, true,
                {.query = "query", .key = "key", .value = "value"}) {}

Tensor SingleHeadAttention::forward(const Tensor& x) const {
  const auto [Q, K, V] = project_queries_first(x);  // (b, T, d_model) each
  const double scale = 1.0 / std::sqrt(double(x.size(-1)));
  const Tensor output = attention_scaled_first(Q, K.transpose(-2, -1), V, scale, future(x.size(1), x));
  return named(output, "attention_output");  // (b, T, d_model)
}

MultiHeadAttention::MultiHeadAttention(int64_t d_model, int64_t num_heads)
    : QkvModule("MultiHeadAttention", checked_d_model(d_model, num_heads), d_model, true,
                {.query = "query", .key = "key", .value = "value"}),
      fc_out(d_model, d_model),
      num_heads_(num_heads) {
  register_module("fc_out", fc_out);
}

Tensor MultiHeadAttention::forward(const Tensor& x) const {
  const int64_t num_tokens = unpack_batch(x).num_tokens;
  auto [Q, K, V] = project_queries_first(x);  // (b, T, d_model) each
  Q = split_heads(Q, num_heads_, "queries");  // (b, num_heads, T, head_dim)
  K = split_heads(K, num_heads_, "keys");
  V = split_heads(V, num_heads_, "values");
  const double scale = 1.0 / std::sqrt(double(Q.size(-1)));
  Tensor output = attention_scaled_first(Q, K.transpose(-2, -1), V, scale, future(num_tokens, x));
  named(output, "attention_output");                   // (b, num_heads, T, head_dim)
  output = combine_heads(output, "attention_output");  // (b, T, d_model)
  return named(fc_out(output), "out");                 // (b, T, d_model)
}

// ---- parts that the source does not show
FeedForwardNN::FeedForwardNN(int64_t d_model, int64_t hidden_dim)
    : Module("FeedForwardNN"), fc1(d_model, hidden_dim), fc2(hidden_dim, d_model) {
  register_module("fc1", fc1);
  register_module("relu", relu);
  register_module("fc2", fc2);
}

Tensor FeedForwardNN::forward(const Tensor& x) const {
  const Tensor hidden = named(fc1(x), "hidden");          // (…, hidden_dim)
  const Tensor positive = named(relu(hidden), "hidden");  // (…, hidden_dim)
  return named(fc2(positive), "output");                  // (…, d_model)
}

GPTEmbedding::GPTEmbedding(int64_t vocab_size, int64_t d_model, int64_t max_len)
    : Module("GPTEmbedding"), token(vocab_size, d_model), position(max_len, d_model) {
  register_module("token", token);
  register_module("position", position);
}

Tensor GPTEmbedding::forward(const Tensor& idx) const {
  const DefaultDevice here(idx.device());
  const Tensor tokens = named(token(idx), "tokens");                           // (b, T, d_model)
  const Tensor positions = named(position(arange(idx.size(1))), "positions");  // (T, d_model)
  return named(tokens + positions, "embeddings");                              // (b, T, d_model)
}

// ---- MyGPT
MyGPT::MyGPT(int64_t vocab_size, int64_t d_model, int64_t max_len, int64_t hidden_dim, bool use_multiple_head,
             int64_t num_heads)
    : Module("MyGPT"),
      embedding(vocab_size, d_model, max_len),
      attention(use_multiple_head ? std::unique_ptr<QkvModule>(new MultiHeadAttention(d_model, num_heads))
                                  : std::make_unique<SingleHeadAttention>(d_model)),
      ffn(d_model, hidden_dim),
      ln_f(Dims{d_model}),
      fc_out(d_model, vocab_size) {
  register_module("embedding", embedding);
  register_module("attention", *attention);
  register_module("ffn", ffn);
  register_module("ln_f", ln_f);
  register_module("fc_out", fc_out);
}

Tensor MyGPT::forward(const Tensor& inputs) const {
  const Tensor embeddings = embedding(inputs);          // (b, T, d_model)
  const Tensor attn_output = (*attention)(embeddings);  // (b, T, d_model)
  const Tensor ffn_output = ffn(attn_output);           // (b, T, d_model)
  return named(fc_out(ffn_output), "logits");           // (b, T, vocab_size)
}

MyGPT::Output MyGPT::operator()(const Tensor& inputs, const Tensor& targets) const {
  const Traced call(*this);
  const Tensor logits = forward(inputs);
  const Tensor loss = functional::cross_entropy(logits.view({-1, logits.size(-1)}), targets.view({-1}));
  return {logits, named(loss, "loss")};
}

}  // namespace glassgrad::nn::single_and_multi

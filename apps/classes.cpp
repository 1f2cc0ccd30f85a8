#include "apps/classes.h"

#include <algorithm>

#include "engine/ops.h"
#include "nn/cat.h"
#include "nn/climb.h"
#include "nn/gpt.h"
#include "nn/gpt_attention.h"
#include "nn/single_and_multi.h"

namespace glassgrad {
namespace {

using Made = std::unique_ptr<nn::Module>;

constexpr int64_t kBatch = 2, kTokens = 6, kVocabulary = 20;

Tensor numbers(const Dims& shape) {
  Generator g(1);
  return randn(shape, float32, g);
}
Tensor sentence() { return numbers({kTokens, 3}); }
Tensor batch() { return numbers({kBatch, kTokens, 3}); }
Tensor wide_batch() { return numbers({kBatch, kTokens, 4}); }
Tensor ids() {
  Generator g(1);
  return randint(0, kVocabulary, {kBatch, kTokens}, g);
}

// A class and what its constructor is called with, which is also how it is shown.
#define CLASS(space, type, input, ...)                                                 \
  {                                                                                    \
#space "." #type, #type "(" #__VA_ARGS__ ")",                                      \
        []() -> Made { return std::make_unique<nn::space::type>(__VA_ARGS__); }, input \
  }
constexpr ModelClass kClasses[] = {
    CLASS(journey, SelfAttention_v1, sentence, 3, 2),
    CLASS(journey, SelfAttention_v2, sentence, 3, 2),
    CLASS(journey, CausalAttention, batch, 3, 2, 6, 0.0),
    CLASS(journey, MultiHeadAttentionWrapper, batch, 3, 2, 6, 0.0, 2),
    CLASS(journey, MultiHeadAttention, batch, 3, 2, 6, 0.0, 2),
    CLASS(gpt_attention, SelfAttention, sentence, 3, 2),
    CLASS(gpt_attention, CausalAttention, batch, 3, 2, 6),
    CLASS(gpt_attention, MultiHeadAttention, batch, 3, 2, 2, 6, 0.0),
    CLASS(single_and_multi, SingleHeadAttention, wide_batch, 4),
    CLASS(single_and_multi, MultiHeadAttention, wide_batch, 4, 2),
    CLASS(single_and_multi, FeedForwardNN, wide_batch, 4, 8),
    CLASS(single_and_multi, GPTEmbedding, ids, 20, 4, 8),
    CLASS(single_and_multi, MyGPT, ids, 20, 4, 8, 8, true, 2),
    CLASS(cat, CausalAttention, wide_batch, 4, 4, 6),
    CLASS(cat, MultiHeadAttentionWrapper, wide_batch, 4, 2, 6, 0.0, 2),
    CLASS(cat, MultiHeadAttention, wide_batch, 4, 4, 6, 0.0, 2),
    CLASS(climb, SingleSelfAttentionHead, wide_batch, 6, 4, 4),
    {"nn.Linear", "Linear(4, 3)", []() -> Made { return std::make_unique<nn::Linear>(4, 3); }, wide_batch},
    {"nn.Embedding", "Embedding(20, 4)", []() -> Made { return std::make_unique<nn::Embedding>(20, 4); },
     ids},
    {"nn.LayerNorm", "LayerNorm(4)", []() -> Made { return std::make_unique<nn::LayerNorm>(Dims{4}); },
     wide_batch},
    {"nn.GPT", "GPT(vocab_size=20, context_length=8, width=8, layers=2, heads=2, dropout=0.1)",
     []() -> Made {
       return std::make_unique<nn::GPT>(nn::GPTConfig{
           .vocab_size = kVocabulary, .context_length = 8, .width = 8, .layers = 2, .heads = 2});
     },
     ids},
};
#undef CLASS

}  // namespace

std::span<const ModelClass> model_classes() { return kClasses; }

const ModelClass* find_class(std::string_view name) {
  const auto found = std::find_if(std::begin(kClasses), std::end(kClasses),
                                  [&](const ModelClass& c) { return c.name == name; });
  return found == std::end(kClasses) ? nullptr : found;
}

}  // namespace glassgrad

// What the shapes of the weights do not tell: Hugging Face's config.json.
#pragma once
#include <string>

#include "apps/model/huggingface_layout.h"

namespace glassgrad::convert {

// config.json for a model of ours, with which transformers loads it as GPT2LMHeadModel or LlamaForCausalLM.
std::string huggingface_config(const nn::GPTConfig& config, const Layout& layout, bool bfloat16);

// A model that is described by its weights alone.
inline constexpr nn::GPTConfig kUntold{.vocab_size = 0, .context_length = 0, .width = 0, .layers = 0};

// heads, dropout and tanh_gelu from a GPT-2's config.json; of a Llama's the parts, heads, kv_heads, dropout
// and context_length. Also the sizes that it gives; what it does not tell stays as it is in `config`. Errors
// naming the file: it cannot be read, is no such description, or that of a model that computes otherwise than
// ours.
nn::GPTConfig read_huggingface_config(const std::string& path, const Layout& layout,
                                      const nn::GPTConfig& config = kUntold);

}  // namespace glassgrad::convert

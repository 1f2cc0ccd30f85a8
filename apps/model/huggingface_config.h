// Hugging Face's config.json: the settings that the shapes of the weights do not show.
#pragma once
#include <string>

#include "apps/model/huggingface_layout.h"

namespace glassgrad::convert {

// Returns the config.json with which transformers loads a model of ours as GPT2LMHeadModel or
// LlamaForCausalLM.
std::string huggingface_config(const nn::GPTConfig& config, const Layout& layout, bool bfloat16);

// The config of a model that is described only by its weights.
inline constexpr nn::GPTConfig kUntold{.vocab_size = 0, .context_length = 0, .width = 0, .layers = 0};

// Reads heads, dropout and tanh_gelu from a GPT-2's config.json; from a Llama's the parts, heads, kv_heads,
// dropout and context_length. Also reads the sizes that the file gives; the rest stays as in `config`. Throws
// Errors naming the file if it cannot be read, is not a config.json, or describes a model that computes
// differently from ours.
nn::GPTConfig read_huggingface_config(const std::string& path, const Layout& layout,
                                      const nn::GPTConfig& config = kUntold);

}  // namespace glassgrad::convert

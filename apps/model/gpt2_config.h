// What the shapes of a GPT-2's weights do not tell: Hugging Face's config.json.
#pragma once
#include <string>

#include "nn/gpt.h"

namespace glassgrad::convert {

// config.json for a model of ours, with which transformers loads it as GPT2LMHeadModel.
std::string gpt2_config(const nn::GPTConfig& config, bool bfloat16);

// A model that is described by its weights alone.
inline constexpr nn::GPTConfig kUntold{.vocab_size = 0, .context_length = 0, .width = 0, .layers = 0};

// heads, dropout and tanh_gelu from a config.json, and the sizes that it gives; what it does not tell stays
// as it is in `config`. Errors naming the file: it cannot be read, is no such description, or that of a GPT-2
// that computes otherwise than ours.
nn::GPTConfig read_gpt2_config(const std::string& path, nn::GPTConfig config = kUntold);

}  // namespace glassgrad::convert

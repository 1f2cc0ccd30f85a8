// A GPT's weights under the names of Hugging Face's classes. GPT-2 has the blocks' matrices transposed (in,
// out), and query, key and value side by side in one, c_attn. Llama has the same matrices as ours.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "nn/gpt.h"

namespace glassgrad::convert {

struct Layout;  // of one Hugging Face class
extern const Layout kGpt2Layout, kLlamaLayout;

// Llama's for RMS, Rope and SwiGLU without a window, GPT-2's for GPT-2's parts. Throws Error naming the parts
// if no layout holds them.
const Layout& layout_of(const nn::GPTConfig& config, const std::string& path);
// The layout whose names the tensors have; GPT-2's if there is no embed_tokens.weight.
const Layout& layout_of(const std::vector<NamedTensor>& tensors);

// Returns a model's weights in the order of its layers. A tied output layer is left out, as in Hugging Face's
// files. A model without biases of query, key and value gets zeros, which compute the same.
std::vector<NamedTensor> to_huggingface(const nn::GPT& model, const Layout& layout);

// Removes "transformer." or "model." from the names, as files of the bare models have them, and drops the
// masks and tables that old files hold. Throws Error if a name then occurs twice.
std::vector<NamedTensor> bare_names(const std::vector<NamedTensor>& tensors, const Layout& layout,
                                    const std::string& path);

// Sets what the tensors of bare_names determine: vocab_size, width and layers by their shapes, for GPT-2
// context_length too. tie_weights becomes false if lm_head.weight differs from the embeddings, bias becomes
// true unless all query, key and value biases are zeros. Throws Error if the embeddings are missing or not
// matrices, for sizes that no model has, and for sizes that differ from those in config (0 there: unknown).
void read_sizes(const std::vector<NamedTensor>& tensors, const Layout& layout, nn::GPTConfig& config,
                const std::string& path);

// The weights of a GPT of that config under our names. Attention biases that a Llama lacks become zeros.
// Throws Error with every tensor that is missing, unexpected or has a different shape or dtype.
std::vector<NamedTensor> from_huggingface(const std::vector<NamedTensor>& tensors, const Layout& layout,
                                          const nn::GPTConfig& config, const std::string& path);

}  // namespace glassgrad::convert

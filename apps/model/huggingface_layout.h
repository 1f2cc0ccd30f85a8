// A GPT's weights as Hugging Face's classes have them, under other names. GPT-2 has the matrices of the
// blocks transposed (in, out), and query, key and value side by side in one, c_attn. Llama has ours as they
// are.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "nn/gpt.h"

namespace glassgrad::convert {

struct Layout;  // of one of their classes
extern const Layout kGpt2Layout, kLlamaLayout;

// Llama's for RMS, Rope and SwiGLU without a window, GPT-2's for GPT-2's parts. Error naming the parts: no
// layout holds them.
const Layout& layout_of(const nn::GPTConfig& config, const std::string& path);
// The one whose names the tensors have; GPT-2's if there is no embed_tokens.weight.
const Layout& layout_of(const std::vector<NamedTensor>& tensors);

// Of a model, in the order of its layers. A tied output layer is left out, as there. A model without biases
// of query, key and value gets zeros, which compute the same.
std::vector<NamedTensor> to_huggingface(const nn::GPT& model, const Layout& layout);

// Without "transformer." or "model." before the names, which files of the bare models do not have, and
// without the masks and tables that old files hold. Error: a name twice then.
std::vector<NamedTensor> bare_names(const std::vector<NamedTensor>& tensors, const Layout& layout,
                                    const std::string& path);

// Sets what the tensors of bare_names tell: vocab_size, width and layers by their shapes, for GPT-2
// context_length too. tie_weights stays only if there is no other lm_head.weight than the embeddings, bias
// becomes true unless all of these are zeros. Error: the embeddings are missing or no matrices, sizes that no
// model has, or others than config has been told; 0 there: nobody has.
void read_sizes(const std::vector<NamedTensor>& tensors, const Layout& layout, nn::GPTConfig& config,
                const std::string& path);

// The weights of a GPT of that config under our names. Attention biases that a Llama lacks are zeros. Error
// with every tensor that is missing, unexpected or of another shape or dtype.
std::vector<NamedTensor> from_huggingface(const std::vector<NamedTensor>& tensors, const Layout& layout,
                                          const nn::GPTConfig& config, const std::string& path);

}  // namespace glassgrad::convert

// A GPT's weights as Hugging Face's GPT-2 has them: other names, matrices of the blocks transposed (in, out),
// and query, key and value side by side in one, c_attn.
#pragma once
#include <string>
#include <vector>

#include "nn/gpt.h"

namespace glassgrad::convert {

// Of a model, in the order of its layers, under the names of GPT2LMHeadModel. A tied output layer is left
// out, as there. A model without biases of query, key and value gets zeros, which compute the same.
std::vector<NamedTensor> to_gpt2(const nn::GPT& model);

// Without "transformer." before the names, which files of GPT2Model do not have, and without the masks that
// old files hold. Error: a name twice then.
std::vector<NamedTensor> bare_gpt2(const std::vector<NamedTensor>& tensors, const std::string& path);

// Sets what the tensors of bare_gpt2 tell: vocab_size, context_length, width and layers by their shapes.
// tie_weights stays only if there is no other lm_head.weight than wte.weight, bias becomes true unless all of
// these are zeros. Error: the embeddings are missing or no matrices, sizes that no model has, or others than
// config has been told; 0 there: nobody has.
void read_sizes(const std::vector<NamedTensor>& tensors, nn::GPTConfig& config, const std::string& path);

// The weights of a GPT of that config under our names. Error with every tensor that is missing, unexpected or
// of another shape or dtype.
std::vector<NamedTensor> from_gpt2(const std::vector<NamedTensor>& tensors, const nn::GPTConfig& config,
                                   const std::string& path);

}  // namespace glassgrad::convert

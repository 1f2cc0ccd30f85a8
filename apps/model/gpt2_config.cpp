#include "apps/model/gpt2_config.h"

#include "apps/text/text_file.h"
#include "apps/train/json_fields.h"
#include "engine/io/file.h"

namespace glassgrad::convert {
namespace {

using nlohmann::json;
using train::parse_object, train::read_field;

constexpr double kEpsilon = 1e-5;  // of our LayerNorm

bool is_tanh(const std::string& activation, const std::string& path) {
  if (activation == "gelu_new" || activation == "gelu_pytorch_tanh") return true;
  check(activation == "gelu", "{}: activation_function '{}' is none of gelu_new, gelu_pytorch_tanh and gelu",
        path, excerpt(activation));
  return false;
}

}  // namespace

std::string gpt2_config(const nn::GPTConfig& c, bool bfloat16) {
  return json{{"architectures", {"GPT2LMHeadModel"}},
              {"model_type", "gpt2"},
              {"vocab_size", c.vocab_size},
              {"n_positions", c.context_length},
              {"n_embd", c.width},
              {"n_layer", c.layers},
              {"n_head", c.heads},
              {"activation_function", c.tanh_gelu ? "gelu_new" : "gelu"},
              {"layer_norm_epsilon", kEpsilon},
              {"resid_pdrop", c.dropout},
              {"embd_pdrop", c.dropout},
              {"attn_pdrop", c.dropout},
              {"tie_word_embeddings", c.tie_weights},
              // the defaults, 50256, may lie outside the vocabulary
              {"bos_token_id", nullptr},
              {"eos_token_id", nullptr},
              {"torch_dtype", bfloat16 ? "bfloat16" : "float32"}}
             .dump(2) +
         "\n";
}

nn::GPTConfig read_gpt2_config(const std::string& path, nn::GPTConfig config) {
  const json object = parse_object(read_file(path, kMaxDescription), path);
  read_field(object, "n_head", path, config.heads);
  const auto read_size = [&](const char* key, int64_t& size) {
    if (object.contains(key)) read_field(object, key, path, size);
  };
  read_size("vocab_size", config.vocab_size);
  read_size("n_positions", config.context_length);
  read_size("n_embd", config.width);
  read_size("n_layer", config.layers);
  if (object.contains("resid_pdrop")) read_field(object, "resid_pdrop", path, config.dropout);
  if (object.contains("activation_function")) {
    std::string activation;
    read_field(object, "activation_function", path, activation);
    config.tanh_gelu = is_tanh(activation, path);
  }
  const json ours{{"layer_norm_epsilon", kEpsilon},
                  {"scale_attn_weights", true},
                  {"scale_attn_by_inverse_layer_idx", false}};
  for (const auto& [key, value] : ours.items())
    check(object.value(key, value) == value, "{}: {} must be {}: glassgrad's GPT has no other", path, key,
          value.dump());
  return config;
}

}  // namespace glassgrad::convert

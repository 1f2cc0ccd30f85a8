#include "apps/model/huggingface_config.h"

#include "apps/text/text_file.h"
#include "apps/train/json_fields.h"
#include "engine/io/file.h"

namespace glassgrad::convert {
namespace {

using nlohmann::json;
using train::parse_object, train::read_field;

constexpr double kEpsilon = 1e-5;                // of our norms
constexpr int64_t kMaxWidth = int64_t{1} << 32;  // above, GPTConfig::check refuses

bool is_tanh(const std::string& activation, const std::string& path) {
  if (activation == "gelu_new" || activation == "gelu_pytorch_tanh") return true;
  check(activation == "gelu", "{}: activation_function '{}' is none of gelu_new, gelu_pytorch_tanh and gelu",
        path, excerpt(activation));
  return false;
}

// Throws if the file sets one of our keys to a different value.
void require(const json& object, const json& ours, const std::string& path) {
  for (const auto& [key, value] : ours.items())
    check(object.value(key, value) == value, "{}: {} must be {}: glassgrad's GPT has no other", path, key,
          value.dump());
}

// The fields of both layouts, as transformers reads them.
json common(const nn::GPTConfig& c, bool bfloat16) {
  return {{"vocab_size", c.vocab_size},
          {"tie_word_embeddings", c.tie_weights},
          // the defaults may lie outside the vocabulary
          {"bos_token_id", nullptr},
          {"eos_token_id", nullptr},
          {"torch_dtype", bfloat16 ? "bfloat16" : "float32"}};
}

json llama(const nn::GPTConfig& c) {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"model_type", "llama"},
          {"max_position_embeddings", c.context_length},
          {"hidden_size", c.width},
          {"intermediate_size", c.hidden()},
          {"num_hidden_layers", c.layers},
          {"num_attention_heads", c.heads},
          {"num_key_value_heads", c.key_heads()},
          {"hidden_act", "silu"},
          {"rms_norm_eps", kEpsilon},
          {"rope_theta", nn::kPositionBase},
          {"attention_bias", true},  // out_proj has one
          {"mlp_bias", false},
          {"attention_dropout", c.dropout}};
}

json gpt2(const nn::GPTConfig& c) {
  return {{"architectures", {"GPT2LMHeadModel"}},
          {"model_type", "gpt2"},
          {"n_positions", c.context_length},
          {"n_embd", c.width},
          {"n_layer", c.layers},
          {"n_head", c.heads},
          {"activation_function", c.tanh_gelu ? "gelu_new" : "gelu"},
          {"layer_norm_epsilon", kEpsilon},
          {"resid_pdrop", c.dropout},
          {"embd_pdrop", c.dropout},
          {"attn_pdrop", c.dropout}};
}

nn::GPTConfig read_gpt2(const json& object, const std::string& path, nn::GPTConfig config) {
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
  require(object,
          {{"layer_norm_epsilon", kEpsilon},
           {"scale_attn_weights", true},
           {"scale_attn_by_inverse_layer_idx", false}},
          path);
  return config;
}

nn::GPTConfig read_llama(const json& object, const std::string& path, nn::GPTConfig config) {
  config.norm = nn::Norm::Rms;
  config.positions = nn::Positions::Rope;
  config.mlp = nn::Mlp::SwiGlu;
  read_field(object, "num_attention_heads", path, config.heads);
  read_field(object, "max_position_embeddings", path, config.context_length);
  const auto read = [&](const char* key, auto& value) {
    if (object.contains(key)) read_field(object, key, path, value);
  };
  int64_t key_heads = config.heads;
  read("num_key_value_heads", key_heads);
  config.kv_heads = key_heads == config.heads ? 0 : key_heads;
  read("vocab_size", config.vocab_size);
  read("hidden_size", config.width);
  read("num_hidden_layers", config.layers);
  read("attention_dropout", config.dropout);
  bool bias = false;
  read("attention_bias", bias);
  config.bias = config.bias && bias;
  json ours{{"hidden_act", "silu"},
            {"rope_theta", nn::kPositionBase},
            {"rope_scaling", nullptr},
            {"mlp_bias", false}};
  if (config.width > 0 && config.width <= kMaxWidth && config.heads > 0) {
    ours["intermediate_size"] = config.hidden();
    ours["head_dim"] = config.head_dim();
  }
  require(object, ours, path);
  double epsilon = 0;  // transformers' default differs
  read_field(object, "rms_norm_eps", path, epsilon);
  require(object, {{"rms_norm_eps", kEpsilon}}, path);
  return config;
}

}  // namespace

std::string huggingface_config(const nn::GPTConfig& c, const Layout& layout, bool bfloat16) {
  json object = &layout == &kLlamaLayout ? llama(c) : gpt2(c);
  object.update(common(c, bfloat16));
  return object.dump(2) + "\n";
}

nn::GPTConfig read_huggingface_config(const std::string& path, const Layout& layout,
                                      const nn::GPTConfig& config) {
  const json object = parse_object(read_file(path, kMaxDescription), path);
  return &layout == &kLlamaLayout ? read_llama(object, path, config) : read_gpt2(object, path, config);
}

}  // namespace glassgrad::convert

// All settings of a training that decide its result. All of them are saved with a checkpoint.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "nn/gpt.h"

namespace glassgrad::train {

constexpr int64_t kMany = int64_t{1} << 40;  // the largest whole number in the settings

struct Settings {
  std::string text;         // path of the text file; empty: the generated corpus
  bool token_file = false;  // `text` holds 16-bit tokens, or is a folder with such a train.bin and val.bin
  std::string tokenizer = "word";
  int64_t vocabulary = 1024;  // size that bpe grows its vocabulary to
  double validation = 0.1;    // share of the text that is kept for validation
  nn::GPTConfig model;
  int64_t batch = 16, steps = 800;
  double lr = 3e-3, weight_decay = 0.01;
  uint64_t seed = 1;
  int64_t eval_every = 100, checkpoint_every = 100;
  int64_t watch_every = 0;  // 0: never

  // The preset's model (vocab_size is not known yet), and a batch and lr that suit it. Throws ValueError
  // naming the presets.
  static Settings preset(std::string_view name);
};

// "norm rms, kv_heads 2": the parts that differ from GPT-2's; empty if none does.
std::string parts_text(const nn::GPTConfig& config);
// "2 layers of 4 heads, width 64, context 32: 120896 parameters"; parts_text comes after the context.
std::string sizes_text(const nn::GPTConfig& config);

nlohmann::json to_json(const nn::GPTConfig& config);
nlohmann::json to_json(const Settings& settings);  // without the model
// Throws Errors that start with `where` if a value is missing, of a different type or out of range.
nn::GPTConfig config_from_json(std::string_view text, std::string_view where);
Settings settings_from_json(const nlohmann::json& json, std::string_view where);

}  // namespace glassgrad::train

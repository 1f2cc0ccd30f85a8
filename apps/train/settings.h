// What a training is: every number that decides its result. All of it is saved with a checkpoint.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "nn/gpt.h"

namespace glassgrad::train {

constexpr int64_t kMany = int64_t{1} << 40;  // no whole number of the settings is larger

struct Settings {
  std::string text;         // path of the file to learn from; empty: the generated corpus
  bool token_file = false;  // it holds numbers of 16 bits, or is a folder with train.bin and val.bin that do
  std::string tokenizer = "word";
  int64_t vocabulary = 1024;  // that bpe grows to
  double validation = 0.1;    // share of the text that is kept for validation
  nn::GPTConfig model;
  int64_t batch = 16, steps = 800;
  double lr = 3e-3, weight_decay = 0.01;
  uint64_t seed = 1;
  int64_t eval_every = 100, checkpoint_every = 100;
  int64_t watch_every = 0;  // 0: never

  // The preset's model (of a vocabulary that is not known yet) and the batch and lr that suit it. ValueError
  // naming the presets.
  static Settings preset(std::string_view name);
};

// "norm rms, kv_heads 2": the parts that are not GPT-2's; empty: there are none.
std::string parts_text(const nn::GPTConfig& config);
// "2 layers of 4 heads, width 64, context 32: 120896 parameters"; parts_text stands after the context.
std::string sizes_text(const nn::GPTConfig& config);

nlohmann::json to_json(const nn::GPTConfig& config);
nlohmann::json to_json(const Settings& settings);  // without the model
// Errors beginning with `where`: a number that is missing, of another kind or out of range.
nn::GPTConfig config_from_json(std::string_view text, std::string_view where);
Settings settings_from_json(const nlohmann::json& json, std::string_view where);

}  // namespace glassgrad::train

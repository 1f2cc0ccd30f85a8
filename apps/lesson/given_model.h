// A trained model on which a lesson's program runs. Its weights are applied like those of --weights.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/script/value.h"

namespace glassgrad::learn {

struct GivenModel {
  std::string tokenizer;                // its kind, "word"
  std::vector<std::string> vocabulary;  // the tokens as a terminal can show them
  std::function<std::vector<int64_t>(std::string_view)> encode;
  std::string text;   // what the model reads
  int64_t steps = 0;  // of training
};

// Returns the program's `tokenizer`: kind, vocabulary, text, encode(text).
script::Value tokenizer_of(const GivenModel& model);
// Returns the `checkpoint` of prose: steps. Returns Python's None if no model is given.
script::Value checkpoint_of(const GivenModel* model);

}  // namespace glassgrad::learn

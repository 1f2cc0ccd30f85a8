// A trained model, ready to read a text.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "apps/train/checkpoint.h"

namespace glassgrad::inspect {

struct Model {
  train::Checkpoint checkpoint;
  std::unique_ptr<nn::GPT> gpt;  // in evaluation
};

// A checkpoint's file, or its folder. Error: there is none, or it is broken.
Model load_model(const std::string& path);
// UsageError: no text, or more tokens than the model sees at once.
std::vector<int64_t> tokens_of(const Model& model, const std::string& text);

}  // namespace glassgrad::inspect

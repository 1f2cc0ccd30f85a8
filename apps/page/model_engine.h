// Runs a trained model for its page: JSON texts out, so that a WebAssembly module can pass them on. An error
// is returned as {"error": text}.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "apps/cli/json_number.h"
#include "apps/text/tokenizer.h"
#include "nn/gpt.h"

namespace glassgrad::explorer {

// Returns what a page carries of a model: {"config", "tokenizer", "weights": float32 as text, in the order
// of named_parameters}.
Json carried_json(const nn::GPT& model, const Tokenizer& tokenizer);

class ModelEngine {
 public:
  // Takes what carried_json has written. Returns {"words": the tokens as texts, without single bytes that
  // only stand in for others}.
  std::string read(std::string_view config, std::string_view tokenizer, std::string_view weights);
  // Runs the model on a text, and without a head: the named one, or for layer < 0 the one that changes the
  // likeliest token most. Returns inspect_json with `top` next tokens. An error says which words of the text
  // the model has never read.
  std::string read_text(std::string_view text, int64_t layer, int64_t head, int64_t top) const;

 private:
  std::unique_ptr<nn::GPT> model_;
  std::unique_ptr<const Tokenizer> tokenizer_;
};

}  // namespace glassgrad::explorer

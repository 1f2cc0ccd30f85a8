#include "apps/inspect/model.h"

#include "apps/arguments.h"
#include "engine/error.h"
#include "nn/gpt.h"

namespace glassgrad::inspect {

Model load_model(const std::string& path) {
  const std::string file = train::checkpoint_file(path);
  Model model{train::load_checkpoint(file), nullptr};
  model.gpt = train::model_of(model.checkpoint, file);
  model.gpt->eval();
  return model;
}

std::vector<int64_t> tokens_of(const Model& model, const std::string& text) {
  check<UsageError>(!text.empty(), "--text is empty: a model reads one token at least");
  std::vector<int64_t> tokens = model.checkpoint.tokenizer->encode(text);
  const int64_t context = model.gpt->config().context_length;
  check<UsageError>(std::ssize(tokens) <= context,
                    "--text has {} tokens, but the model sees {} at once: give a shorter text", tokens.size(),
                    context);
  return tokens;
}

}  // namespace glassgrad::inspect

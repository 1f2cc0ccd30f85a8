// A training as it stands after a step, in one .safetensors file: the weights under their names in the model,
// the optimizer's moments as optimizer.…, the generator's state as generator; the rest is metadata.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/text/tokenizer.h"
#include "apps/train/settings.h"
#include "engine/io/safetensors.h"
#include "engine/random.h"
#include "nn/optim.h"

namespace glassgrad::train {

// What tells one text from another: the number of its tokens, and a checksum of the first ones.
struct Fingerprint {
  int64_t tokens = 0;
  uint32_t crc = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

// Where the random numbers stand: of batches and of what the CPU drops, and how many words each thread of a
// GPU's generator has used up for its dropout.
struct Draws {
  Generator::State generator{};
  uint64_t gpu_words = 0;
};

struct Checkpoint {
  Settings settings;  // the model's as well
  std::shared_ptr<const Tokenizer> tokenizer;
  int64_t step = 0;
  std::optional<double> best_validation_loss;
  Fingerprint text;
  Draws draws;
  std::vector<NamedTensor> weights, optimizer;
};

// The path of a file. A folder stands for its best checkpoint, or, before there was one, its last; Error:
// neither is there.
std::string checkpoint_file(const std::string& path);

// Errors, naming the file and the tensor or byte: what load_safetensors says; no checkpoint of ours, or of a
// newer format; a description that contradicts itself or the tensors.
Checkpoint load_checkpoint(const std::string& path);
// The same of a file that is read already, and whether it says that it is one.
Checkpoint checkpoint_of(Safetensors file, const std::string& path);
bool is_checkpoint(const Safetensors& file);

// Writes beside the file and renames. The tensors must be those of a model of settings.model. Error: what the
// system refuses; then the old file is as it was.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

// A model with the checkpoint's weights. Error with every name and shape that does not fit.
std::unique_ptr<nn::GPT> model_of(const Checkpoint& checkpoint, const std::string& path);

// The weights into a model, or nothing. Error as above.
void load_weights(nn::GPT& model, const std::vector<NamedTensor>& weights, const std::string& path);

}  // namespace glassgrad::train

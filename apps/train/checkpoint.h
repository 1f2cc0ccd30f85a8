// The state of a training after a step, in one .safetensors file: the weights under their names in the model,
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

// Tells texts apart: the number of tokens, and a checksum of the first ones.
struct Fingerprint {
  int64_t tokens = 0;
  uint32_t crc = 0;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

// The states of the random generators: the one of batches and of dropout on the CPU, and how many words each
// thread of a GPU's generator has used for its dropout.
struct Draws {
  Generator::State generator{};
  uint64_t gpu_words = 0;
};

struct Checkpoint {
  Settings settings;  // includes the model's
  std::shared_ptr<const Tokenizer> tokenizer;
  int64_t step = 0;
  std::optional<double> best_validation_loss;
  Fingerprint text;
  Draws draws;
  std::vector<NamedTensor> weights, optimizer;
};

// Returns the path of a checkpoint file. For a folder, its best checkpoint, else its last. Throws Error if it
// has neither.
std::string checkpoint_file(const std::string& path);

// Throws Errors that name the file and the tensor or byte: whatever load_safetensors reports; a file that is
// no checkpoint of ours, or of a newer format; a description that contradicts itself or the tensors.
Checkpoint load_checkpoint(const std::string& path);
// checkpoint_of does the same for a file that is already read; is_checkpoint returns whether the file is
// marked as one.
Checkpoint checkpoint_of(Safetensors file, const std::string& path);
bool is_checkpoint(const Safetensors& file);

// Writes a new file and renames it over `path`. The tensors must be those of a model with settings.model.
// Throws Error if the system refuses; the old file is unchanged then.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

// Builds a model with the checkpoint's weights. Throws Error with every name and shape that does not fit.
std::unique_ptr<nn::GPT> model_of(const Checkpoint& checkpoint, const std::string& path);

// Copies the weights into a model, all or none. Throws Error like model_of.
void load_weights(nn::GPT& model, const std::vector<NamedTensor>& weights, const std::string& path);

}  // namespace glassgrad::train

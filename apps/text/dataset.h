// Batches of a row of tokens: its first part is for training, the rest for validation.
#pragma once
#include <memory>

#include "engine/random.h"
#include "engine/tensor.h"
#include "token_stream.h"

namespace glassgrad {

enum class Part { Training, Validation };

// int64 (B, T) both. targets[b, t] is the token that follows inputs[b, t].
struct Batch {
  Tensor inputs, targets;
};

class Dataset {
 public:
  // With n tokens, training has the first int(n · (1 − validation)). ValueError: validation outside [0, 1).
  Dataset(std::unique_ptr<const TokenStream> tokens, double validation);

  // With parts of their own.
  Dataset(std::unique_ptr<const TokenStream> training, std::unique_ptr<const TokenStream> validation);

  // All of them, the validation's behind the training's.
  const TokenStream& tokens() const { return *tokens_; }
  int64_t size(Part part) const;
  // Error: this part cannot fill a context of T tokens and the target behind it; says needed and available.
  void require(Part part, int64_t T) const;

  // B places drawn as nanoGPT does: torch.randint(size(part) − T, (B,)), T + 1 tokens from each. With the
  // same generator PyTorch draws the same. Error: as require, and what TokenStream::read says.
  Batch batch(Part part, int64_t B, int64_t T, Generator& g) const;
  // T + 1 tokens from each of these places, counted from the part's first token. Error: as require;
  // IndexError: a place from which fewer follow.
  Batch batch_at(Part part, std::span<const int64_t> places, int64_t T) const;

 private:
  std::unique_ptr<const TokenStream> tokens_;
  int64_t training_;
};

}  // namespace glassgrad

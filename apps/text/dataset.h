// Batches of a token sequence: its first part is for training, the rest for validation.
#pragma once
#include <memory>

#include "engine/random.h"
#include "engine/tensor.h"
#include "token_sequence.h"

namespace glassgrad {

enum class Part { Training, Validation };

// Both are int64 (B, T). targets[b, t] is the token that follows inputs[b, t].
struct Batch {
  Tensor inputs, targets;
};

class Dataset {
 public:
  // With n tokens, training has the first int(n · (1 − validation)). Throws ValueError if validation is
  // outside [0, 1).
  Dataset(std::unique_ptr<const TokenSequence> tokens, double validation);

  // Takes two separate streams.
  Dataset(std::unique_ptr<const TokenSequence> training, std::unique_ptr<const TokenSequence> validation);

  // Returns all tokens: training's, then validation's.
  const TokenSequence& tokens() const { return *tokens_; }
  int64_t size(Part part) const;
  // Throws Error if this part cannot fill a context of T tokens and the target after it; the message has the
  // needed and the available number.
  void require(Part part, int64_t T) const;

  // Draws B places like nanoGPT: torch.randint(size(part) − T, (B,)), and takes T + 1 tokens from each.
  // PyTorch draws the same with the same generator. Throws Error as require() and TokenSequence::read() do.
  Batch batch(Part part, int64_t B, int64_t T, Generator& g) const;
  // Takes T + 1 tokens from each of these places, counted from the part's first token. Throws Error as
  // require() does; IndexError for a place that fewer tokens follow.
  Batch batch_at(Part part, std::span<const int64_t> places, int64_t T) const;

 private:
  std::unique_ptr<const TokenSequence> tokens_;
  int64_t training_;
};

}  // namespace glassgrad

// Composed functions without parameters (torch.nn.functional). Single ops and `linear` are in engine/ops.h.
#pragma once
#include "engine/core/for_scope.h"
#include "engine/ops.h"

namespace glassgrad::nn::functional {

// x ⊙ mask/(1 − p), where each element of mask is 1 with probability 1 − p, else 0; the division keeps the
// expected value. Any shape; floating dtypes. Returns x itself and draws nothing when not training, for p = 0
// and for a tensor without elements; p = 1 gives x·0 without drawing. Throws ValueError `dropout probability
// has to be between 0 and 1, but got 7.5`.
Tensor dropout(const Tensor& x, double p, bool training, Generator& g);
// Draws from the generator of the current DropoutFrom if it is on x's device, else from the default
// generator.
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true);

// While alive, this thread's dropout of tensors on g's device draws from g unless a generator is passed.
// Training on a GPU then draws there, as in PyTorch. Null changes nothing.
struct DropoutFrom : ForScope<Generator*> {
  explicit DropoutFrom(Generator* g);
};

// Returns p, or throws like dropout.
double dropout_probability(double p);

// x/√(mean(x²) + eps)·weight, with the mean over the last dimensions, which are normalized_shape; weight, of
// that shape, may be undefined. eps defaults to the distance from 1 to the dtype's next number. Floats;
// halves are rounded before the weight is applied.
Tensor rms_norm(const Tensor& x, const Dims& normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = {});

// −log softmax(x)[target]: nll_loss(log_softmax(x, class dimension), target), with nll_loss's shapes, dtypes
// and errors: x (N, C), (C) or (N, C, d₁, …), target the int64 class numbers without the dimension C. With
// label_smoothing ε ≤ 1: (1 − ε)·loss + ε/C · Σ −log softmax(x); a larger ε throws Error `label_smoothing
// must be between 0.0 and 1.0. Got: 2`. Class weights and probabilities as targets are not supported.
Tensor cross_entropy(const Tensor& x, const Tensor& target, int64_t ignore_index = -100,
                     Reduction reduction = Reduction::Mean, double label_smoothing = 0);

}  // namespace glassgrad::nn::functional

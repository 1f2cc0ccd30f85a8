// Steps of an optimizer on several parameters: what adam_ and sgd_ in ops.h do to each, on a GPU together,
// for each alone is too little work. No parameter may be named twice.
#pragma once
#include <span>

#include "../ops.h"

namespace glassgrad {

struct AdamOperands {
  Tensor p, g, mean, square;
  AdamStep step;
};
void adam_(std::span<const AdamOperands> all);

struct SgdOperands {
  Tensor p, g, momentum;  // momentum: undefined where there is none
  SgdStep step;
};
void sgd_(std::span<const SgdOperands> all);

}  // namespace glassgrad

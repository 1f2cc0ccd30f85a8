// A lesson's backward passes, as steps to read and as gradients of its cells. Everything is read from the
// trace of a recording made with Keep::Backward.
#pragma once
#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// Error: the recording, made with Keep::Backward, has no loss; it says why.
void check_losses(const Recording& forward);

// One step for each loss with the gradient 1 that the pass starts from, one for each node in the order in
// which the engine ran them, and one with the .grad of the leaves. A node's step shows the gradients of its
// results, and of its inputs as they were sent on. Ids are backward-1, backward-2, …, `section` is that of
// the step that names the loss. Error: the lesson has no loss.
Recording backward_steps(const Recording& forward);

// The gradient that a pass has found for a tensor of the recording.
struct Gradient {
  size_t loss;  // of recording.losses
  Snapshot value;
};
// None: no loss depends on it through the graph. The last pass, if there are several.
std::optional<Gradient> gradient_of(const Recording& forward, const Value& x);

// The step on the other side: from a step of the lesson the first of the backward steps that receives the
// gradient of one of its tensors, of this one if there is such a step; from there back to the step that shows
// the tensor. Null: there is none.
const Step* other_side(const Step& step, const Recording& other, std::string_view tensor = {});
// The tensor there that is this one's gradient, or whose gradient it is; null: that step does not show it.
const Entry* counterpart(std::string_view tensor, const Step& there);

}  // namespace glassgrad::learn

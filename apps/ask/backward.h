// A lesson's backward passes, as steps to read and as gradients of its cells. Everything is read from the
// trace of a recording made with Keep::Backward.
#pragma once
#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// Throws Error if the recording, made with Keep::Backward, has no loss. The message says why.
void check_losses(const Recording& forward);

// Returns one step for each loss, with the gradient that the pass starts from (1, unless the program gives
// its own), one for each node in the order in which the engine ran them, and one with the .grad of the
// leaves. A node's step shows the gradients of its results, and of its inputs as they were sent on. Ids are
// backward-1, backward-2, …; `section` is that of the step that names the loss. Throws Error if the lesson
// has no loss.
Recording backward_steps(const Recording& forward);

// The gradient that a pass computed for a tensor of the recording.
struct Gradient {
  size_t loss;  // of recording.passes
  Snapshot value;
};
// Returns none if no loss depends on x through the graph. If there are several passes, the last one counts.
std::optional<Gradient> gradient_of(const Recording& forward, const Value& x);

// Returns the step on the other side, or null. From a step of the lesson: the first backward step that
// receives the gradient of one of its tensors, of `tensor` if there is such a step. From a backward step: the
// step of the lesson that shows the tensor.
const Step* counterpart_step(const Step& step, const Recording& other, std::string_view tensor = {});
// Returns the tensor of `there` that is the gradient of `tensor`, or whose gradient `tensor` is; null if that
// step does not show it.
const Entry* counterpart_tensor(std::string_view tensor, const Step& there);

}  // namespace glassgrad::learn

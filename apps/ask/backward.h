// A lesson's backward passes, as steps and as gradients of cells. All numbers come from the trace of a
// recording made with Keep::Backward.
#pragma once
#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// Throws Error if the recording, made with Keep::Backward, has no loss. The message says why.
void check_losses(const Recording& forward);

// For each loss, returns a step with the gradient that the pass starts from (1, unless the program gives
// one), a step for each node in the order in which the engine ran them, and a step with the .grad of the
// leaves. A node's step shows the gradients of its results, and the gradients that it sent to its inputs. Ids
// are backward-1, backward-2, …; `section` is that of the step that names the loss. Throws Error if the
// lesson has no loss.
Recording backward_steps(const Recording& forward);

// The gradient that a pass computed for a tensor of the recording.
struct Gradient {
  size_t loss;  // index in recording.passes
  Snapshot value;
};
// Returns none if no loss depends on x through the graph. If there are several passes, uses the last one.
std::optional<Gradient> gradient_of(const Recording& forward, const Value& x);

// Returns the counterpart of a step in the other recording, or null. For a step of the lesson: the first
// backward step that receives the gradient of `tensor`, else of any of the step's tensors. For a backward
// step: the step of the lesson that shows the tensor.
const Step* counterpart_step(const Step& step, const Recording& other, std::string_view tensor = {});
// Returns the tensor of `there` that is the gradient of `tensor`, or whose gradient `tensor` is; null if that
// step does not show it.
const Entry* counterpart_tensor(std::string_view tensor, const Step& there);

}  // namespace glassgrad::learn

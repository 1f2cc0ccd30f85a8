// A picture of a whole run: the tensors that its steps show, and from which of them each was computed.
#pragma once
#include <string>
#include <vector>

#include "apps/lesson/recording.h"

namespace glassgrad::graph {

// A tensor that steps show, or an input that several tensors were computed from.
struct PictureBox {
  // "attn_weights", "6 × 6", "= softmax", "with W_query.weight": its name, its shape, the ops between the
  // tensors that it was computed from and itself, the weights that it is the first to be computed from.
  std::vector<std::string> lines;
  // Every "STEP:TENSOR" that shows numbers of it, in the order of the steps. For an input that no
  // step shows: "given:TENSOR".
  std::vector<std::string> addresses;
  bool is_given = false;     // no op computed it
  std::vector<size_t> from;  // the boxes that it was computed from, in ascending order; all come before it
};

struct Picture {
  std::vector<PictureBox> boxes;
  std::vector<std::string> bands;  // the headings of the lesson's sections; empty: there are none
  std::vector<size_t> band;  // of each box: the section that shows it first, or an earlier one that uses it
};

// Leaves out wrong values, and values that are computed only for display. A view has the box of the tensor
// whose numbers it shows; a tensor that was written in place has a box for each time that it is shown. The
// recording must have kept its calls.
Picture picture_of(const learn::Recording& recording);

}  // namespace glassgrad::graph

// STEP:TENSOR[i,j], or #STEP:TENSOR[i,j], names one number of a recording: a step by its id or number, one of
// its tensors by its name, a cell by its index from 0. Tensors that the run was given are at
// given:TENSOR[i,j].
#pragma once
#include <string>
#include <string_view>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

struct Address {
  const Step* step;
  const Entry* entry;  // has a value
  Dims cell;
};

// Throws UsageError for a text that is not of this form, a step or tensor that does not exist (the message
// has the nearest names), or a cell outside its tensor (the message has the shape). The recording outlives
// the address.
Address find_cell(const Recording& recording, std::string_view text);
// The same, but also accepts "TENSOR[i,j]" without a step. Looks for the tensor in the step `here`, then in
// all steps from the first on, then among the tensors that the run was given.
Address find_cell(const Recording& recording, std::string_view text, const Step* here);
// The same without a cell: "STEP:TENSOR". The cell is left empty.
Address find_tensor(const Recording& recording, std::string_view text);

// Writes an address in the usual form, "masked-scores:masked[1,2]"; without brackets for a 0-d tensor.
std::string to_text(const Address& address);
// "[1,2]", or nothing for a 0-d tensor.
using glassgrad::cell_text;

}  // namespace glassgrad::learn

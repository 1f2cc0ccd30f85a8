// An opened number of a recording: its name, the op that computed it, and its arithmetic in the lesson's
// names.
#pragma once
#include "apps/ask/cell_names.h"
#include "engine/glass/cell_page.h"

namespace glassgrad::why {

struct OpenedCell {
  learn::SnapshotElement place;
  learn::CellName name;
  const RecordedCall* call = nullptr;  // the call that wrote it; null: it was there before the run
  std::optional<Opened> opened = {};   // as the call computed it
  Scalar value = {};
};
// Opens the cell as seen from the step `here`.
OpenedCell open_cell(const learn::Recording& recording, const learn::CellNames& names,
                     const learn::SnapshotElement& cell, const learn::Step* here);
OpenedCell open_cell(const learn::Recording& recording, const learn::CellNames& names,
                     const learn::Address& address);  // under the name in the address

// Returns the number as PyTorch prints it in its tensor, or with all its digits.
std::string value_text(const OpenedCell& cell, bool exact);

CellPage page_of(const learn::Recording& recording, const learn::CellNames& names, const OpenedCell& cell,
                 const learn::Step* here, const FormatOptions& how);

}  // namespace glassgrad::why

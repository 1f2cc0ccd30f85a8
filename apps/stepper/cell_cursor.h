// The cell that the arrow keys move through the tensors of a step, among the cells that the grids show.
#pragma once
#include "apps/lesson/recording.h"

namespace glassgrad::learn {

class CellCursor {
 public:
  explicit operator bool() const { return entry_ != nullptr; }  // whether it is in a tensor
  const Entry& entry() const { return *entry_; }
  const Dims& cell() const { return cell_; }

  // Moves to the first cell of the step's first tensor. Returns false and leaves if the step has no cell.
  bool enter(const Step& step);
  void leave() { entry_ = nullptr; }
  void go_to(const Step& step, const Entry& entry, const Dims& cell);

  // Moves by one along a row, from its end to the row of the next matrix. Stays at the last end. `folded`:
  // skips the cells that the grids leave out.
  void along_row(bool after, bool folded);
  // Moves by one row, after the last row to the next matrix, then to the next tensor.
  void along_column(bool after, bool folded);
  void to_end_of_row(bool last);
  void to_tensor(bool after);

 private:
  int64_t end_of(int dim, bool last, bool folded) const;
  bool step_along(int dim, bool after, bool folded);
  bool step_along_any(int dim, bool after, bool folded);

  const Step* step_ = nullptr;
  const Entry* entry_ = nullptr;
  Dims cell_;
};

}  // namespace glassgrad::learn

// The cell that the arrow keys move through the tensors of a step, among those that the grids show.
#pragma once
#include "apps/lesson/recording.h"

namespace glassgrad::learn {

class CellCursor {
 public:
  explicit operator bool() const { return entry_ != nullptr; }  // is it in a tensor?
  const Entry& entry() const { return *entry_; }
  const Dims& cell() const { return cell_; }

  // To the first cell of the step's first tensor. false, and nowhere: it shows none.
  bool enter(const Step& step);
  void leave() { entry_ = nullptr; }
  void go_to(const Step& step, const Entry& entry, const Dims& cell);

  // By one along a row; the row of the next matrix follows. Stays at the end. `folded`: over what the grids
  // leave out.
  void along_row(bool after, bool folded);
  // By one row; the next matrix's first row follows, then the next tensor's.
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

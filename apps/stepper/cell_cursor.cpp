#include "apps/stepper/cell_cursor.h"

#include <algorithm>

#include "apps/show/tensor_table.h"

namespace glassgrad::learn {
namespace {

bool has_cells(const Entry& entry) { return entry.value && entry.value->shape().numel() > 0; }

// Returns the shown index before or after i; none at the end.
std::optional<int64_t> beside(int64_t i, const Entry& entry, int dim, bool after, bool folded) {
  const std::vector<int64_t> shown = shown_indices(entry, dim, folded);
  auto at = std::find(shown.begin(), shown.end(), i);
  if (at == shown.end())  // i was folded away since: start from the gap in its place
    at = std::find(shown.begin(), shown.end(), kGap);
  do {
    if (after ? ++at == shown.end() : at == shown.begin()) return {};
    if (!after) --at;
  } while (*at == kGap);
  return *at;
}

}  // namespace

bool CellCursor::enter(const Step& step) {
  const auto first = std::find_if(step.entries.begin(), step.entries.end(), has_cells);
  if (first == step.entries.end()) {
    leave();
    return false;
  }
  go_to(step, *first, {});
  for (int d = 0; d < first->value->shape().n; ++d) cell_.push(0);
  return true;
}

void CellCursor::go_to(const Step& step, const Entry& entry, const Dims& cell) {
  step_ = &step;
  entry_ = &entry;
  cell_ = cell;
}

bool CellCursor::step_along(int dim, bool after, bool folded) {
  const auto next = beside(cell_[dim], *entry_, dim, after, folded);
  if (next) cell_[dim] = *next;
  return next.has_value();
}

// Returns the first index of a dimension, or the last that a grid shows.
int64_t CellCursor::end_of(int dim, bool last, bool folded) const {
  const std::vector<int64_t> shown = shown_indices(*entry_, dim, folded);
  return !last ? 0 : shown.back() == kGap ? shown.front() : shown.back();
}

// Moves along this dimension; from its end, along the dimension before it.
bool CellCursor::step_along_any(int dim, bool after, bool folded) {
  for (; dim >= 0; --dim) {
    if (step_along(dim, after, folded)) return true;
    cell_[dim] = end_of(dim, !after, folded);
  }
  return false;
}

void CellCursor::along_row(bool after, bool folded) {
  const int columns = cell_.n - 1;
  const Dims before = cell_;
  if (columns < 0 || step_along(columns, after, folded)) return;
  cell_[columns] = end_of(columns, !after, folded);
  if (!step_along_any(columns - 2, after, folded)) cell_ = before;
}

void CellCursor::along_column(bool after, bool folded) {
  const Dims before = cell_;
  if (step_along_any(cell_.n - 2, after, folded)) return;
  cell_ = before;
  const Entry* const here = entry_;
  to_tensor(after);
  if (entry_ == here) return;
  const Dims& shape = entry_->value->shape();
  for (int d = 0; !after && d + 1 < shape.n; ++d) cell_[d] = end_of(d, true, folded);
  if (shape.n > 0 && before.n > 0)
    cell_[shape.n - 1] = std::min(before[before.n - 1], shape[shape.n - 1] - 1);
}

void CellCursor::to_end_of_row(bool last) {
  if (cell_.n > 0) cell_[cell_.n - 1] = last ? entry_->value->shape()[cell_.n - 1] - 1 : 0;
}

void CellCursor::to_tensor(bool after) {
  const Entry* const end = step_->entries.data() + (after ? step_->entries.size() : 0);
  for (const Entry* e = entry_; e != end;) {
    if (!after)
      --e;
    else if (++e == end)
      return;
    if (!has_cells(*e)) continue;
    entry_ = e;
    cell_ = {};
    for (int d = 0; d < e->value->shape().n; ++d) cell_.push(0);
    return;
  }
}

}  // namespace glassgrad::learn

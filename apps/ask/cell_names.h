// Names for the numbers of a recording: a cell of a tensor that a step shows, else of a parameter or an input
// of the lesson, else of the op that computed the number.
#pragma once
#include <unordered_map>
#include <vector>

#include "apps/lesson/address.h"

namespace glassgrad::learn {

SnapshotElement element_of(const Address& address);
// Returns whether x shows all the numbers of its memory, not a part of them.
bool is_whole(const Snapshot& x);
using glassgrad::index_in;

struct CellName {
  const Step* step = nullptr;    // the step that shows it; null: none does
  const Entry* entry = nullptr;  // in that step
  std::string tensor;            // "keys", "W_query.weight", "mm"
  Dims cell;
  bool is_value = false;  // a plain number of the program: the 2 of x * 2
  bool is_given = false;  // a cell of a parameter or an input
  size_t call = 0;        // the call that computed it, to distinguish two calls of one op

  std::string brief() const { return tensor + cell_text(cell); }               // "keys[1,0]"
  std::string full() const { return (step ? step->id + ":" : "") + brief(); }  // "projections:keys[1,0]"
};

class CellNames {
 public:
  // The recording must have kept its calls and must outlive this object.
  explicit CellNames(const Recording& recording);

  // Names the number as the lesson shows it. If several places show it, prefers, in this order: a matrix over
  // its transpose, the step `here`, a whole tensor over a part, the last step before `here`, the first step
  // after it. Follows views, and copies that no step shows.
  CellName name(const SnapshotElement& cell, const Step* here) const;
  // Names every place where the step shows the number: both a matrix and its transpose. If the number is in a
  // copy that is shown, names places in that copy only.
  std::vector<CellName> names_in(const Step& step, const SnapshotElement& cell) const;
  // Returns the same number where it was first written: follows copies that no step shows.
  SnapshotElement source(const SnapshotElement& cell) const;

 private:
  struct Shown {
    const Step* step;
    const Entry* entry;
  };
  std::optional<CellName> shown(const SnapshotElement& cell, const Step* here) const;
  std::optional<CellName> given(const SnapshotElement& cell) const;
  std::optional<SnapshotElement> copied_from(const SnapshotElement& cell) const;

  const Recording& recording_;
  std::unordered_map<const Buffer*, std::vector<Shown>> shown_;
};

// Returns what the indices mean: 'query "starts" looks at key "journey"', 'token "starts", d_out 1'; empty
// for a 0-d tensor.
std::string meaning(const Recording& recording, const Entry& entry, const Dims& cell);

}  // namespace glassgrad::learn

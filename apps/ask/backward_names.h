// What to call the tensors that a backward pass goes through: as the lesson calls them where it shows them,
// "keys"; where it shows several of this name, the next ones "keys#2", "keys#3"; else by the op that made
// them and the step that sends their gradient on, "transpose@14".
#pragma once
#include <map>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

class BackwardNames {
 public:
  // Result number `nr` of a node: its seq and that.
  using Result = std::pair<uint64_t, uint32_t>;
  struct Shown {
    size_t step, entry;
    int turn;  // among those of this name, from 1
  };

  // Of the nodes in a loss's pass, whose steps are numbered from first_number on.
  BackwardNames(const Recording& forward, const Loss& loss, int first_number);

  std::string of(const Result& result) const;
  // A leaf that the lesson does not show is called by its turn at the end of the pass, "leaf#1"; empty: no
  // gradient arrives there.
  std::string of_leaf(const Snapshot& leaf) const;
  // Names a tensor that a call reads. Without a name in the pass or the lesson, spells the call that made the
  // tensor, and its inputs the same way, at most so many levels deep.
  std::string of(const Snapshot& x, int levels = 4) const;

  // Where the lesson shows it.
  const Shown* shown(const Result& result) const;
  const Entry* shown_leaf(const Snapshot& leaf) const;
  // The step that sends the gradient of this node's results on; 0: the pass does not come there.
  int number(uint64_t node) const;
  // The call that left this node; null for one that an in-place write through a view has put in its place.
  const RecordedCall* call(uint64_t node) const;

 private:
  std::string made_by(const RecordedCall& call, int levels) const;

  const Recording& forward_;
  const Loss& loss_;
  std::map<Result, Shown> shown_;
  std::map<uint64_t, int> numbers_;
  std::map<uint64_t, const RecordedCall*> calls_;
};

}  // namespace glassgrad::learn

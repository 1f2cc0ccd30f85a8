// Names for the tensors that a backward pass goes through. A tensor that the lesson shows keeps its name,
// "keys"; if the lesson shows several of this name, the next ones are "keys#2", "keys#3". Any other tensor is
// named after the op that made it and the number of the step that sends its gradient on, "transpose@14".
#pragma once
#include <map>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

class BackwardNames {
 public:
  // A result of a node: the node's seq, and the result's number `nr`.
  using Result = std::pair<uint64_t, uint32_t>;
  struct Shown {
    size_t step, entry;
    int turn;  // its place among the tensors of this name, from 1
  };

  // Names the nodes in a loss's pass, whose steps are numbered from first_number on.
  BackwardNames(const Recording& forward, const BackwardPass& pass, int first_number);

  std::string of(const Result& result) const;
  // Names a leaf. If the lesson does not show it, names it by its position among the leaves of the pass,
  // "leaf#1". Returns an empty text if the leaf gets no gradient.
  std::string of_leaf(const Snapshot& leaf) const;
  // Names a tensor that a call reads. If it has no name in the pass or the lesson, writes out the call that
  // made it, with its inputs in the same way, at most `levels` deep.
  std::string of(const Snapshot& x, int levels = 4) const;

  // Returns where the lesson shows the tensor; null if it does not.
  const Shown* shown(const Result& result) const;
  const Entry* shown_leaf(const Snapshot& leaf) const;
  // Returns the number of the step that sends the gradient of this node's results on; 0 if the pass does not
  // reach the node.
  int number(uint64_t node) const;
  // Returns the call that created this node; null for a node that an in-place write through a view created.
  const RecordedCall* call(uint64_t node) const;

 private:
  std::string made_by(const RecordedCall& call, int levels) const;

  const Recording& forward_;
  const BackwardPass& pass_;
  std::map<Result, Shown> shown_;
  std::map<uint64_t, int> numbers_;
  std::map<uint64_t, const RecordedCall*> calls_;
};

}  // namespace glassgrad::learn

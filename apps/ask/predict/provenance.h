// The cells from which a number of a recorded run was computed, call by call. Recomputes the number as if one
// of those calls had given a different result.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// Where and how a number was computed: in the call that wrote it or, if that call only copied it, in an
// earlier call. None for an input, a constant or a draw.
struct Computed {
  CellOfCall cell;
  Expr tree;
};
std::optional<Computed> computed_at(const Recorder& trace, const SnapshotElement& cell);

class Provenance {
 public:
  // A cell as its call computed it.
  struct Node {
    CellOfCall cell;
    Expr tree;
    std::vector<size_t>
        from;  // for each leaf "cell" of the tree its node, or kNone if there is none; empty: not followed
  };
  static constexpr size_t kNone = ~size_t{0};

  // Follows a cell back through the calls it was computed from, the nearest first. Stops at as many numbers
  // as a person could follow, and after the first call for which `is_last` is true.
  using IsLast = std::function<bool(const RecordedCall&)>;
  Provenance(const Recorder& trace, const CellOfCall& cell, const IsLast& is_last = {});

  const Recorder& trace() const { return trace_; }
  const std::vector<Node>& nodes() const { return nodes_; }  // the cell itself comes last
  // Returns the calls that computed the nodes, the nearest first.
  std::vector<size_t> calls() const;

  // Replaces each of that call's cells by the result of `replacement`, recomputes everything after them, and
  // returns the cell's value. Returns none if `replacement` returns nothing for all of them.
  using Replacement = std::function<std::optional<Scalar>(const Node&)>;
  std::optional<Scalar> with(size_t call, const Replacement& replacement) const;

 private:
  size_t node_of(const CellOfCall& cell);
  void expand(size_t node);

  const Recorder& trace_;
  std::vector<Node> nodes_;
  std::map<std::tuple<size_t, size_t, int64_t>, size_t> known_;
  std::map<size_t, std::vector<size_t>> pending_;  // nodes that are not expanded yet, by call
  size_t leaves_ = 0;
};

// Returns the leaves "cell" of a tree, from left to right. Stops after `most` + 1.
std::vector<const ExprNode*> cells_of(const Expr& tree, size_t most = ~size_t{0} - 1);

}  // namespace glassgrad::learn

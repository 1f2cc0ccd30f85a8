// The map of a run: the modules that ran, in order, and the position of a step or a number on it.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

// A node of the map: a module, or an op that a module runs itself, between its child modules.
struct MapNode {
  // A module has the name that its parent gives it, "norm1". An op has the name under which the lesson shows
  // its result, "scores"; a sum is "+".
  std::string name;
  std::optional<size_t> part_of = {};  // the enclosing node, listed before; none: the called module
  size_t times = 1;                    // the number of equal modules in a row, such as the blocks of a GPT
  bool is_open = false;                // its parts are always drawn: one of them has parts of its own
};

class RunMap {
 public:
  // Builds the map of a recording that has kept its calls. Without modules, the map is empty. Repeated calls
  // of a module, and calls of modules with the same parts, share one node.
  explicit RunMap(const Recording& recording);
  RunMap() = default;

  bool empty() const { return nodes_.empty(); }
  const std::vector<MapNode>& nodes() const { return nodes_; }
  // Returns the innermost node that made a call of the trace. The map must not be empty.
  std::optional<size_t> of_call(size_t call) const { return of_call_[call]; }

  // Returns the nodes that computed a step's values, in ascending order. A backward step has the nodes of the
  // step that it is about.
  std::vector<size_t> of(const Step& step) const;
  // Returns the outermost node around the step's nodes. None if no module computed the step and there are
  // several outermost nodes.
  std::optional<size_t> whole_of(const Step& step) const;

  // Writes the map around the step in at most `columns`: "tok_emb › [norm1 › ▸att: scores◂ › +]×2 ›
  // out_head". Shortens distant parts to "…". Returns an empty text if there is no map.
  std::string line(const Step& step, size_t columns) const;

 private:
  std::vector<size_t> parts_of(std::optional<size_t> node) const;
  std::string drawn(size_t node, const std::set<size_t>& here, bool with_parts, const char* next) const;

  std::vector<MapNode> nodes_;
  std::vector<std::optional<size_t>> of_call_;  // by call of the trace
  std::map<std::string, std::vector<size_t>, std::less<>> of_step_;
};

// The flow of a run's numbers over its map.
class DataFlow {
 public:
  DataFlow(const RunMap& map, const Recorder& trace);

  // The nodes from which an entry's numbers come, and the nodes that use these numbers.
  struct Flow {
    std::vector<size_t> from, to;
  };
  Flow of(const Entry& entry) const;

 private:
  using Set = std::vector<bool>;  // by node
  std::map<const Buffer*, Set> from_, to_;
};

}  // namespace glassgrad::learn

// The autograd graph of a tensor as boxes to draw. A box is one node, or a module with all its nodes.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/glass/recorder.h"

namespace glassgrad::graph {

// The names of tensors, by the node or leaf that they belong to.
struct Names {
  struct Result {
    std::string name;
    Snapshot value;
  };
  std::map<size_t, Result> nodes;  // of nodes, by place in Recorder::nodes()
  std::vector<std::pair<Snapshot, std::string>> leaves;
};

struct ValueRange {
  double least, largest;
};

struct Box {
  enum class Kind : uint8_t { Leaf, Node, Module };
  Kind kind = Kind::Node;
  std::string title;                // "MmBackward0", or for a module "att.W_query"
  size_t nodes = 1;                 // how many nodes it stands for, not counting leaves
  std::vector<std::string> leaves;  // for a module: the leaves that only it uses
  // The result of the box: its name, if it has one, its shape and the range of its cells.
  std::string tensor;
  Dims shape;
  std::optional<ValueRange> range;  // none: the tensor is empty, or was not recorded
  std::vector<size_t> from;         // the boxes whose tensors it reads, in ascending order
};

struct Graph {
  std::string title;       // "journey split-attention:context_vecs"
  std::vector<Box> boxes;  // each after those that it reads; the last is the tensor's
  size_t nodes = 0, leaves = 0;
};

// Returns the graph of everything that leads to the result of a node. Opens modules as long as the graph
// stays small, or all modules with `expand`.
Graph graph_of(const Recorder& trace, size_t node, const Names& names, bool expand);

}  // namespace glassgrad::graph

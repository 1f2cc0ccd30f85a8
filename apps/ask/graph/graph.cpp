#include "apps/ask/graph/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "engine/autograd.h"
#include "engine/glass/snapshot.h"
#include "engine/ops.h"

namespace glassgrad::graph {
namespace {

constexpr size_t kMostBoxes = 24, kNone = SIZE_MAX;

std::optional<ValueRange> range_of(const Snapshot& x) {
  if (!x || x.tensor().numel() == 0) return {};
  const NoGrad no_grad;
  const Tensor numbers = to(x.tensor(), float64);
  return ValueRange{min(numbers).item(), max(numbers).item()};
}

class Builder {
 public:
  Builder(const Recorder& trace, size_t root, const Names& names)
      : trace_(trace), names_(names), nodes_(trace.nodes()), root_(root), time_(root + 1, kNone) {
    find_reachable();
  }

  void open_all() {
    for (size_t scope = 0; scope < trace_.scopes().size(); ++scope) opened_.insert(scope);
  }
  // Opens one module after the other, the largest first, as long as the graph stays small.
  void open_large_ones();
  Graph build() const;

 private:
  bool is_leaf(size_t n) const { return nodes_[n].seq == 0; }
  const Snapshot& value(size_t n) const;
  std::string name(size_t n) const;

  void find_reachable();
  // Returns the outermost module that is not opened and holds the node.
  std::optional<size_t> closed_scope(size_t n) const;
  // Returns, for each node, the last node of its box. Sets `modules` to the scopes of boxes that stand for
  // several nodes.
  std::vector<size_t> gather(std::map<size_t, size_t>& modules) const;
  Box box_of(size_t node) const;
  Box box_of(size_t last, const std::vector<size_t>& inside, size_t module) const;

  const Recorder& trace_;
  const Names& names_;
  const std::vector<RecordedNode>& nodes_;
  size_t root_;
  std::vector<size_t> reachable_;  // ascending, so that each node comes after the nodes that it leads to
  std::set<size_t> opened_;        // scopes
  std::vector<size_t> time_;  // by node: the call that made it; if none did, the first call that needed it
};

void Builder::find_reachable() {
  std::vector<bool> reached(root_ + 1, false);
  reached[root_] = true;
  for (size_t n = root_ + 1; n-- > 0;) {
    if (!reached[n]) continue;
    reachable_.push_back(n);
    if (nodes_[n].call) time_[n] = *nodes_[n].call;
    for (const size_t to : nodes_[n].to) {
      if (to == RecordedNode::kNowhere) continue;
      reached[to] = true;
      time_[to] = std::min(time_[to], time_[n]);
    }
  }
  std::reverse(reachable_.begin(), reachable_.end());
}

std::optional<size_t> Builder::closed_scope(size_t n) const {
  std::optional<size_t> closed;
  if (is_leaf(n) || time_[n] == kNone) return closed;
  for (auto scope = trace_.calls()[time_[n]].part_of; scope; scope = trace_.scopes()[*scope].part_of)
    if (!opened_.contains(*scope)) closed = scope;
  return closed;
}

void Builder::open_large_ones() {
  for (;;) {
    std::map<size_t, size_t> modules, sizes;
    for (const size_t last : gather(modules))
      if (last != kNone && modules.contains(last)) ++sizes[modules[last]];
    const auto largest = std::max_element(sizes.begin(), sizes.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    if (largest == sizes.end()) return;
    opened_.insert(largest->first);
    const std::vector<size_t> box = gather(modules);
    const std::set<size_t> boxes(box.begin(), box.end());
    if (boxes.size() - boxes.count(kNone) <= kMostBoxes) continue;
    opened_.erase(largest->first);
    return;
  }
}

const Snapshot& Builder::value(size_t n) const {
  static const Snapshot none;
  if (is_leaf(n)) return nodes_[n].leaf;
  if (nodes_[n].call) return trace_.calls()[*nodes_[n].call].out[0];
  const auto found = names_.nodes.find(n);  // made by a call that was not recorded
  return found == names_.nodes.end() ? none : found->second.value;
}

std::string Builder::name(size_t n) const {
  if (const auto found = names_.nodes.find(n); found != names_.nodes.end()) return found->second.name;
  if (is_leaf(n))
    for (const auto& [leaf, text] : names_.leaves)
      if (same_elements(leaf, nodes_[n].leaf)) return text;
  return {};
}

std::vector<size_t> Builder::gather(std::map<size_t, size_t>& modules) const {
  std::map<size_t, std::vector<size_t>> inside;  // by scope
  std::vector<size_t> box(root_ + 1, kNone);
  modules.clear();
  for (const size_t n : reachable_) {
    box[n] = n;
    if (const auto scope = closed_scope(n)) inside[*scope].push_back(n);
  }
  for (const auto& [scope, nodes] : inside) {
    if (nodes.size() == 1) continue;
    for (const size_t n : nodes) box[n] = nodes.back();
    modules[nodes.back()] = scope;
  }
  // Put a leaf that only one module uses into the module's box.
  std::vector<size_t> user(root_ + 1, kNone), users(root_ + 1, 0);
  for (const size_t n : reachable_)
    for (const size_t to : nodes_[n].to) {
      if (to == RecordedNode::kNowhere || !is_leaf(to) || user[to] == box[n]) continue;
      user[to] = box[n];
      ++users[to];
    }
  for (const size_t n : reachable_)
    if (is_leaf(n) && users[n] == 1 && modules.contains(user[n])) box[n] = user[n];
  return box;
}

Box Builder::box_of(size_t last) const {
  return {.kind = is_leaf(last) ? Box::Kind::Leaf : Box::Kind::Node,
          .title = is_leaf(last) ? "AccumulateGrad" : nodes_[last].name,
          .leaves = {},
          .tensor = name(last),
          .shape = nodes_[last].shape,
          .range = range_of(value(last)),
          .from = {}};
}

Box Builder::box_of(size_t last, const std::vector<size_t>& inside, size_t module) const {
  Box box = box_of(last);
  box.kind = Box::Kind::Module;
  box.title = trace_.path_of(uint32_t(module));
  box.nodes = 0;
  for (const size_t n : inside) {
    if (!is_leaf(n))
      ++box.nodes;
    else
      box.leaves.push_back(name(n).empty() ? fmt::format("a leaf {}", to_string(nodes_[n].shape)) : name(n));
  }
  return box;
}

Graph Builder::build() const {
  Graph graph;
  std::map<size_t, size_t> modules;
  const std::vector<size_t> box = gather(modules);
  std::map<size_t, std::vector<size_t>> members;  // by their last node, which is never a leaf of a module
  for (const size_t n : reachable_) members[box[n]].push_back(n);

  // Sort a box by its last node. Everything that the box reads is made before that.
  std::map<size_t, size_t> place;
  for (const auto& [last, inside] : members) {
    const auto module = modules.find(last);
    place[last] = graph.boxes.size();
    Box made = module == modules.end() ? box_of(last) : box_of(last, inside, module->second);
    for (const size_t n : inside)
      for (const size_t to : nodes_[n].to)
        if (to != RecordedNode::kNowhere && box[to] != last) made.from.push_back(place.at(box[to]));
    std::sort(made.from.begin(), made.from.end());
    made.from.erase(std::unique(made.from.begin(), made.from.end()), made.from.end());
    graph.boxes.push_back(std::move(made));
  }
  for (const size_t n : reachable_) ++(is_leaf(n) ? graph.leaves : graph.nodes);
  return graph;
}

}  // namespace

Graph graph_of(const Recorder& trace, size_t node, const Names& names, bool expand) {
  Builder builder(trace, node, names);
  if (expand)
    builder.open_all();
  else
    builder.open_large_ones();
  return builder.build();
}

}  // namespace glassgrad::graph

#include "apps/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/autograd.h"
#include "engine/ops.h"

namespace glassgrad::graph {
namespace {

constexpr size_t kMostBoxes = 24, kNone = SIZE_MAX;

std::optional<Range> range_of(const Snapshot& x) {
  if (!x || x.tensor().numel() == 0) return {};
  const NoGrad no_grad;
  const Tensor numbers = to(x.tensor(), float64);
  return Range{min(numbers).item(), max(numbers).item()};
}

class Builder {
 public:
  Builder(const Recorder& trace, size_t root, const Names& names)
      : trace_(trace), names_(names), nodes_(trace.nodes()), root_(root), time_(root + 1, kNone) {
    find_reachable();
  }

  size_t deepest() const {
    size_t levels = 0;
    for (const size_t n : reachable_) levels = std::max(levels, scopes_of(n).size());
    return levels;
  }
  // With `levels` of modules opened.
  Graph build(size_t levels) const;

 private:
  bool is_leaf(size_t n) const { return nodes_[n].seq == 0; }
  const Snapshot& value(size_t n) const;
  std::string name(size_t n) const;

  void find_reachable();
  std::vector<size_t> scopes_of(size_t n) const;  // from the outermost on
  std::string path(size_t scope) const;
  // Which nodes one box holds: by node, the last of them.
  std::vector<size_t> gather(size_t levels, std::map<size_t, std::string>& titles) const;
  Box box_of(size_t last, const std::vector<size_t>& inside, const std::string* title) const;

  const Recorder& trace_;
  const Names& names_;
  const std::vector<RecordedNode>& nodes_;
  size_t root_;
  std::vector<size_t> reachable_;  // ascending, so that each comes after those that it leads to
  std::vector<size_t> time_;       // by node: the call that made it or, where none did, first needed it
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

std::vector<size_t> Builder::scopes_of(size_t n) const {
  std::vector<size_t> chain;
  if (is_leaf(n) || time_[n] == kNone) return chain;
  for (auto scope = trace_.calls()[time_[n]].part_of; scope; scope = trace_.scopes()[*scope].part_of)
    chain.push_back(*scope);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

// Without the module that was called: all stand in it.
std::string Builder::path(size_t scope) const {
  std::string text = trace_.scopes()[scope].name;
  for (auto outer = trace_.scopes()[scope].part_of; outer; outer = trace_.scopes()[*outer].part_of)
    if (trace_.scopes()[*outer].part_of) text = fmt::format("{}.{}", trace_.scopes()[*outer].name, text);
  return text;
}

const Snapshot& Builder::value(size_t n) const {
  static const Snapshot none;
  if (is_leaf(n)) return nodes_[n].leaf;
  return nodes_[n].call ? trace_.calls()[*nodes_[n].call].out[0] : none;
}

std::string Builder::name(size_t n) const {
  if (const auto found = names_.nodes.find(n); found != names_.nodes.end()) return found->second;
  if (is_leaf(n))
    for (const auto& [leaf, text] : names_.leaves)
      if (leaf.buffer == nodes_[n].leaf.buffer && leaf.offset == nodes_[n].leaf.offset &&
          leaf.shape == nodes_[n].leaf.shape && leaf.strides == nodes_[n].leaf.strides)
        return text;
  return {};
}

std::vector<size_t> Builder::gather(size_t levels, std::map<size_t, std::string>& titles) const {
  std::map<size_t, std::vector<size_t>> modules;  // by scope
  std::vector<size_t> box(root_ + 1, kNone);
  for (const size_t n : reachable_) {
    box[n] = n;
    if (const std::vector<size_t> chain = scopes_of(n); chain.size() > levels)
      modules[chain[levels]].push_back(n);
  }
  for (const auto& [scope, inside] : modules) {
    if (inside.size() == 1) continue;
    for (const size_t n : inside) box[n] = inside.back();
    titles[inside.back()] = path(scope);
  }
  // A leaf that one module alone uses is part of it.
  std::vector<size_t> user(root_ + 1, kNone), users(root_ + 1, 0);
  for (const size_t n : reachable_)
    for (const size_t to : nodes_[n].to) {
      if (to == RecordedNode::kNowhere || !is_leaf(to) || user[to] == box[n]) continue;
      user[to] = box[n];
      ++users[to];
    }
  for (const size_t n : reachable_)
    if (is_leaf(n) && users[n] == 1 && titles.contains(user[n])) box[n] = user[n];
  return box;
}

Box Builder::box_of(size_t last, const std::vector<size_t>& inside, const std::string* title) const {
  Box box{.title = title ? *title : nodes_[last].name,
          .leaves = {},
          .tensor = name(last),
          .shape = nodes_[last].shape,
          .range = range_of(value(last)),
          .from = {}};
  if (title) {
    box.kind = Box::Kind::Module;
    box.nodes = 0;
    for (const size_t n : inside) {
      if (!is_leaf(n))
        ++box.nodes;
      else
        box.leaves.push_back(name(n).empty() ? to_string(nodes_[n].shape) : name(n));
    }
  } else if (is_leaf(last)) {
    box.kind = Box::Kind::Leaf;
    box.title = "AccumulateGrad";
  }
  return box;
}

Graph Builder::build(size_t levels) const {
  Graph graph;
  std::map<size_t, std::string> titles;
  const std::vector<size_t> box = gather(levels, titles);
  std::map<size_t, std::vector<size_t>> members;  // by their last node, which is never a leaf of a module
  for (const size_t n : reachable_) members[box[n]].push_back(n);

  // A box stands where the last of its nodes does: nothing that it reads is made later.
  std::map<size_t, size_t> place;
  for (const auto& [last, inside] : members) {
    const auto title = titles.find(last);
    place[last] = graph.boxes.size();
    Box made = box_of(last, inside, title == titles.end() ? nullptr : &title->second);
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
  const Builder builder(trace, node, names);
  const size_t deepest = builder.deepest();
  if (expand) return builder.build(deepest);
  Graph best = builder.build(0);
  for (size_t levels = 1; levels <= deepest; ++levels) {
    Graph more = builder.build(levels);
    if (more.boxes.size() > kMostBoxes) break;
    if (more.boxes.size() > best.boxes.size()) best = std::move(more);
  }
  return best;
}

}  // namespace glassgrad::graph

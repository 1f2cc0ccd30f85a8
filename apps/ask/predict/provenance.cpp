#include "apps/ask/predict/provenance.h"

#include <algorithm>
#include <stdexcept>

namespace glassgrad::learn {
namespace {

constexpr size_t kMostLeaves = 20'000;

void collect(const Expr& tree, size_t most, std::vector<const ExprNode*>& cells) {
  if (cells.size() > most) return;
  if (tree->op == "cell") cells.push_back(tree.operator->());
  for (const Expr& input : tree->inputs) collect(input, most, cells);
}

// Returns the function of numbers/scalar.def that has this name.
std::optional<ScalarFunction> function_called(std::string_view name) {
#define SCALAR(function, ...) \
  if (name == #function) return ScalarFunction::function;
#include "engine/numbers/scalar.def"
  return {};
}

Expr combined(const ExprNode& t, const std::vector<Expr>& in) {
  if (t.op == "sum") return sum(in);
  if (t.op == "prod") return prod(in, t.value.dtype);
  if (t.op == "max") return max(in);
  if (t.op == "min") return min(in);
  if (t.op == "all") return all(in);
  if (t.op == "any") return any(in);
  if (t.op == "dot") {
    std::vector<Expr> a, b;
    for (const Expr& product : in) a.push_back(product->inputs[0]), b.push_back(product->inputs[1]);
    return dot(a, b, true);
  }
  if (t.op == "cast") return cast(in[0], t.value.dtype);
  if (t.op == "where") return where(in[0], in[1], in[2]);
  if (t.op == "pick") return in[0];
  if (t.op == "found") return found(t.label, in, t.value);
  if (t.op == "eq") return in[0] == in[1];
  if (t.op == "ne") return in[0] != in[1];
  if (t.op == "lt") return in[0] < in[1];
  if (t.op == "le") return in[0] <= in[1];
  if (t.op == "gt") return in[0] > in[1];
  if (t.op == "ge") return in[0] >= in[1];
  if (t.op == "and") return in[0] && in[1];
  if (t.op == "or") return in[0] || in[1];
  if (t.op == "not") return !in[0];
  if (t.op == "isinf") return is_infinite(in[0]);
  const auto f = function_called(t.op);
  if (!f) throw std::logic_error("no arithmetic called " + std::string(t.op));
  return apply(*f, in);
}

// Rebuilds the arithmetic with different numbers: `values` has one for each leaf "cell".
Expr rebuilt(const Expr& tree, const std::vector<Scalar>& values, size_t& next) {
  if (tree->op == "cell") return number(values[next++]);
  if (tree->inputs.empty()) return tree;
  std::vector<Expr> inputs;
  for (const Expr& input : tree->inputs) inputs.push_back(rebuilt(input, values, next));
  return combined(*tree.operator->(), inputs);
}

// Returns the leaf that a tree copies; null if the tree computes something.
const ExprNode* copied(const Expr& tree) {
  const Expr& inside = tree->op == "cast" || tree->op == "pick" ? tree->inputs[0] : tree;
  return inside->op == "cell" ? inside.operator->() : nullptr;
}

}  // namespace

std::vector<const ExprNode*> cells_of(const Expr& tree, size_t most) {
  std::vector<const ExprNode*> cells;
  collect(tree, most, cells);
  return cells;
}

std::optional<Computed> computed_at(const Recorder& trace, const SnapshotElement& cell) {
  std::optional<CellOfCall> written = trace.writer(cell.x, cell.index);
  while (written) {
    Expr tree = trace.open(*written).expression;
    const ExprNode* const leaf = copied(tree);
    if (!leaf)
      return tree->inputs.empty() ? std::nullopt : std::optional(Computed{*written, std::move(tree)});
    written = trace.writer(trace.calls()[written->call].in[size_t(leaf->input)], leaf->index);
  }
  return {};
}

Provenance::Provenance(const Recorder& trace, const CellOfCall& cell, const IsLast& is_last) : trace_(trace) {
  node_of(cell);
  // A cell is computed from cells of earlier calls: after a call's turn no more of its nodes are found.
  std::vector<std::vector<size_t>> nearest_first;
  while (!pending_.empty()) {
    auto nearest = pending_.extract(std::prev(pending_.end()));
    for (const size_t node : nearest.mapped()) expand(node);
    nearest_first.push_back(std::move(nearest.mapped()));
    if (is_last && is_last(trace.calls()[nearest.key()])) break;
  }
  std::vector<size_t> place(nodes_.size(), kNone);
  std::vector<Node> sorted;
  for (auto of_call = nearest_first.rbegin(); of_call != nearest_first.rend(); ++of_call)
    for (const size_t node : *of_call) place[node] = sorted.size(), sorted.push_back(std::move(nodes_[node]));
  for (Node& node : sorted)
    for (size_t& from : node.from)
      if (from != kNone) from = place[from];
  nodes_ = std::move(sorted);
}

size_t Provenance::node_of(const CellOfCall& cell) {
  const RecordedCall& call = trace_.calls()[cell.call];
  int64_t flat = 0;
  for (int d = 0; d < cell.index.n; ++d) flat = flat * call.out[cell.out].shape()[d] + cell.index[d];
  const auto [found, is_new] = known_.try_emplace({cell.call, cell.out, flat}, nodes_.size());
  if (is_new) {
    pending_[cell.call].push_back(nodes_.size());
    nodes_.push_back({cell, trace_.open(cell).expression, {}});
  }
  return found->second;
}

void Provenance::expand(size_t node) {
  const CellOfCall cell = nodes_[node].cell;
  const std::vector<const ExprNode*> cells = cells_of(nodes_[node].tree, kMostLeaves);
  leaves_ += cells.size();
  if (leaves_ > kMostLeaves) return;
  std::vector<size_t> from(cells.size(), kNone);
  for (size_t i = 0; i < cells.size(); ++i)
    if (const auto writer =
            trace_.writer(trace_.calls()[cell.call].in[size_t(cells[i]->input)], cells[i]->index))
      from[i] = node_of(*writer);
  nodes_[node].from = std::move(from);
}

std::vector<size_t> Provenance::calls() const {
  std::vector<size_t> calls;
  for (size_t i = nodes_.size(); i-- > 0;)
    if (calls.empty() || calls.back() != nodes_[i].cell.call) calls.push_back(nodes_[i].cell.call);
  return calls;
}

std::optional<Scalar> Provenance::with(size_t call, const Replacement& replacement) const {
  std::vector<std::optional<Scalar>> changed(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.cell.call == call) {
      changed[i] = replacement(node);
      continue;
    }
    const auto is_changed = [&](size_t from) { return from != kNone && changed[from]; };
    if (std::none_of(node.from.begin(), node.from.end(), is_changed)) continue;
    std::vector<Scalar> values;
    const std::vector<const ExprNode*> cells = cells_of(node.tree);
    for (size_t k = 0; k < cells.size(); ++k)
      values.push_back(is_changed(node.from[k]) ? *changed[node.from[k]] : cells[k]->value);
    size_t next = 0;
    const ConstantsAs dtype(node.tree.dtype());
    changed[i] = rebuilt(node.tree, values, next).value();
  }
  return changed.back();
}

}  // namespace glassgrad::learn

// Explains a fused op by the ops that compute the same.
#include <map>
#include <tuple>

#include "../autograd.h"
#include "recorder.h"

namespace glassgrad {
namespace {

class Composition {
 public:
  explicit Composition(const Cell& cell) : cell_(cell), recorder_(false) {
    for (const Tensor* x : cell.call.in) inputs_.push_back(x && *x ? x->detach() : Tensor());
    for (const Tensor& x : inputs_) given_.push_back(recorder_.snapshots().take(x));
  }
  Expr opened(const std::function<Tensor(std::span<const Tensor>)>& f) {
    Tensor y;
    {
      const Watch watch(&recorder_);
      y = f(inputs_);
    }
    return at(recorder_.snapshots().take(y), cell_.index);
  }

 private:
  // Opens a cell of the recording through the call that computed it, down to cells of the inputs.
  Expr at(const Snapshot& x, const Dims& index) {
    const auto writer = recorder_.writer(x, index);
    if (!writer) return of_input({x, index});
    const auto& [call, out, place] = *writer;
    const int64_t flat = offset_of_index(place, contiguous_strides(recorder_.calls()[call].out[out].shape()));
    const auto key = std::tuple(call, out, flat);
    if (const auto known = cells_.find(key); known != cells_.end()) return known->second;
    const Opened tree = recorder_.open(*writer);
    std::map<const ExprNode*, Expr> seen;
    return cells_.emplace(key, followed(tree.expression, recorder_.calls()[call], seen)).first->second;
  }
  Expr of_input(const SnapshotElement& number) const {
    for (size_t k = 0; k < given_.size(); ++k)
      if (given_[k])
        if (const auto index = index_in(given_[k], number)) return cell_.in(k, *index);
    return glassgrad::number(element(number.x.tensor(), number.index));
  }
  // Copies the tree with its cells opened. Equal subexpressions share one node.
  Expr followed(const Expr& e, const RecordedCall& call, std::map<const ExprNode*, Expr>& seen) {
    if (const auto known = seen.find(e.operator->()); known != seen.end()) return known->second;
    Expr result = e;
    if (e->op == "cell") {
      result = at(call.in[size_t(e->input)], e->index);
    } else if (!e->inputs.empty()) {
      ExprNode node = *e.operator->();
      std::vector<const ExprNode*> inputs;
      for (Expr& in : node.inputs) inputs.push_back((in = followed(in, call, seen)).operator->());
      const auto bits = std::pair(__builtin_bit_cast(uint64_t, node.value.real), node.value.whole);
      const auto key = std::tuple(node.op, std::move(inputs), bits, node.label);
      const auto known = nodes_.find(key);
      result =
          known != nodes_.end() ? known->second : nodes_.emplace(key, Expr(std::move(node))).first->second;
    }
    seen.emplace(e.operator->(), result);
    return result;
  }

  const Cell& cell_;
  Recorder recorder_;
  std::vector<Tensor> inputs_;
  std::vector<Snapshot> given_;
  std::map<std::tuple<size_t, size_t, int64_t>, Expr> cells_;
  std::map<
      std::tuple<std::string_view, std::vector<const ExprNode*>, std::pair<uint64_t, int64_t>, std::string>,
      Expr>
      nodes_;
};

}  // namespace

Expr why_in_ops(const Cell& cell, const std::function<Tensor(std::span<const Tensor>)>& f) {
  return Composition(cell).opened(f);
}

}  // namespace glassgrad

#include "apps/ask/why/softmax.h"

#include "apps/ask/why/product.h"

namespace glassgrad::why {

// Reads the tree of why_softmax (engine/ops/softmax.cpp): exp · (1 / sum), or exp / sum.
std::optional<Softmax> softmax_of(const OpenedCell& cell) {
  if (!cell.opened || cell.call->op->name != std::string_view("softmax")) return {};
  const ExprNode& root = without_casts(cell.opened->expression);
  const Expr &own = root.inputs[0], &row = root.op == "mul" ? root.inputs[1]->inputs[1] : root.inputs[1];
  const Expr& distance = own->inputs[0];

  Softmax softmax{
      .call = cell.call, .terms = {}, .max = distance->inputs[1].value(), .sum = row.value(), .total = {}};
  const Tensor shares = cell.call->out[0].tensor();
  std::vector<Expr> all;
  for (const Expr& e : row->inputs) {
    if (e.operator->() == own.operator->()) softmax.own = softmax.terms.size();
    const ExprNode& score = without_casts(e->inputs[0]->inputs[0]);
    const Scalar share = element(shares, score.index);
    softmax.terms.push_back({&score, score.index, e->inputs[0].value(), e.value(), share});
    all.push_back(cast(number(share), row.dtype()));
  }
  softmax.total = sum(std::move(all)).value();
  return softmax;
}

}  // namespace glassgrad::why

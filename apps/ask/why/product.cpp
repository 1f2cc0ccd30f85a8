#include "apps/ask/why/product.h"

#include <algorithm>

namespace glassgrad::why {
namespace {

bool is_cell(const Expr& e) { return e->op == "cell"; }
bool is_product(const Expr& e) {
  const ExprNode& node = without_casts(e);
  return node.op == "mul" && is_cell(node.inputs[0]) && is_cell(node.inputs[1]);
}
bool is_sum(const ExprNode& node) {
  return (node.op == "dot" || node.op == "sum") && !node.inputs.empty() &&
         std::all_of(node.inputs.begin(), node.inputs.end(), is_product);
}

}  // namespace

const ExprNode& without_casts(const Expr& e) {
  const ExprNode* node = e.operator->();
  while (node->op == "cast") node = node->inputs.front().operator->();
  return *node;
}

std::optional<Product> product_of(const learn::Recording& recording, const OpenedCell& cell) {
  if (!cell.opened) return {};
  const ExprNode& root = without_casts(cell.opened->expression);
  const bool has_bias = root.op == "add" && without_casts(root.inputs[0]).op == "cell";
  const ExprNode& sum = has_bias ? without_casts(root.inputs[1]) : root;
  if (!is_sum(sum)) return {};

  const auto writer = recording.trace->writer(cell.place.x, cell.place.index);
  Product product{.call = cell.call, .cell = writer->index, .terms = {}, .has_bias = has_bias};
  Expr total = cast(number(Scalar{.dtype = int64}), sum.inputs.front().dtype());
  for (const Expr& e : sum.inputs) {
    const ExprNode& node = without_casts(e);
    total = sum.op == "dot" ? fma(node.inputs[0], node.inputs[1], number(total.value())) : total + e;
    total = number(total.value());
    product.terms.push_back(
        {node.inputs[0].operator->(), node.inputs[1].operator->(), e.value(), total.value()});
  }
  if (has_bias) {
    const Expr& bias = root.inputs[0];
    total = bias + cast(total, bias.dtype());
    product.terms.push_back({&without_casts(bias), nullptr, bias.value(), total.value()});
  }
  product.is_exact = same_bits(cast(total, cell.value.dtype).value(), cell.value);
  return product;
}

std::optional<learn::SnapshotElement> copied_from(const learn::CellNames& names, const OpenedCell& cell) {
  if (!cell.opened) return {};
  const Expr& root = cell.opened->expression;
  if (!is_cell(root)) return {};
  return names.source({cell.call->in[size_t(root->input)], root->index});
}

learn::SnapshotElement place_of(const learn::CellNames& names, const Product& product, const ExprNode& cell) {
  return names.source({product.call->in[size_t(cell.input)], cell.index});
}

}  // namespace glassgrad::why

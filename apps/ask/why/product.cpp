#include "apps/ask/why/product.h"

#include <algorithm>

namespace glassgrad::why {
namespace {

const Term& without_casts(const Expr& e) {
  const Term* term = e.operator->();
  while (term->op == "cast") term = term->inputs.front().operator->();
  return *term;
}
bool is_cell(const Expr& e) { return e->op == "cell"; }
bool is_product(const Expr& e) {
  const Term& term = without_casts(e);
  return term.op == "mul" && is_cell(term.inputs[0]) && is_cell(term.inputs[1]);
}
bool is_sum(const Term& term) {
  return (term.op == "dot" || term.op == "sum") && !term.inputs.empty() &&
         std::all_of(term.inputs.begin(), term.inputs.end(), is_product);
}

}  // namespace

std::optional<Product> product_of(const learn::Recording& recording, const OpenedCell& cell) {
  if (!cell.opened) return {};
  const Term& root = without_casts(cell.opened->expression);
  const bool has_bias = root.op == "add" && without_casts(root.inputs[0]).op == "cell";
  const Term& sum = has_bias ? without_casts(root.inputs[1]) : root;
  if (!is_sum(sum)) return {};

  const auto writer = recording.trace->writer(cell.place.x, cell.place.index);
  Product product{.call = cell.call, .cell = writer->index, .terms = {}, .has_bias = has_bias};
  Expr total = cast(number(Scalar{.dtype = int64}), sum.inputs.front().dtype());
  for (const Expr& e : sum.inputs) {
    const Term& term = without_casts(e);
    total = sum.op == "dot" ? fma(term.inputs[0], term.inputs[1], number(total.value())) : total + e;
    total = number(total.value());
    product.terms.push_back(
        {term.inputs[0].operator->(), term.inputs[1].operator->(), e.value(), total.value()});
  }
  if (has_bias) {
    const Expr& bias = root.inputs[0];
    total = bias + cast(total, bias.dtype());
    product.terms.push_back({&without_casts(bias), nullptr, bias.value(), total.value()});
  }
  product.is_exact = same_bits(cast(total, cell.value.dtype).value(), cell.value);
  return product;
}

std::optional<learn::Element> copied_from(const learn::CellNames& names, const OpenedCell& cell) {
  if (!cell.opened) return {};
  const Expr& root = cell.opened->expression;
  if (!is_cell(root)) return {};
  return names.source({cell.call->in[size_t(root->input)], root->index});
}

learn::Element place_of(const learn::CellNames& names, const Product& product, const Term& cell) {
  return names.source({product.call->in[size_t(cell.input)], cell.index});
}

}  // namespace glassgrad::why

// A cell of a matrix product, term by term: the arithmetic of its opened cell, added up as far as one likes.
#pragma once
#include <optional>
#include <vector>

#include "apps/ask/why/opened_cell.h"

namespace glassgrad::why {

struct ProductTerm {
  const Term *left, *right;  // cells of the call's inputs; of a bias left alone
  Scalar product;            // of the two; the bias itself
  Scalar sum;                // of all terms up to this one, as the kernel adds
};

struct Product {
  const RecordedCall* call;
  Dims cell;  // of the call's first result
  std::vector<ProductTerm> terms;
  bool has_bias = false;  // the last term is one
  bool is_exact = true;   // the last sum has the cell's bits; else the kernel adds in a different order
};

// None: the number is no sum of products of two cells each (mm, bmm, mv, dot, addmm).
// The terms' cells lie in the opened cell, which outlives them.
std::optional<Product> product_of(const learn::Recording& recording, const OpenedCell& cell);
std::optional<Product> product_of(const learn::Recording& recording, OpenedCell&& cell) = delete;

// The cell whose number was copied here as it is, as into a row that a loop fills; none: it was not.
std::optional<learn::Element> copied_from(const learn::CellNames& names, const OpenedCell& cell);

// What a term's cell is called; the terms and the recording outlive it.
learn::Element place_of(const learn::CellNames& names, const Product& product, const Term& cell);

}  // namespace glassgrad::why

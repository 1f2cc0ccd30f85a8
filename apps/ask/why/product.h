// A cell of a matrix product, term by term, with the sum after each term.
#pragma once
#include <optional>
#include <vector>

#include "apps/ask/why/opened_cell.h"

namespace glassgrad::why {

// Returns the node below the casts.
const ExprNode& without_casts(const Expr& e);

struct ProductTerm {
  const ExprNode *left, *right;  // cells of the call's inputs; a bias has only left
  Scalar product;                // of the two cells; for a bias, the bias itself
  Scalar sum;                    // of all terms up to this one, as the kernel adds
};

struct Product {
  const RecordedCall* call;
  Dims cell;  // of the call's first result
  std::vector<ProductTerm> terms;
  bool has_bias = false;  // the last term is a bias
  bool is_exact = true;   // the last sum has the cell's bits; else the kernel adds in a different order
};

// Returns none if the number is not a sum of products of two cells (mm, bmm, mv, dot, addmm). The terms point
// into `cell`, which must outlive them.
std::optional<Product> product_of(const learn::Recording& recording, const OpenedCell& cell);
std::optional<Product> product_of(const learn::Recording& recording, OpenedCell&& cell) = delete;

// Returns the cell whose number was copied here unchanged, for example into a row that a loop fills; none if
// it was not copied.
std::optional<learn::SnapshotElement> copied_from(const learn::CellNames& names, const OpenedCell& cell);

// Returns where the number of a term's cell was first written; the terms and the recording outlive it.
learn::SnapshotElement place_of(const learn::CellNames& names, const Product& product, const ExprNode& cell);

}  // namespace glassgrad::why

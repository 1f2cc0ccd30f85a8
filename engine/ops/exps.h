// How the softmax of a row comes about, for what ops show of their cells.
#pragma once
#include <vector>

#include "../glass/expression.h"

namespace glassgrad {

// exp(x − max) of each number of a row, with that max and their sum.
struct Exps {
  Expr top, sum;
  std::vector<Expr> exps;
};
inline Exps exps_of(const std::vector<Expr>& row) {
  const Expr top = max(row).called("max");
  std::vector<Expr> exps;
  for (const Expr& x : row) exps.push_back(exp(x - top));
  return {top, sum(exps).called("row sum"), exps};
}

}  // namespace glassgrad

// A cell of a softmax with its whole row: the scores, their exps, and the shares of 1 that come of them.
#pragma once
#include <optional>
#include <vector>

#include "apps/ask/why/opened_cell.h"

namespace glassgrad::why {

struct SoftmaxTerm {
  const ExprNode* score;  // a cell of the call's input
  Dims cell;              // of the call's result
  Scalar distance, exp;   // score − max, and its exp
  Scalar share;           // the result
};

struct Softmax {
  const RecordedCall* call;
  std::vector<SoftmaxTerm> terms;
  size_t own = 0;   // the term of the opened cell
  Scalar max, sum;  // of the scores; of the exps
  Scalar total;     // of the shares, added from the first to the last
};

// Returns none if no softmax has computed the number. The terms point into `cell`, which must outlive them.
std::optional<Softmax> softmax_of(const OpenedCell& cell);
std::optional<Softmax> softmax_of(OpenedCell&& cell) = delete;

}  // namespace glassgrad::why

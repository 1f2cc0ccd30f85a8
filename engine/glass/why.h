// What an op's row says about one cell of its result: how it came about, in the numbers that the op read.
// Every Op names such a function (Op::why), which stands beside the op.
#pragma once
#include "../trace.h"
#include "expression.h"

namespace glassgrad {

struct Cell {
  const Call& call;  // inputs hold what the op read: of an in-place op, what was there before
  size_t out;        // which result of the op
  Dims index;        // of the cell in it

  const Tensor& input(size_t k) const { return *call.in[k]; }
  const Tensor& result() const { return call.out[out]; }
  bool has_input(size_t k) const { return k < call.in.size() && *call.in[k]; }
  // The op's attributes, which are of this type.
  template <class A>
  const A& attr() const {
    return *call.attr.as<A>();
  }

  // What the kernels computed in, which is the result's dtype unless that is narrow; open() rounds.
  DType dtype() const { return computed_in(result().dtype()); }
  // The element of input k at this place, a narrow one widened …
  Expr in(size_t k, const Dims& place) const;
  // … and at the cell's own place, input k broadcast to the result's shape.
  Expr in(size_t k) const;
  // Those of input k along `dim` through the cell's own place; a 0-d tensor is a line of one.
  std::vector<Expr> line(size_t k, int64_t dim) const;
  // The element that lies so many elements after the first of input k.
  Expr at(size_t k, int64_t place) const;
  // The number in the cell.
  Scalar value() const;
  // The cell's index in the result's logical order, its last dimension fastest, and the other way round.
  int64_t flat() const;
};
Scalar element(const Tensor& x, const Dims& index);

// The tree of one cell. Its root has the cell's own value; `rounding` is how far the tree's arithmetic, done
// in the order shown, ends from it (0: the same bits).
struct Opened {
  Expr expression;
  double rounding = 0;
};
Opened open(const Cell& cell);

// ---- explanations that many ops share, beside those of trace.h
Expr why_drawn(const Cell& cell);     // a generator's draw
Expr why_constant(const Cell& cell);  // a number that the op was told to write

}  // namespace glassgrad

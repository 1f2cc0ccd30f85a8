// Explains how one cell of an op's result was computed from the numbers that the op read. Every Op has such a
// function (Op::why), defined beside the op.
#pragma once
#include <functional>
#include <span>

#include "../trace.h"
#include "expression.h"

namespace glassgrad {

struct Cell {
  const Call& call;  // inputs hold what the op read; for an in-place op, the values before the write
  size_t out;        // which result of the op
  Dims index;        // the cell's index in it

  const Tensor& input(size_t k) const { return *call.in[k]; }
  const Tensor& result() const { return call.out[out]; }
  bool has_input(size_t k) const { return k < call.in.size() && *call.in[k]; }
  // The op's attributes, which must have type A.
  template <class A>
  const A& attr() const {
    return *call.attr.as<A>();
  }

  // The dtype that the kernels computed in: the result's, unless that is narrow; open() rounds.
  DType dtype() const { return computed_in(result().dtype()); }
  // The element of input k at `place`, widened if narrow …
  Expr in(size_t k, const Dims& place) const;
  // … and at the cell's own place, with input k broadcast to the result's shape.
  Expr in(size_t k) const;
  // The elements of input k along `dim` through the cell's own place; a single one for a 0-d tensor.
  std::vector<Expr> line(size_t k, int64_t dim) const;
  // The element that lies `place` elements after the first of input k in memory.
  Expr at(size_t k, int64_t place) const;
  // The number in the cell.
  Scalar value() const;
  // The cell's position in the result's logical order, the last dimension fastest.
  int64_t flat() const;
};
Scalar element(const Tensor& x, const Dims& index);
// The element as a 0-d tensor in x's memory.
Tensor element_tensor(const Tensor& x, const Dims& index);
// True if the call's result y only shows memory of an input: nothing was written.
bool is_view_of_input(const Call& call, const Tensor& y);

// The tree of one cell. Its root has the cell's own value; `rounding` is that value minus the result of the
// tree's arithmetic in the order shown (0: the same bits).
struct Opened {
  Expr expression;
  double rounding = 0;
};
Opened open(const Cell& cell);

// ---- explanations that many ops share, in addition to those of trace.h
Expr why_drawn(const Cell& cell);     // a generator's draw
Expr why_constant(const Cell& cell);  // a number that the op was told to write
// The arithmetic of this cell as an element of f(inputs of the cell's call), through all ops that f calls,
// forward and backward, down to cells of the inputs. For a fused op: f computes the same from other ops.
Expr why_in_ops(const Cell& cell, const std::function<Tensor(std::span<const Tensor>)>& f);

}  // namespace glassgrad

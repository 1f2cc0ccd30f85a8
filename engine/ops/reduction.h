// Shared by the reductions: the dimensions that they reduce.
#pragma once
#include <optional>

#include "../glass/why.h"
#include "layout.h"

namespace glassgrad {

// The attributes of a reduction.
struct ReduceDims {
  Dims shape;  // of the input
  Dims dims;   // the reduced dimensions, not negative
  bool keepdim = false;

  static constexpr AttrNames kNames{"", "dim", "keepdim"};
  bool reduces(int d) const {
    for (int64_t reduced : dims)
      if (reduced == d) return true;
    return false;
  }
  // The result's shape; if `kept`, with ones for the reduced dimensions.
  Dims result(bool kept) const {
    Dims r;
    for (int d = 0; d < shape.n; ++d)
      if (!reduces(d))
        r.push(shape[d]);
      else if (kept)
        r.push(1);
    return r;
  }
  Dims result() const { return result(keepdim); }
  // How many elements are reduced to one.
  int64_t count() const {
    int64_t n = 1;
    for (int d = 0; d < shape.n; ++d)
      if (reduces(d)) n *= shape[d];
    return n;
  }
};
ReduceDims over_all(const Tensor& x);
// Without dims, reduces all. Throws IndexError for a dim out of range, RuntimeError `dim 0 appears multiple
// times in the list of dims`.
ReduceDims over(const Tensor& x, const Dims& dims, bool keepdim);

// Returns a reduction's result (or its gradient) with size 1 for the reduced dimensions, so that it
// broadcasts with the input.
Tensor unreduced(const Tensor& y, const ReduceDims& a);

// Returns the elements of input 0 that are reduced to cell c, in logical order; cast to the dtype, if any.
std::vector<Expr> elements_of(const Cell& c, const ReduceDims& a, std::optional<DType> dtype = {});

// Returns the result y as kernels see it: in the input's shape, with stride 0 along the reduced dimensions.
View cells_of(const Tensor& y, const ReduceDims& a);

// y = √Σ x² for y of the kind that cells_of returns.
void norm_on_cpu(const View& x, const View& y);

// Loops over a reduction. each(f) calls f(i, offset) for each cell i of the result, `offset` being that of
// the cell's first element in x. each_element(f) calls f(k) with the offsets of a cell's elements from that
// first one.
struct Cells {
  Dims kept, kept_strides, reduced, reduced_strides;

  // y: cells_of the result.
  Cells(const View& x, const View& y) {
    for (int d = 0; d < x.shape.n; ++d) {
      (y.strides[d] ? kept : reduced).push(x.shape[d]);
      (y.strides[d] ? kept_strides : reduced_strides).push(x.strides[d]);
    }
  }
  // From now on, visits a cell's elements in memory order. For reductions in which PyTorch does so.
  Cells& by_memory() {
    const Dims order = memory_order(reduced, reduced_strides), sizes = reduced, strides = reduced_strides;
    for (int i = 0; i < order.n; ++i) {
      reduced[i] = sizes[order[order.n - 1 - i]];
      reduced_strides[i] = strides[order[order.n - 1 - i]];
    }
    return *this;
  }
  bool side_by_side() const { return is_contiguous(reduced, reduced_strides); }
  template <class F>
  void each(F f) const {
    int64_t i = 0;
    walk(kept, {kept_strides}, [&](int64_t offset) { f(i++, offset); });
  }
  template <class F>
  void each_element(F f) const {
    walk(reduced, {reduced_strides}, f);
  }
};

}  // namespace glassgrad

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

// The cells of x for y of that kind. Their elements are in logical order or, for reductions in which PyTorch
// does so, in memory order.
enum class CellOrder { Logical, Memory };
Cells cells_in(const View& x, const View& y, CellOrder order = CellOrder::Logical);

// The CPU's reductions: takes each element of a cell by part.add(element), beginning with a copy of `none`,
// and calls put(part, offset of the cell's result). A Part with add_row(elements, n) takes the elements of a
// cell that are side by side at once.
template <class T, class Part, class Put>
void reduce_cells(const View& x, const Cells& cells, const Part& none, Put put) {
  const int64_t n = cells.reduced.length(), step = cells.reduced.along(0);
  const int64_t rows = n > 0 ? cells.reduced.numel() / n : 0;
  cells.kept.each([&](int64_t first, int64_t place) {
    const T* const p = x.as<const T>() + first;
    Part part = none;
    if constexpr (requires { part.add_row(p, int64_t{}); })
      if (cells.reduced.side_by_side()) return part.add_row(p, cells.reduced.numel()), put(part, place);
    cells.reduced.each_row(0, rows, [&](const Offsets<2>& row) {
      Part own = part;  // in registers
      for (int64_t i = 0; i < n; ++i) own.add(p[row[0] + i * step]);
      part = own;
    });
    put(part, place);
  });
}

}  // namespace glassgrad

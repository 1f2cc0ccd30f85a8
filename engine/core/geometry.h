// Arithmetic of shapes, strides and indices.
//
// A tensor's sizes, those that are 0 left out, multiply to a number that int64 holds; whatever makes a shape
// checks it before it allocates or loops. So no product of a tensor's own sizes and strides overflows.
#pragma once
#include <optional>

#include "types.h"

namespace glassgrad {

Dims contiguous_strides(const Dims& shape);
bool is_contiguous(const Dims& shape, const Dims& strides);
// How many elements lie from the first to the last of a tensor in its storage; 0 for an empty one.
int64_t extent(const Dims& shape, const Dims& strides);
// Where an element lies: so many elements after the first one. Σ index·stride
inline int64_t offset_of_index(const Dims& index, const Dims& strides) {
  int64_t place = 0;
  for (int d = 0; d < index.n; ++d) place += index[d] * strides[d];
  return place;
}
// The index of the element that lies so many elements after the first one; one of them where they overlap,
// none if none does.
std::optional<Dims> index_of_offset(const Dims& shape, const Dims& strides, int64_t place);
// The index of element number i in logical order, the last dimension fastest.
Dims index_of(const Dims& shape, int64_t i);
// dim in [0, n) for -n <= dim < n (a 0-d tensor counts as n = 1); IndexError `Dimension out of range
// (expected …`.
int wrap_dim(int64_t dim, int64_t n);
// Can a tensor of this shape be stretched to the other one? The dimensions it has are the last ones.
bool expands_to(const Dims& shape, const Dims& to);
// ---- sizes that somebody asks for
// Product of the sizes; an error when one is negative or there are more bytes than int64 counts.
int64_t checked_numel(const Dims& shape, DType dtype);
// The same for a view, which needs no memory of its own: do the sizes, which are not negative, multiply to an
// int64? check_countable: Error `numel: integer multiplication overflow` if not.
bool is_countable(const Dims& shape);
void check_countable(const Dims& shape);
// Sum and product of sizes: errors where int64 does not hold them.
int64_t size_sum(int64_t a, int64_t b);
int64_t size_product(int64_t a, int64_t b);
// a·b modulo 2^64, of a stride that leads nowhere: its dimension has one element or none.
inline int64_t unused_stride(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

}  // namespace glassgrad

// Arithmetic of shapes, strides and indices.
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
// Product of the sizes; an error when one is negative or the product of the elements' bytes overflows.
int64_t checked_numel(const Dims& shape, DType dtype);

}  // namespace glassgrad

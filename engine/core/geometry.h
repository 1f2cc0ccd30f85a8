// Arithmetic of shapes, strides and indices.
//
// The product of a tensor's nonzero sizes fits int64: code that makes a shape checks it before it allocates
// or loops. So no product of a tensor's own sizes and strides overflows.
#pragma once
#include <optional>

#include "types.h"

namespace glassgrad {

Dims contiguous_strides(const Dims& shape);
bool is_contiguous(const Dims& shape, const Dims& strides);
// Returns how many elements the storage has from the tensor's first to its last, both included; 0 for an
// empty tensor.
int64_t extent(const Dims& shape, const Dims& strides);
// The offset of an element from the first one, in elements: Σ index·stride.
inline int64_t offset_of_index(const Dims& index, const Dims& strides) {
  int64_t place = 0;
  for (int d = 0; d < index.n; ++d) place += index[d] * strides[d];
  return place;
}
// The index of an element at the offset `place`, in elements; nullopt if no element lies there. If elements
// overlap there, the index of any of them.
std::optional<Dims> index_of_offset(const Dims& shape, const Dims& strides, int64_t place);
// The index of element number i in logical order, the last dimension fastest.
Dims index_of(const Dims& shape, int64_t i);
// Returns dim in [0, n) for -n <= dim < n (a 0-d tensor counts as n = 1). Throws IndexError `Dimension out of
// range (expected …`.
int wrap_dim(int64_t dim, int64_t n);
// True if a tensor of this shape can be expanded to `to`. Sizes are aligned at the last dimension.
bool expands_to(const Dims& shape, const Dims& to);
// ---- sizes that a caller requests
// Returns the product of the sizes. Throws Error if a size is negative or int64 cannot hold the bytes.
int64_t checked_numel(const Dims& shape, DType dtype);
// For a view, which needs no memory: is_countable is true if the product of the sizes, none of them negative,
// fits int64; check_countable throws Error `numel: integer multiplication overflow` if it does not.
bool is_countable(const Dims& shape);
void check_countable(const Dims& shape);
// Sum and product of sizes. Throw Error if int64 cannot hold the result.
int64_t size_sum(int64_t a, int64_t b);
int64_t size_product(int64_t a, int64_t b);
// a·b modulo 2^64. For strides that are never used because their dimension has at most 1 element: only those
// may wrap.
inline int64_t unused_stride(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

}  // namespace glassgrad

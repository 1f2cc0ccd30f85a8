// Tools for shapes and strides that the ops share, and the plan of a strided loop.
#pragma once
#include <algorithm>

#include "../core/nest.h"
#include "../fields.h"
#include "../tensor.h"

namespace glassgrad {

// Returns a view of x that starts `elements` after x's first element; not recorded.
inline Tensor part(const Tensor& x, int64_t elements, const Dims& shape, const Dims& strides) {
  Tensor y = shallow_copy(x);
  y->offset += elements;
  y->shape = shape;
  y->strides = strides;
  return y;
}

// x's strides when broadcast to `shape`.
inline Dims broadcast_strides(const Tensor& x, const Dims& shape) {
  Dims strides = shape;
  const int lead = shape.n - int(x.dim());
  for (int d = 0; d < shape.n; ++d)
    strides[d] = d < lead || x.shape()[d - lead] == 1 ? 0 : x.strides()[d - lead];
  return strides;
}

// Copies of dims with one entry replaced, removed or inserted.
inline Dims with(Dims dims, int d, int64_t value) {
  dims[d] = value;
  return dims;
}
inline Dims without(const Dims& dims, int d) {
  Dims rest;
  for (int i = 0; i < dims.n; ++i)
    if (i != d) rest.push(dims[i]);
  return rest;
}
inline Dims inserted(const Dims& dims, int d, int64_t value) {
  Dims more;
  for (int i = 0; i <= dims.n; ++i) {
    if (i == d) more.push(value);
    if (i < dims.n) more.push(dims[i]);
  }
  return more;
}

// batch_of: the batch dimensions of matrices. joined: a batch shape followed by `rest`.
inline Dims batch_of(const Tensor& x) {
  Dims batch = x.shape();
  batch.n = std::max(batch.n - 2, 0);
  return batch;
}
inline Dims joined(Dims batch, const Dims& rest) {
  for (int64_t size : rest) batch.push(size);
  return batch;
}

// The attributes of an op that works along one dimension of an input of shape `from`.
struct DimAttr {
  int64_t dim;
  Dims from = {};
  static constexpr AttrNames kNames{"dim"};
};

}  // namespace glassgrad

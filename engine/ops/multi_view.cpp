// Functions that return several views of a tensor. The views share one node.
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "../glass/why.h"
#include "../ops.h"
#include "dims.h"

namespace glassgrad {
namespace {

constexpr Op unbind_op{"unbind", "UnbindBackward0", "x[…, k, …]", why_same_memory};
constexpr Op split_op{"split", "SplitBackward0", "x[…, k·split_size + i, …]", why_same_memory};
constexpr Op split_with_sizes_op{"split_with_sizes", "SplitWithSizesBackward0", "x[…, sizes before k + i, …]",
                                 why_same_memory};

struct SplitBySize {
  int64_t split_size, dim;
  static constexpr AttrNames kNames{"split_size", "dim"};
};

// Returns the gradient of every result; zeros for results that were not used.
std::vector<Tensor> gradients(const BackwardContext& d) {
  std::vector<Tensor> all(d.grads.begin(), d.grads.end());
  for (size_t k = 0; k < all.size(); ++k)
    if (!all[k]) all[k] = zeros(d.node.outputs[k].shape, d.node.outputs[k].dtype, d.node.outputs[k].device);
  return all;
}

// If the gradients already lie in one buffer in unbind's layout, returns that buffer without moving anything;
// else undefined.
Tensor joined_in_place(const std::vector<Tensor>& all, int64_t dim) {
  const Tensor& first = all[0];
  const Dims shape = inserted(first.shape(), int(dim), std::ssize(all)), strides = contiguous_strides(shape);
  for (size_t k = 0; k < all.size(); ++k)
    if (!(all[k].strides() == without(strides, int(dim))) || all[k]->storage.get() != first->storage.get() ||
        all[k]->offset != first->offset + int64_t(k) * strides[dim])
      return {};
  return watching || grad_mode ? Tensor() : part(first, 0, shape, strides);
}

// The pieces of these sizes, one after the other along dim; together they fill it.
std::vector<Tensor> pieces(const Tensor& x, const std::vector<int64_t>& sizes, int dim) {
  std::vector<Tensor> views;
  views.reserve(sizes.size());
  int64_t start = 0;
  for (int64_t size : sizes) {
    const int64_t first = size ? x->offset + start * x.strides()[dim] : x->offset;
    views.push_back(as_view(x, with(x.shape(), dim, size), x.strides(), first, CreationMeta::OneOfMany));
    start += size;
  }
  return views;
}

template <class A>
std::vector<Tensor> split_along(const Op& op, const Tensor& x, const std::vector<int64_t>& sizes,
                                const A& a) {
  const std::vector<Tensor> views = pieces(x, sizes, int(a.dim));
  record_outputs(op, views, views.size(), {&x}, {}, a,
                 [](BackwardContext& d, const A& at) { d[0] = cat(gradients(d), at.dim); });
  return views;
}

}  // namespace

std::vector<Tensor> Tensor::unbind(int64_t dim) const {
  const int64_t n = size(dim);
  const int at = wrap_dim(dim, this->dim());
  std::vector<Tensor> views;
  views.reserve(size_t(n));
  for (int64_t k = 0; k < n; ++k)
    views.push_back(as_view(*this, without(shape(), at), without(strides(), at),
                            p_->offset + k * p_->strides[at], CreationMeta::OneOfMany));
  if (n > 0)
    record_outputs(unbind_op, views, views.size(), {this}, {}, DimAttr{at},
                   [](BackwardContext& d, const DimAttr& a) {
                     const std::vector<Tensor> all = gradients(d);
                     d[0] = joined_in_place(all, a.dim);
                     if (!d[0]) d[0] = stack(all, a.dim);
                   });
  return views;
}

std::vector<Tensor> Tensor::split(int64_t size, int64_t dim) const {
  check(this->dim() > 0, "split expects at least a 1-dimensional tensor");
  check(size >= 0, "split expects split_size be non-negative, but got split_size={}", size);
  const int at = wrap_dim(dim, this->dim());
  const int64_t whole = p_->shape[at];
  check(size > 0 || whole == 0,
        "split_size can only be 0 if dimension size is 0, but got dimension size of {}", whole);
  std::vector<int64_t> sizes;
  sizes.reserve(size_t(size ? whole / size : 0));
  for (int64_t left = whole; left > 0; left -= sizes.back()) sizes.push_back(std::min(size, left));
  if (sizes.empty()) sizes.push_back(0);
  return split_along(split_op, *this, sizes, SplitBySize{size, at});
}

std::vector<Tensor> Tensor::split_with_sizes(const std::vector<int64_t>& sizes, int64_t dim) const {
  check(this->dim() > 0, "split expects at least a 1-dimensional tensor");
  const int at = wrap_dim(dim, this->dim());
  const bool no_negative = std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size >= 0; });
  check(no_negative,
        "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={}", sizes);
  check(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}, size_sum) == p_->shape[at],
        "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at dimension {}), "
        "but got split_sizes={}",
        p_->shape[at], at, sizes);
  return split_along(split_with_sizes_op, *this, sizes, DimAttr{at});
}

std::vector<Tensor> Tensor::chunk(int64_t chunks, int64_t dim) const {
  check(this->dim() > 0, "chunk expects at least a 1-dimensional tensor");
  check(chunks > 0, "chunk expects `chunks` to be greater than 0, got: {}", chunks);
  const int64_t whole = size(dim);
  // split would return a single empty chunk; return as many as were requested.
  if (whole == 0) return split_with_sizes(std::vector<int64_t>(size_t(chunks), 0), dim);
  return split((whole - 1) / chunks + 1, dim);
}

}  // namespace glassgrad

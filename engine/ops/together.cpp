// Ops on lists of tensors: many in one call of a kernel, because one alone is too little work.
#include <algorithm>
#include <array>

#include "../glass/why.h"
#include "../ops.h"
#include "dims.h"
#include "kernels.h"
#include "layout.h"
#include "pointwise.h"
#include "reduction.h"

namespace glassgrad {
namespace {

// The rows of a group's tensors follow each other in its result.
Expr why_converted(const Cell& c) {
  size_t i = 0;
  for (size_t k = 0; k < c.out; ++k)
    for (int64_t row = 0; row < c.call.out[k].size(0); ++i) row += c.input(i).size(0);
  Dims place = c.index;
  for (; place[0] >= c.input(i).size(0); ++i) place[0] -= c.input(i).size(0);
  return c.in(i, place);
}

constexpr Op to_all_op{"to", "ToCopyBackward0", "the rows of a group of tensors", why_converted};

struct ToDType {
  DType dtype;
  static constexpr AttrNames kNames{"dtype"};
};

// True if one call can take all tensors: contiguous, of this dtype, on one device, and not watched.
bool go_together(const std::vector<Tensor>& all, DType dtype) {
  return !watching && !all.empty() && all[0].device() != kMeta &&
         std::all_of(all.begin(), all.end(), [&](const Tensor& x) {
           return x.dtype() == dtype && x.device() == all[0].device() && x.is_contiguous();
         });
}

bool go_together_on_gpu(const std::vector<Tensor>& all, DType dtype) {
  return go_together(all, dtype) && is_cuda(all[0].device());
}

void convert_together(const std::vector<Tensor>& from, const std::vector<Tensor>& to) {
  if (from.empty()) return;
  std::vector<cuda::Conversion> list;
  for (size_t i = 0; i < from.size(); ++i)
    list.push_back({from[i].numel(), from[i].raw().data, to[i].raw().data});
  kernel_for<decltype(cuda::convert_all)>(from[0].device(), nullptr, GG_CUDA(convert_all))(
      list, from[0].dtype(), to[0].dtype());
}

// Returns rows of y from `first` on, as a view of this shape.
Tensor rows_of(const Tensor& y, int64_t first, const Dims& shape) {
  return part(y, first * y.strides()[0], shape, y.strides());
}

// Splits each output's gradient, which holds the rows of a group, into its inputs' gradients in their dtype.
void split_gradients(BackwardContext& d, const ToDType& a) {
  std::vector<Tensor> from, to;
  std::vector<int> places;
  int i = 0;
  for (size_t k = 0; k < d.grads.size(); ++k) {
    const Tensor g = d.grads[k] ? dense(d.grads[k]) : Tensor();
    for (int64_t first = 0; first < d.node.outputs[k].shape[0]; ++i) {
      const Edge& e = d.node.edges[i];
      const Dims shape = e.node->outputs[e.nr].shape;
      if (g && d.needs(i)) from.push_back(rows_of(g, first, shape)), places.push_back(i);
      first += shape[0];
    }
  }
  const bool together = !grad_mode && go_together_on_gpu(from, a.dtype);
  for (const Tensor& g : from) to.push_back(together ? dense_result(g.shape(), g, float32) : g);
  if (together) convert_together(from, to);
  for (size_t k = 0; k < to.size(); ++k) d[places[k]] = to[k];
}

// True if all tensors have rows, and either all or none need a gradient.
bool all_of_one_kind(const std::vector<Tensor>& all) {
  return std::all_of(all.begin(), all.end(), [&](const Tensor& x) {
    return x.dim() > 0 && x.size(0) > 0 && needs_grad(x) == needs_grad(all[0]);
  });
}

void norms_on_cpu(std::span<const View> all, float* y) {
  for (const View& x : all) {
    View one{y++, x.shape, x.shape, float32};
    for (int d = 0; d < one.strides.n; ++d) one.strides[d] = 0;
    norm_on_cpu(x, one);
  }
}

void scale_all_on_cpu(std::span<const View> all, const float* factor) {
  if (*factor == 1) return;
  const RowKernel times = kernels().pointwise.rows[int(PointwiseId::mul)].value[int(float32)];
  const Dims none;
  const Operand number{const_cast<float*>(factor), &none, &none, float32};
  for (const View& x : all) {
    const Operand own{x.data, &x.shape, &x.strides, float32};
    run_loop(times, std::array{own, own, number});
  }
}

std::vector<View> views_of(const std::vector<Tensor>& all) {
  std::vector<View> views;
  for (const Tensor& x : all) views.push_back(x.raw());
  return views;
}

}  // namespace

// y[i] = the norm of tensor i, in float32, with the same bits as `norm`.
GG_KERNEL(norms, norms_on_cpu);
// x ·= *factor, in float32.
GG_KERNEL(scale_all, scale_all_on_cpu);

std::vector<Tensor> to_all(const std::vector<std::vector<Tensor>>& groups, DType dtype) {
  std::vector<Tensor> all, results;
  for (const std::vector<Tensor>& group : groups) all.insert(all.end(), group.begin(), group.end());
  const bool is_half = is_floating(dtype) && is_narrow(dtype);
  const bool alike = all_of_one_kind(all);
  if (!is_half || !alike || !go_together_on_gpu(all, float32)) {
    for (const std::vector<Tensor>& group : groups) {
      std::vector<Tensor> parts;
      for (const Tensor& x : group) parts.push_back(to(x, dtype));
      results.push_back(parts.size() == 1 ? parts[0] : cat(parts, 0));
    }
    return results;
  }
  std::vector<Tensor> parts;
  for (const std::vector<Tensor>& group : groups) {
    Dims shape = group[0].shape();
    for (size_t i = 1; i < group.size(); ++i) shape[0] += group[i].size(0);
    results.push_back(dense_result(shape, group[0], dtype));
    int64_t first = 0;
    for (const Tensor& x : group) {
      parts.push_back(rows_of(results.back(), first, x.shape()));
      first += x.size(0);
    }
  }
  convert_together(all, parts);
  std::vector<const Tensor*> in;
  for (const Tensor& x : all) in.push_back(&x);
  record_outputs(to_all_op, results, results.size(), in, {}, ToDType{dtype},
                 [](BackwardContext& d, const ToDType& a) { split_gradients(d, a); });
  return results;
}

Tensor norms(const std::vector<Tensor>& all) {
  const NoGrad no_graph;
  if (!go_together(all, float32)) {
    std::vector<Tensor> each;
    for (const Tensor& x : all) each.push_back(norm(x));
    return stack(each);
  }
  const Tensor y = dense_result(std::ssize(all), all[0]);
  norms_on(all[0].device())(views_of(all), y.raw().as<float>());
  return y;
}

void mul_all_(const std::vector<Tensor>& all, const Tensor& factor) {
  if (!go_together(all, float32) || factor.dtype() != float32 || factor.device() != all[0].device()) {
    for (const Tensor& x : all) mul_(x, factor);
    return;
  }
  for (const Tensor& x : all) announce(x);
  scale_all_on(all[0].device())(views_of(all), factor.raw().as<const float>());
  for (const Tensor& x : all) ++x->storage->version;
}

}  // namespace glassgrad

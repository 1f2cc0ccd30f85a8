// Layer normalisation.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {
namespace {

struct LayerNorm {
  Dims normalized_shape;
  double eps = 1e-5;
  int weight = 0, bias = 0;  // which input they are; 0: there is none

  static constexpr AttrNames kNames{"normalized_shape", "eps"};
};
struct LayerNormGrad {
  LayerNorm of;
  bool of_x, of_weight, of_bias;  // which gradients are computed, in this order

  static constexpr AttrNames kNames{"of"};
};

// The dimensions of x that are not normalised.
Dims outer(const Tensor& x, const Dims& normalized_shape) {
  Dims rows;
  for (int d = 0; d < x.dim() - normalized_shape.n; ++d) rows.push(x.shape()[d]);
  return rows;
}

// x's data as rows of what is normalised; of an undefined tensor, none.
View as_rows(const Tensor& x, const Dims& normalized_shape) {
  if (!x) return View{nullptr, {}, {}, float32};
  View v = x.raw();
  const int64_t n = normalized_shape.numel();
  v.shape = {outer(x, normalized_shape).numel(), n};
  v.strides = {n, 1};
  return v;
}

void check_arguments(const Tensor& x, const Dims& shape, const Tensor& weight, const Tensor& bias) {
  check(shape.n > 0,
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but "
        "got normalized_shape = []");
  const auto check_like_shape = [&](const Tensor& t, const char* name) {
    check(!t || t.shape() == shape,
          "Expected {} to be of same shape as normalized_shape, but got {} of shape {} and normalized_shape "
          "= {}",
          name, name, t ? t.shape() : Dims(), shape);
  };
  check_like_shape(weight, "weight");
  check_like_shape(bias, "bias");
  bool fits = x.dim() >= shape.n;
  for (int d = 0; fits && d < shape.n; ++d) fits = x.shape()[x.dim() - shape.n + d] == shape[d];
  const std::string sizes = to_string(shape);
  check(fits, "Given normalized_shape={}, expected input with shape [*, {}, but got input of size{}", sizes,
        sizes.substr(1), x.shape());
  for (const Tensor* t : {&weight, &bias})
    check(!*t || t->dtype() == x.dtype() || (is_narrow(x.dtype()) && t->dtype() == float32),
          "mixed dtype (CPU): all inputs must share same datatype.");
  check(is_floating(x.dtype()), "\"LayerNormKernelImpl\" not implemented for '{}'",
        scalar_type_name(x.dtype()));
}

// ---- where a cell comes from
// A row that is normalised: its elements and moments. Variances are summed as the formula says, which the
// kernel's order of additions may leave by a last bit.
struct RowMoments {
  std::vector<Expr> x;
  Expr mean, rstd;
};
template <class Element>
RowMoments moments_of(const LayerNorm& a, int64_t row, Element element) {
  const int64_t n = a.normalized_shape.numel();
  std::vector<Expr> x, squares;
  for (int64_t i = 0; i < n; ++i) x.push_back(element(row * n + i));
  const Expr mean = (sum(x) / Expr(double(n))).called("mean");
  for (const Expr& v : x) squares.push_back(square(v - mean));
  const Expr variance = (sum(squares) / Expr(double(n))).called("variance");
  return {x, mean, (Expr(1.0) / sqrt(variance + Expr(a.eps))).called("1/root of variance + eps")};
}

Expr why_layer_norm(const Cell& c) {
  const auto& a = c.attr<LayerNorm>();
  const int64_t n = a.normalized_shape.numel(), row = c.flat() / n;
  const Dims place = index_of(a.normalized_shape, c.flat() % n);
  const RowMoments m =
      moments_of(a, row, [&](int64_t i) { return c.in(0, index_of(c.input(0).shape(), i)); });
  const Expr distance = m.x[size_t(c.flat() % n)] - m.mean;
  const Expr bias = a.bias ? c.in(size_t(a.bias), place) : Expr(0.0);
  if (!a.weight) return a.bias ? fma(distance, m.rstd, bias) : distance * m.rstd;
  const Expr normal = distance * m.rstd, weight = c.in(size_t(a.weight), place);
  return a.bias ? fma(normal, weight, bias) : normal * weight;
}

// Inputs g, x and, if it is there, the weight.
Expr why_layer_norm_grad(const Cell& c) {
  const auto& a = c.attr<LayerNormGrad>();
  const int64_t n = a.of.normalized_shape.numel(), rows = c.input(1).numel() / std::max<int64_t>(n, 1);
  const auto g = [&](int64_t row, int64_t i) { return c.in(0, index_of(c.input(0).shape(), row * n + i)); };
  const auto moments = [&](int64_t row) {
    return moments_of(a.of, row, [&](int64_t i) { return c.in(1, index_of(c.input(1).shape(), i)); });
  };
  if (a.of_x && c.out == 0) {
    const int64_t row = c.flat() / n, own = c.flat() % n;
    const RowMoments m = moments(row);
    std::vector<Expr> weighted, normals, products;
    for (int64_t i = 0; i < n; ++i) {
      weighted.push_back(a.of.weight ? g(row, i) * c.in(2, index_of(a.of.normalized_shape, i)) : g(row, i));
      normals.push_back((m.x[size_t(i)] - m.mean) * m.rstd);
      products.push_back(weighted.back() * normals.back());
    }
    const Expr count{double(n)}, mean = (sum(weighted) / count).called("mean of g·weight");
    const Expr mean_normal = (sum(products) / count).called("mean of g·weight·x̂");
    return (weighted[size_t(own)] - mean - normals[size_t(own)] * mean_normal) * m.rstd;
  }
  const bool weight = a.of_weight && c.out == size_t(a.of_x);
  std::vector<Expr> terms;
  for (int64_t row = 0; row < rows; ++row) {
    const RowMoments m = moments(row);
    terms.push_back(weight ? g(row, c.flat()) * ((m.x[size_t(c.flat())] - m.mean) * m.rstd)
                           : g(row, c.flat()));
  }
  return sum(std::move(terms));
}

constexpr Op layer_norm_op{"layer_norm", "NativeLayerNormBackward0",
                           "(x − mean) / √(var + eps) · weight + bias", why_layer_norm},
    layer_norm_grad_op{"layer_norm_backward", "NativeLayerNormBackwardBackward0",
                       "(g·w − mean(g·w) − x̂ · mean(g·w·x̂)) / √(var + eps)", why_layer_norm_grad};

Tensor dense_or_none(const Tensor& x) { return x ? dense(x) : x; }

// What the backward saves: x, mean and rstd of each row, and the weight if there is one.
enum SavedData { kX, kMoments, kWeight };

void fused_grad(Back& b, const LayerNorm& a) {
  const Dims& shape = a.normalized_shape;
  const bool with_weight = a.weight && b.needs(a.weight), with_bias = a.bias && b.needs(a.bias);
  const Tensor x = dense(b.saved(kX)), g = dense(b.g), moments = b.saved(kMoments);
  const Tensor weight = a.weight ? dense(b.saved(kWeight)) : Tensor();
  const Tensor dx = b.needs(0) ? dense_result(x.shape(), x) : Tensor();
  const Tensor dweight = with_weight ? zeros(shape, moments.dtype(), x.device()) : Tensor();
  const Tensor dbias = with_bias ? zeros(shape, moments.dtype(), x.device()) : Tensor();
  kernel_for(x.device(), kernels().layer_norm_grad, GG_CUDA(layer_norm_grad))(
      Wide(as_rows(g, shape)), Wide(as_rows(x, shape)), Wide(moments.raw()), Wide(as_rows(weight, shape)),
      Rounded(as_rows(dx, shape)), Added(as_rows(dweight, shape)), Added(as_rows(dbias, shape)));
  std::vector<Tensor> results;
  for (const Tensor* t : {&dx, &dweight, &dbias})
    if (*t) results.push_back(*t);
  const LayerNormGrad which{a, bool(dx), with_weight, with_bias};
  std::vector<const Tensor*> in = {&g, &x};
  if (weight) in.push_back(&weight);
  record_outputs(layer_norm_grad_op, results, 0, in, {}, which, [](Back&, const LayerNormGrad&) {});
  b[0] = dx;
  if (a.weight) b[a.weight] = dweight;
  if (a.bias) b[a.bias] = dbias;
}

// The same out of ops, which can be differentiated again.
void composed_grad(Back& b, const LayerNorm& a) {
  Dims over;
  for (int d = 1; d <= a.normalized_shape.n; ++d) over.push(-d);
  const Tensor x = b.saved(kX);
  const Tensor rstd = rsqrt(var(x, over, 0, true) + a.eps), normal = (x - mean(x, over, true)) * rstd;
  if (b.needs(0)) {
    const Tensor g = a.weight ? b.g * b.saved(kWeight) : b.g;
    b[0] = (g - mean(g, over, true) - normal * mean(g * normal, over, true)) * rstd;
  }
  if (a.weight && b.needs(a.weight)) b[a.weight] = sum_to(b.g * normal, a.normalized_shape);
  if (a.bias && b.needs(a.bias)) b[a.bias] = sum_to(b.g, a.normalized_shape);
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Dims& normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps) {
  check_same_device({&x, &weight, &bias});
  check_arguments(x, normalized_shape, weight, bias);
  LayerNorm a{normalized_shape, eps};
  std::vector<const Tensor*> in = {&x};
  if (weight) a.weight = int(in.size()), in.push_back(&weight);
  if (bias) a.bias = int(in.size()), in.push_back(&bias);

  const Tensor rows = dense(x), w = dense_or_none(weight), b = dense_or_none(bias);
  const Tensor y = dense_result(x.shape(), x);
  // As PyTorch has it, they are of the parameters' dtype.
  const Tensor& parameter = weight ? weight : bias ? bias : x;
  const Tensor moments = dense_result({outer(x, normalized_shape).numel(), 2}, x, parameter.dtype());
  const auto view = [&](const Tensor& t) { return as_rows(t, normalized_shape); };
  if (x.numel() > 0)
    kernel_for(x.device(), kernels().layer_norm, GG_CUDA(layer_norm))(
        Wide(view(rows)), Wide(view(w)), Wide(view(b)), eps, Rounded(view(y)), Rounded(moments.raw()));
  std::vector<Save> saves = {{&x}, {&moments}};
  if (weight) saves.push_back({&weight});
  return record(layer_norm_op, y, in, saves, a, [](Back& g, const LayerNorm& n) {
    grad_mode || g.saved(kX).numel() == 0 ? composed_grad(g, n) : fused_grad(g, n);
  });
}

}  // namespace glassgrad

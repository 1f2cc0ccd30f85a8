// Layer normalisation.
#include "../cpu/kernels.h"
#include "../ops.h"
#include "dense.h"

namespace glassgrad {
namespace {

struct LayerNorm {
  Dims normalized_shape;
  double eps = 1e-5;
  int weight = 0, bias = 0;  // which input they are; 0: there is none

  template <class V>
  void each(V&& visit) const {
    visit("normalized_shape", normalized_shape);
    visit("eps", eps);
  }
};
constexpr Op layer_norm_op{"layer_norm", "NativeLayerNormBackward0",
                           "(x − mean) / √(var + eps) · weight + bias"},
    layer_norm_grad_op{"layer_norm_backward", "NativeLayerNormBackwardBackward0",
                       "(g·w − mean(g·w) − x̂ · mean(g·w·x̂)) / √(var + eps)"};

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
  check(is_floating(x.dtype()), "\"LayerNormKernelImpl\" not implemented for '{}'",
        scalar_type_name(x.dtype()));
  for (const Tensor* t : {&weight, &bias})
    check(!*t || t->dtype() == x.dtype(), "mixed dtype (CPU): all inputs must share same datatype.");
}

Tensor dense_or_none(const Tensor& x) { return x ? dense(x) : x; }

// What the backward saves: x, mean and rstd of each row, and the weight if there is one.
enum SavedData { kX, kMoments, kWeight };

void fused_grad(Back& b, const LayerNorm& a) {
  const Dims& shape = a.normalized_shape;
  const bool with_weight = a.weight && b.needs(a.weight), with_bias = a.bias && b.needs(a.bias);
  const Tensor x = dense(b.saved(kX)), g = dense(b.g), moments = b.saved(kMoments);
  const Tensor weight = a.weight ? dense(b.saved(kWeight)) : Tensor();
  const Tensor dx = b.needs(0) ? dense_result(x.shape(), x) : Tensor();
  const Tensor dweight = with_weight ? zeros(shape, x.dtype()) : Tensor();
  const Tensor dbias = with_bias ? zeros(shape, x.dtype()) : Tensor();
  kernels().layer_norm_grad(as_rows(g, shape), as_rows(x, shape), moments.raw(), as_rows(weight, shape),
                            as_rows(dx, shape), as_rows(dweight, shape), as_rows(dbias, shape));
  std::vector<Tensor> results;
  for (const Tensor* t : {&dx, &dweight, &dbias})
    if (*t) results.push_back(*t);
  record_outputs(layer_norm_grad_op, results, 0, {&g, &x}, {}, a, [](Back&, const LayerNorm&) {});
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
  check_arguments(x, normalized_shape, weight, bias);
  LayerNorm a{normalized_shape, eps};
  std::vector<const Tensor*> in = {&x};
  if (weight) a.weight = int(in.size()), in.push_back(&weight);
  if (bias) a.bias = int(in.size()), in.push_back(&bias);

  const Tensor rows = dense(x), w = dense_or_none(weight), b = dense_or_none(bias);
  const Tensor y = dense_result(x.shape(), x);
  const Tensor moments = dense_result({outer(x, normalized_shape).numel(), 2}, x);
  if (x.numel() > 0)
    kernels().layer_norm(as_rows(rows, normalized_shape), as_rows(w, normalized_shape),
                         as_rows(b, normalized_shape), eps, as_rows(y, normalized_shape), moments.raw());
  std::vector<Save> saves = {{&x}, {&moments}};
  if (weight) saves.push_back({&weight});
  return record(layer_norm_op, y, in, saves, a, [](Back& d, const LayerNorm& n) {
    grad_mode || d.saved(kX).numel() == 0 ? composed_grad(d, n) : fused_grad(d, n);
  });
}

}  // namespace glassgrad

// Layer normalisation.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {

// On a GPU, dweight and dbias need not hold zeros.
GG_KERNEL(layer_norm, kernels().layer_norm);
GG_KERNEL(layer_norm_grad, kernels().layer_norm_grad);

namespace {

struct LayerNorm {
  Dims normalized_shape;
  double eps = 1e-5;
  int weight = 0, bias = 0;  // the index of this input among the op's inputs; 0: there is none

  static constexpr AttrNames kNames{"normalized_shape", "eps"};
};
struct LayerNormGrad {
  LayerNorm of;
  bool of_x, of_weight, of_bias;  // the gradients that are computed, in this order

  static constexpr AttrNames kNames{"of"};
};

// The dimensions of x that are not normalised.
Dims outer(const Tensor& x, const Dims& normalized_shape) {
  Dims rows;
  for (int d = 0; d < x.dim() - normalized_shape.n; ++d) rows.push(x.shape()[d]);
  return rows;
}

// Returns x's memory as rows of the normalised dimensions; a null view if x is undefined.
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
// A normalised row: its elements and moments. The variance is summed in the formula's order; the kernel adds
// in a different order, which may change the last bit.
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

// Inputs g, x and the weight, if there is one.
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

// A GPU's kernels read and write bfloat16 directly if the rows are float32.
NarrowAccess narrow_access(const Tensor& narrow, const Tensor& x) {
  return narrow.dtype() == bfloat16 && x.dtype() == float32 ? NarrowAccess::NativeOnGpu
                                                            : NarrowAccess::Widened;
}

Tensor dense_or_none(const Tensor& x) { return x ? dense(x) : x; }

// The tensors that the node saves: x, mean and rstd of each row, and the weight if there is one.
enum SavedNorm { kX, kMoments, kWeight };

// The extra work of add_layer_norm's backward, compared with that of layer_norm.
struct Residual {
  Tensor base = {};     // the sum's own gradient, to be added on a GPU; may be undefined
  bool rounds = false;  // the branch, input 1, needs the gradient rounded to g's dtype
};

// Computes the gradients of x, weight and bias (inputs 0, a.weight and a.bias) from `given`, the gradient of
// the normalised rows.
void fused_grad(BackwardContext& b, const Tensor& given, const LayerNorm& a,
                const std::optional<Residual>& residual = {}) {
  const Dims& shape = a.normalized_shape;
  const bool with_weight = a.weight && b.needs(a.weight), with_bias = a.bias && b.needs(a.bias);
  const Tensor x = dense(b.saved(kX)), g = dense(given), moments = b.saved(kMoments);
  const Tensor weight = a.weight ? dense(b.saved(kWeight)) : Tensor();
  const Device device = x.device();
  // Adds to the gradient that came through a residual connection, without another pass.
  const bool may_add = is_cuda(device) && !is_narrow(x.dtype()) && !residual;
  const Tensor so_far = may_add ? b.sum_so_far(0) : Tensor(), base = residual ? residual->base : so_far;
  const bool wanted = b.needs(0) || (residual && b.needs(1)), rounds = residual && residual->rounds;
  const Tensor dx = so_far ? so_far : wanted ? dense_result(x.shape(), x) : Tensor();
  const Tensor dx_in_half = rounds ? dense_result(x.shape(), x, g.dtype()) : Tensor();
  const auto summed = [&](bool with) {  // the CPU's kernel adds to the contents, a GPU's overwrites them
    if (!with) return Tensor();
    return device == kCpu ? zeros(shape, moments.dtype()) : dense_result(shape, x, moments.dtype());
  };
  const Tensor dweight = summed(with_weight), dbias = summed(with_bias);
  const auto view = [&](const Tensor& t) { return as_rows(t, shape); };
  const auto call = [&](auto kernel, auto... of_x) {
    kernel(WidenedInput(view(g), device, narrow_access(g, x)), WidenedInput(view(x), device),
           WidenedInput(moments), WidenedInput(view(weight), device), of_x...,
           RoundedAccumulator(view(dweight), device), RoundedAccumulator(view(dbias), device));
  };
  if (base || rounds)
    call(kernel_for<decltype(cuda::layer_norm_grad_onto)>(device, nullptr, GG_CUDA(layer_norm_grad_onto)),
         view(base ? dense(base) : base), view(dx), view(dx_in_half));
  else
    call(layer_norm_grad_on(device), RoundedOutput(view(dx), device));
  std::vector<Tensor> results;
  for (const Tensor* t : {&dx, &dweight, &dbias})
    if (*t) results.push_back(*t);
  const LayerNormGrad which{a, bool(dx), with_weight, with_bias};
  std::vector<const Tensor*> in = {&g, &x};
  if (weight) in.push_back(&weight);
  record_outputs(layer_norm_grad_op, results, 0, in, {}, which,
                 [](BackwardContext&, const LayerNormGrad&) {});
  b[0] = dx;
  if (rounds) b[1] = dx_in_half;
  if (a.weight) b[a.weight] = dweight;
  if (a.bias) b[a.bias] = dbias;
}

// The same, composed of ops, so that it can be differentiated again.
void composed_grad(BackwardContext& b, const Tensor& given, const LayerNorm& a, bool of_x) {
  Dims over;
  for (int d = 1; d <= a.normalized_shape.n; ++d) over.push(-d);
  const Tensor x = b.saved(kX);
  const Tensor rstd = rsqrt(var(x, over, 0, true) + a.eps), normal = (x - mean(x, over, true)) * rstd;
  if (of_x) {
    const Tensor wide = to(given, x.dtype()), g = a.weight ? wide * b.saved(kWeight) : wide;
    b[0] = (g - mean(g, over, true) - normal * mean(g * normal, over, true)) * rstd;
  }
  if (a.weight && b.needs(a.weight)) b[a.weight] = sum_to(given * normal, a.normalized_shape);
  if (a.bias && b.needs(a.bias)) b[a.bias] = sum_to(given, a.normalized_shape);
}

// Returns the attributes. weight and bias, where defined, follow the first `before` inputs.
LayerNorm attributes(const Dims& shape, double eps, int before, const Tensor& weight, const Tensor& bias,
                     std::vector<const Tensor*>& in) {
  LayerNorm a{shape, eps};
  if (weight) a.weight = before++, in.push_back(&weight);
  if (bias) a.bias = before, in.push_back(&bias);
  return a;
}

// Returns the mean and 1/√(variance + eps) of each row; writes the normalised rows to y.
Tensor normalise(const Tensor& x, const LayerNorm& a, const Tensor& weight, const Tensor& bias,
                 const Tensor& y) {
  const Tensor rows = dense(x), w = dense_or_none(weight), b = dense_or_none(bias);
  // The moments have the parameters' dtype, as in PyTorch.
  const Tensor& parameter = weight ? weight : bias ? bias : x;
  const Tensor moments = dense_result({outer(x, a.normalized_shape).numel(), 2}, x, parameter.dtype());
  const auto view = [&](const Tensor& t) { return as_rows(t, a.normalized_shape); };
  if (x.numel() > 0)
    layer_norm_on(x.device())(WidenedInput(view(rows), x.device()), WidenedInput(view(w), x.device()),
                              WidenedInput(view(b), x.device()), a.eps,
                              RoundedOutput(view(y), x.device(), narrow_access(y, x)),
                              RoundedOutput(moments));
  return moments;
}

std::vector<Save> saves_of(const Tensor& x, const Tensor& moments, const Tensor& weight) {
  std::vector<Save> saves = {{&x}, {&moments}};
  if (weight) saves.push_back({&weight});
  return saves;
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Dims& normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps, std::optional<DType> dtype) {
  if (dtype && *dtype != x.dtype() && steps_are_watched())
    return to(layer_norm(x, normalized_shape, weight, bias, eps), *dtype);
  check_same_device({&x, &weight, &bias});
  check_arguments(x, normalized_shape, weight, bias);
  std::vector<const Tensor*> in = {&x};
  const LayerNorm a = attributes(normalized_shape, eps, 1, weight, bias, in);
  const Tensor y = dense_result(x.shape(), x, dtype.value_or(x.dtype()));
  const Tensor moments = normalise(x, a, weight, bias, y);
  return record(
      layer_norm_op, y, in, saves_of(x, moments, weight), a, [](BackwardContext& g, const LayerNorm& n) {
        grad_mode || g.saved(kX).numel() == 0 ? composed_grad(g, g.g, n, g.needs(0)) : fused_grad(g, g.g, n);
      });
}

// ================================================================ add_layer_norm
namespace {

// The dtype of the normalised rows: the branch's half, so that the product that reads them need not round.
std::optional<DType> dtype_of_norm(const Tensor& x, const Tensor& branch) {
  if (is_narrow(branch.dtype()) && x.dtype() == float32) return branch.dtype();
  return {};
}

SumAndNormed sum_and_normed(const Tensor& x, const Tensor& branch, const Dims& normalized_shape,
                            const Tensor& weight, const Tensor& bias, double eps) {
  const Tensor sum = x + branch;
  return {sum, layer_norm(sum, normalized_shape, weight, bias, eps, dtype_of_norm(x, branch))};
}

Expr why_add_layer_norm(const Cell& c) {
  return why_in_ops(c, [&](std::span<const Tensor> in) {
    const auto& a = c.attr<LayerNorm>();
    const auto parameter = [&](int i) { return i ? in[size_t(i)] : Tensor(); };
    const auto [sum, normed] =
        sum_and_normed(in[0], in[1], a.normalized_shape, parameter(a.weight), parameter(a.bias), a.eps);
    return c.out == 0 ? sum : normed;
  });
}

constexpr Op add_layer_norm_op{"add_layer_norm", "AddLayerNormBackward0",
                               "x + branch; (sum − mean) / √(var + eps) · weight + bias", why_add_layer_norm};

// Adds the norm's gradient to the sum's; the total is the gradient of both x and the branch.
void add_layer_norm_grad(BackwardContext& d, const LayerNorm& a) {
  const Tensor &of_sum = d.grads[0], &of_norm = d.grads[1];
  const bool on_gpu = of_norm && is_cuda(of_norm.device()) && !is_narrow(d.saved(kX).dtype());
  if (on_gpu && !grad_mode && !watching) {
    const bool rounds = d.needs(1) && d.node.outputs[0].dtype == float32 && of_norm.dtype() == bfloat16;
    fused_grad(d, of_norm, a, Residual{of_sum, rounds});
  } else {
    if (of_norm) grad_mode ? composed_grad(d, of_norm, a, true) : fused_grad(d, of_norm, a, Residual{});
    if (of_sum) d[0] = d[0] ? d[0] + of_sum : of_sum;  // no d[0] if only weight and bias need gradients
  }
  if (!d[1]) d[1] = d[0];
}

// True if a GPU can do the sum and the norm in one pass.
bool is_one_pass(const Tensor& x, const Tensor& branch, const Tensor& weight, const Tensor& bias) {
  return is_cuda(x.device()) && x.dtype() == float32 && branch.dtype() == bfloat16 && x.is_contiguous() &&
         branch.is_contiguous() && weight && bias;
}

}  // namespace

SumAndNormed add_layer_norm(const Tensor& x, const Tensor& branch, const Dims& normalized_shape,
                            const Tensor& weight, const Tensor& bias, double eps) {
  const bool fits = x.shape() == branch.shape() && promoted(x.dtype(), branch.dtype()) == x.dtype() &&
                    is_floating(x.dtype()) && x.numel() > 0;
  if (!fits || steps_are_watched()) return sum_and_normed(x, branch, normalized_shape, weight, bias, eps);
  check_same_device({&x, &branch, &weight, &bias});
  check_arguments(x, normalized_shape, weight, bias);
  std::vector<const Tensor*> in = {&x, &branch};
  const LayerNorm a = attributes(normalized_shape, eps, 2, weight, bias, in);
  Tensor results[2], moments;
  auto& [sum, y] = results;
  y = dense_result(x.shape(), x, dtype_of_norm(x, branch).value_or(x.dtype()));
  if (is_one_pass(x, branch, weight, bias)) {
    sum = dense_result(x.shape(), x), moments = dense_result({outer(x, normalized_shape).numel(), 2}, x);
    const Tensor w = dense(weight), b = dense(bias);
    const auto view = [&](const Tensor& t) { return as_rows(t, normalized_shape); };
    kernel_for<decltype(cuda::layer_norm_of_sum)>(x.device(), nullptr, GG_CUDA(layer_norm_of_sum))(
        view(x), view(branch), view(w), view(b), eps, view(sum), view(y), moments.raw());
  } else {
    const NoRecording no_recording;
    sum = x + branch, moments = normalise(sum, a, weight, bias, y);
  }
  record_outputs(add_layer_norm_op, results, 2, in, saves_of(sum, moments, weight), a,
                 [](BackwardContext& d, const LayerNorm& n) { add_layer_norm_grad(d, n); });
  return {sum, y};
}

}  // namespace glassgrad

// A linear layer followed by gelu as one op, as in a transformer's feed-forward block.
#include "../autocast.h"
#include "../ops.h"
#include "definition.h"
#include "kernels.h"
#include "layout.h"
#include "pointwise.h"

namespace glassgrad {
namespace {

struct LinearGelu {
  bool tanh = false;
  static constexpr AttrNames kNames{"tanh"};
};
Tensor definition(std::span<const Tensor> in, const LinearGelu& a);
Expr why_grad(const Cell& c);

constexpr Op linear_gelu_op{"linear_gelu", "LinearGeluBackward0", "gelu(bias[j] + Σₖ x[i,k]·weight[j,k])",
                            why_defined<LinearGelu, definition>},
    linear_gelu_grad_op{"linear_gelu_backward", "",
                        "g · the slope of gelu at bias[j] + Σₖ x[i,k]·weight[j,k]", why_grad};

// ---- the op made of single ops
Tensor activated(const Tensor& layer, const LinearGelu& a) { return gelu(layer, a.tanh ? "tanh" : "none"); }
Tensor definition(std::span<const Tensor> in, const LinearGelu& a) {
  return activated(linear(in[0], in[1], in[2]), a);
}
// Inputs g, x, weight, bias.
Expr why_grad(const Cell& c) {
  return why_in_ops(c, [&](std::span<const Tensor> in) {
    const GradMode on(true);
    const Tensor layer = linear(in[1], in[2], in[3]).detach().requires_grad_();
    return grad({activated(layer, c.attr<LinearGelu>())}, {layer}, {in[0]})[0];
  });
}

// ---- backward
// The tensors that the node saves: the inputs, and the slope of gelu at each number of the layer.
enum SavedGelu { kX, kWeight, kBias, kSlope };

// Returns the gradient of gelu's input, in the memory of the slopes if nothing reads them again.
Tensor fused_grad(const BackwardContext& b, const LinearGelu& a) {
  const Tensor x = b.saved(kX), weight = b.saved(kWeight), bias = b.saved(kBias);
  Tensor dy;
  {
    const Watch nobody(nullptr);
    const Tensor room = b.g.is_contiguous() ? b.reuse_saved_buffer(kSlope) : Tensor();
    dy = room ? mul_(room, b.g) : b.g * b.saved(kSlope);
  }
  return record(linear_gelu_grad_op, dy, {&b.g, &x, &weight, &bias}, a);
}

Tensor as_rows(const Tensor& x) { return x.reshape({x.numel() / x.size(-1), x.size(-1)}); }

constexpr auto gradient_of_layer = [](BackwardContext& b, const LinearGelu& a) {
  if (grad_mode) return grad_of_definition(b, a, 3, definition);
  const Tensor g = as_rows(fused_grad(b, a)), x = b.saved(kX);
  if (b.needs(kX)) b[kX] = mm(g, b.saved(kWeight)).view(x.shape());
  if (b.needs(kWeight)) b[kWeight] = mm(g.t(), as_rows(x));
  b[kBias] = g;
};

// ---- forward
// True for a layer that needs a gradient, on the CPU, with contiguous inputs. Other calls, and those that
// must throw, go to the two ops.
bool is_one_op(const Tensor& x, const Tensor& weight, const Tensor& bias, std::string_view approximate) {
  if (!bias || x.dim() < 2 || weight.dim() != 2 || bias.dim() != 1) return false;
  for (const Tensor* t : {&x, &weight, &bias})
    if (t->device() != kCpu || t->dtype() != x.dtype() || t->strides() != contiguous_strides(t->shape()))
      return false;
  const bool fits = x.size(-1) == weight.size(1) && bias.size(0) == weight.size(0);
  const bool is_known = approximate == "none" || approximate == "tanh";
  return fits && is_known && is_floating(x.dtype()) && !is_narrow(x.dtype()) && x.numel() > 0 &&
         bias.numel() > 1 && any_needs_grad({&x, &weight, &bias});
}

// layer: the linear layer's output, which gelu's slope replaces; y: the result.
struct Finish {
  View layer, y;
  bool tanh;

  // The product calls this for its finished rows while they are in the cache.
  static void rows(const void* self, int64_t, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    const Finish& f = *static_cast<const Finish*>(self);
    floats(f.y.dtype, [&](auto zero) {
      using T = decltype(zero);
      const int64_t width = f.y.shape[f.y.shape.n - 1];
      for (int64_t at = row * width + column; rows > 0; --rows, at += width)
        kernels().gelu_and_slope(columns, f.y.dtype, f.layer.as<T>() + at, f.y.as<T>() + at, f.tanh);
    });
  }
};

}  // namespace

Tensor linear_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias, std::string_view approximate) {
  if (steps_are_watched() || lowers({&x, &weight}) || !is_one_op(x, weight, bias, approximate))
    return gelu(linear(x, weight, bias), approximate);
  const LinearGelu a{approximate == "tanh"};
  Dims shape = x.shape();
  shape[shape.n - 1] = weight.size(0);
  const Tensor layer = dense_result(shape, x), y = dense_result(shape, x);
  {
    const NoRecording no_recording;
    const Finish finish{layer.raw(), y.raw(), a.tanh};
    multiply_on_cpu(as_rows(x).raw(), weight.t().raw(), as_rows(layer).raw(),
                    {.bias = bias.raw().data, .finished = Finish::rows, .self = &finish});
  }
  const Tensor& slope = layer;  // gelu_and_slope has overwritten it
  return record(linear_gelu_op, y, {&x, &weight, &bias}, {{&x}, {&weight}, {&bias}, {&slope}}, a,
                gradient_of_layer);
}

}  // namespace glassgrad

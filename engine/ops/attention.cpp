// Scaled dot-product attention as one op.
#include <algorithm>
#include <cmath>

#include "../autocast.h"
#include "../matmul_precision.h"
#include "../ops.h"
#include "attention.h"
#include "definition.h"
#include "dims.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {

// On a GPU, norms gets only log Σ exp of each query's scores, and attention_grad reads Σ g⊙y from `sums`.
// bf16 only where fits_tensor_cores: then y, g and the gradients are bf16, the sums float32, and gradients
// are written instead of added to.
GG_KERNEL(attention, kernels().attention);
GG_KERNEL(attention_grad, kernels().attention_grad);

namespace {

struct Attention {
  double scale = 1;
  bool is_causal = false, masked = false;  // masked: the fourth input is a mask
  static constexpr AttrNames kNames{"scale", "is_causal"};
};
Tensor definition(std::span<const Tensor> in, const Attention& a);

constexpr Op attention_op{"scaled_dot_product_attention", "ScaledDotProductFlashAttentionForCpuBackward0",
                          "Σⱼ softmaxⱼ(Σₖ query[t,k]·key[j,k]·scale)·value[j,d]",
                          why_defined<Attention, definition>},
    attention_grad_op{"scaled_dot_product_attention_backward", "",
                      "with weights p and g·valueᵀ as their gradient: p ⊙ (g·valueᵀ − Σ p ⊙ g·valueᵀ)·scale, "
                      "times key, or its transpose times query; pᵀ·g",
                      why_defined_grad<Attention, definition>};

// ---------------------------------------------------------------- shapes
void check_arguments(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, bool is_causal) {
  check_attention_types(q, k, v, mask);
  check(is_floating(q.dtype()), "\"scaled_dot_product_attention\" not implemented for '{}'",
        scalar_type_name(q.dtype()));
  check(
      q.size(-1) == k.size(-1) && k.size(-2) == v.size(-2),
      "scaled_dot_product_attention: query {} and key {} must have the same last size, key and value {} the "
      "same number of rows",
      q.shape(), k.shape(), v.shape());
  check(!mask || !is_causal,
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
}

Dims lead_of_all(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  const Dims lead = broadcast(broadcast(batch_of(q), batch_of(k)), batch_of(v));
  return mask ? broadcast(lead, batch_of(mask)) : lead;
}

// Makes a result of shape (…, H, T, D) with the memory order of (…, T, H, D), so that the layers around the
// op can reshape it without a copy.
Tensor heads_inside_rows(const Dims& shape, DType dtype, Device device) {
  if (shape.n < 4) return empty_contiguous(shape, dtype, device);
  Dims stored = shape;
  std::swap(stored[shape.n - 3], stored[shape.n - 2]);
  Dims strides = contiguous_strides(stored);
  std::swap(strides[shape.n - 3], strides[shape.n - 2]);
  return empty_strided(shape, strides, dtype, device);
}

// These two read no numbers, so they call the kernel table directly: kernel_for would count their operands as
// work.
bool on_tensor_cores(Device device, const AttentionInputs& in) {
  bool (*const fits)(const AttentionInputs&) = GG_CUDA(fits_tensor_cores);
  return is_cuda(device) && fits(in);
}
bool has_packed_rows(const View& x) {
  bool (*const has)(const View&) = GG_CUDA(has_packed_rows);
  return has(x);
}

// The mask as the CPU's kernel reads it fast: with the queries of a key side by side. Repeated numbers are
// copied once.
Tensor key_by_key(Tensor mask) {
  const int64_t rows = mask.dim() - 2;
  if (mask.device() != kCpu || rows < 0 || mask.strides()[rows] == 1) return mask;
  for (int64_t d = 0; d < mask.dim(); ++d)
    if (mask.strides()[d] == 0 && mask.shape()[d] > 1) mask = mask.slice(d, 0, 1);
  return mask.transpose(-2, -1).contiguous().transpose(-2, -1);
}

// The inputs expanded to one batch, as the kernels read them; outside the graph.
struct Expanded {
  Dims lead;
  AttentionInputs in;
  Tensor read[4] = {};  // the tensors of which `in` holds views
  bool narrow = false;  // a GPU's tensor cores read halves directly

  Expanded(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const Attention& a) {
    const NoRecording no_recording;
    lead = lead_of_all(q, k, v, mask);
    const auto views_of = [&](Tensor (*readable)(const Tensor&)) {
      Tensor* next = read;
      const auto view = [&](const Tensor& x, int64_t rows, int64_t columns) {
        const Tensor& as_read = *next++ = readable(x);
        return as_read.expand(joined(lead, {rows, columns})).raw();
      };
      const auto own = [&](const Tensor& x) { return view(x, x.size(-2), x.size(-1)); };
      View m{nullptr, {}, {}, boolean};
      if (mask) m = view(key_by_key(mask), q.size(-2), k.size(-2));
      in = {own(q), own(k), own(v), m, a.scale, a.is_causal, rounds(q)};
    };
    views_of([](const Tensor& x) { return x; });
    narrow = on_tensor_cores(q.device(), in);
    if (!narrow && is_narrow(q.dtype())) views_of(widened);
  }
  // True if a GPU may round the inputs of products to tf32.
  static bool rounds(const Tensor& q) {
    return is_cuda(q.device()) && q.dtype() == float32 && matmul_precision() == MatmulPrecision::tf32;
  }
  NarrowAccess narrow_access() const { return narrow ? NarrowAccess::NativeOnGpu : NarrowAccess::Widened; }
};

// ---------------------------------------------------------------- attention made of single ops
Tensor future_keys(int64_t queries, int64_t keys, Device device) {
  return to(triu(ones({queries, keys}, float32, device), 1), boolean);
}

Tensor definition(std::span<const Tensor> in, const Attention& a) {
  const Tensor mask = a.masked ? in[3] : Tensor();
  const Dims lead = lead_of_all(in[0], in[1], in[2], mask);
  const auto of_batch = [&](const Tensor& x) {
    const Dims shape = joined(lead, {x.size(-2), x.size(-1)});
    return x.shape() == shape ? x : x.expand(shape);
  };
  const Tensor q = of_batch(in[0]), k = of_batch(in[1]), v = of_batch(in[2]);
  const DType t = q.dtype();
  const bool adds = a.masked && mask.dtype() != boolean;
  if (const DType wide = computed_in(t); is_narrow(t)) {  // a narrow result is rounded once
    const Tensor widened[] = {to(q, wide), to(k, wide), to(v, wide), adds ? to(mask, wide) : mask};
    return to(definition(widened, a), t);
  }
  Tensor unseen;  // the keys that are masked out
  if (a.is_causal) unseen = named(future_keys(q.size(-2), k.size(-2), q.device()), "mask_bool");
  if (a.masked && !adds) unseen = ~mask;
  Tensor scores = named(chained_bmm(q, k, true), "attn_scores");  // (…, T, S)
  const bool before = unseen && a.scale > 0;  // scaling keeps −∞, so follow the order of the sources
  if (before) scores = named(masked_fill(scores, unseen, -INFINITY), "attn_scores");
  scores = named(scores * a.scale, "scaled_scores");
  if (adds) scores = named(scores + mask, "scaled_scores");
  if (unseen && !before) scores = named(masked_fill(scores, unseen, -INFINITY), "scaled_scores");
  const Tensor weights = a.masked ? safe_softmax(scores, -1) : softmax(scores, -1);
  return chained_bmm(named(weights, "attn_weights"), v);
}

// ---------------------------------------------------------------- backward
// The tensors that the node saves: the inputs, the result if a GPU needs it, and the norms of the weights.
enum SavedAttention { kQuery, kKey, kValue, kMask, kResult, kNorms };

// Allocates one number per query. On a GPU the kernel expects Σ g⊙y in it; the CPU's kernel fills it itself.
Tensor sums_of_queries(const Tensor& g, const BackwardContext& b, NarrowAccess access) {
  Dims rows = g.shape();
  --rows.n;
  const Tensor sums = dense_result(rows, g, computed_in(g.dtype()));
  if (is_cuda(g.device()))
    kernel_for<decltype(cuda::row_dots)>(g.device(), nullptr, GG_CUDA(row_dots))(
        WidenedInput(g, access), WidenedInput(b.saved(kResult), access), sums.raw());
  return sums;
}

// True if k starts `apart` elements after q, v starts `apart` after k, and the rows of the three alternate in
// memory without overlap.
bool lie_side_by_side(const Tensor& q, const Tensor& k, const Tensor& v, int64_t apart) {
  for (const Tensor* x : {&k, &v})
    if ((*x)->storage.get() != q->storage.get() || !((*x).shape() == q.shape()) ||
        !((*x).strides() == q.strides()))
      return false;
  int64_t reach = 1;  // the extent of the inner dimensions
  for (int d = 0; d < q.dim(); ++d) {
    const int64_t size = q.shape()[d], stride = q.strides()[d];
    if (size > 1 && stride < apart) reach += (size - 1) * stride;
    if (size > 1 && (stride <= 0 || (stride >= apart && stride < 3 * apart))) return false;
  }
  return apart >= reach && k->offset == q->offset + apart && v->offset == q->offset + 2 * apart;
}

// Allocates the gradients of q, k and v. If a single product made the three side by side in one buffer, so
// are their gradients, and joining them later moves nothing.
std::vector<Tensor> room_for_gradients(const Tensor& q, const Tensor& k, const Tensor& v,
                                       const Expanded& batch) {
  const DType dtype = batch.narrow ? q.dtype() : computed_in(q.dtype());
  const int64_t apart = k->offset - q->offset;
  std::vector<Tensor> d;
  if (batch.narrow && lie_side_by_side(q, k, v, apart) &&
      q.shape() == joined(batch.lead, {q.size(-2), q.size(-1)})) {
    const Tensor all = dense_result(extent(q.shape(), q.strides()) + 2 * apart, q);
    for (int64_t i = 0; i < 3; ++i) d.push_back(part(all, i * apart, q.shape(), q.strides()));
    return d;
  }
  for (const Tensor* x : {&q, &k, &v}) {
    const Dims shape = joined(batch.lead, {x->size(-2), x->size(-1)});
    // A gradient laid out like its input needs no copy. One that is still to be summed over broadcast
    // dimensions has the layout that the definition gives it.
    const auto made = x->shape() == shape && !x->is_contiguous() ? heads_inside_rows : empty_contiguous;
    d.push_back(made(shape, dtype, x->device()));
    if (!batch.narrow) zero_(d.back());  // the kernels add to the contents
  }
  return d;
}

void fused_grad(BackwardContext& b, const Attention& a) {
  const Tensor q = b.saved(kQuery), k = b.saved(kKey), v = b.saved(kValue);
  const Tensor mask = a.masked ? b.saved(kMask) : Tensor();
  const Expanded batch(q, k, v, mask, a);
  const bool fits = batch.narrow ? has_packed_rows(b.g.raw())
                                 : b.g.device() == kCpu || b.g.strides()[b.g.shape().n - 1] == 1;
  const Tensor g = fits ? b.g : dense(b.g);
  std::vector<Tensor> d;
  {
    const Watch nobody(nullptr);
    const Tensor sums = sums_of_queries(g, b, batch.narrow_access());
    d = room_for_gradients(q, k, v, batch);
    attention_grad_on(g.device())(batch.in, WidenedInput(g, batch.narrow_access()), b.saved(kNorms).raw(),
                                  sums.raw(), d[0].raw(), d[1].raw(), d[2].raw());
    for (Tensor& each : d) each = to(each, q.dtype());
  }
  std::vector<const Tensor*> in = {&g, &q, &k, &v};
  if (mask) in.push_back(&mask);
  record_outputs(attention_grad_op, d, 0, in, {}, a, [](BackwardContext&, const Attention&) {});
  for (int i = 0; i < 3; ++i) b[i] = d[size_t(i)];
}

}  // namespace

void check_attention_types(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  check(q.dim() >= 2 && k.dim() >= 2 && v.dim() >= 2,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {} key.dim: {} "
        "and value.dim: {} instead.",
        q.dim(), k.dim(), v.dim());
  check(q.dtype() == k.dtype() && q.dtype() == v.dtype(),
        "Expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: {} and "
        "value.dtype: {} instead.",
        cpp_type_name(q.dtype()), cpp_type_name(k.dtype()), cpp_type_name(v.dtype()));
  check(
      !mask || mask.dtype() == boolean || mask.dtype() == float32 || mask.dtype() == q.dtype(),
      "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {} and "
      " query.dtype: {} instead.",
      mask ? cpp_type_name(mask.dtype()) : "", cpp_type_name(q.dtype()));
}

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, bool is_causal, std::optional<double> scale) {
  if (lowers({&query, &key, &value, &attn_mask}))
    return scaled_dot_product_attention(lowered(query), lowered(key), lowered(value), lowered(attn_mask),
                                        is_causal, scale);
  check_arguments(query, key, value, attn_mask, is_causal);
  if (attn_mask && attn_mask.dtype() != boolean && attn_mask.dtype() != query.dtype())
    return scaled_dot_product_attention(query, key, value, to(attn_mask, query.dtype()), is_causal, scale);
  check_same_device({&query, &key, &value, &attn_mask});
  const double width = double(std::max<int64_t>(query.size(-1), 1));
  const Attention a{scale.value_or(1 / std::sqrt(width)), is_causal, bool(attn_mask)};
  if (const Tensor in[] = {query, key, value, attn_mask}; steps_are_watched()) return definition(in, a);
  const Expanded batch(query, key, value, attn_mask, a);
  const Tensor y =
      heads_inside_rows(joined(batch.lead, {query.size(-2), value.size(-1)}), query.dtype(), query.device());
  Dims rows = y.shape();
  --rows.n;
  Dims of_rows = 2;
  for (const int64_t size : rows) of_rows.push(size);
  const Tensor norms = dense_result(of_rows, query, computed_in(query.dtype()));
  if (y.numel() > 0) attention_on(y.device())(batch.in, RoundedOutput(y, batch.narrow_access()), norms.raw());

  std::vector<const Tensor*> in = {&query, &key, &value};
  if (attn_mask) in.push_back(&attn_mask);
  const Tensor& mask = attn_mask ? attn_mask : query;
  return record(attention_op, y, in,
                {{&query}, {&key}, {&value}, {&mask, bool(attn_mask)}, {&y, is_cuda(y.device())}, {&norms}},
                a, [](BackwardContext& b, const Attention& at) {
                  const bool by_mask = at.masked && b.needs(kMask);
                  if (grad_mode || b.g.numel() == 0 || by_mask)
                    return grad_of_definition(b, at, at.masked ? 4 : 3, definition);
                  fused_grad(b, at);
                });
}

}  // namespace glassgrad

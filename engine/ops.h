// Every op with its signature, formula and shapes. Names, defaults, results and error texts are PyTorch's
// (torch.NAME unless another source is given). Shapes broadcast by PyTorch's rules, dtypes promote by its
// categories (bool < int < float; numbers and 0-d tensors change the dtype only across categories).
// Dimensions may be negative. Errors common to all: IndexError `Dimension out of range (expected to be in
// range of [-2, 1], but got 2)`, Error `The size of tensor a (3) must match the size of tensor b (4) at
// non-singleton dimension 0`.
#pragma once
#include <concepts>
#include <string_view>

#include "autograd.h"
#include "random.h"

namespace glassgrad {

// ================================================================ creation (ops/create.cpp) — no gradient
// A tensor with these values in logical order. torch.tensor, with nested lists, is in literal.h.
Tensor from_values(const std::vector<double>& values, const Dims& shape, DType dtype = float32);
Tensor from_values(const std::vector<int64_t>& values, const Dims& shape, DType dtype = int64);
// On default_device unless a device is given.
Tensor empty(const Dims& shape, DType dtype = float32, Device device = default_device);  // uninitialised
Tensor zeros(const Dims& shape, DType dtype = float32, Device device = default_device);
Tensor ones(const Dims& shape, DType dtype = float32, Device device = default_device);
// Without dtype: float32 for a float value, int64 for an integer, bool for a bool.
Tensor full(const Dims& shape, const Tensor& value, std::optional<DType> dtype = {},
            Device device = default_device);
// The *_like forms keep the strides of a dense input.
Tensor empty_like(const Tensor& x, std::optional<DType> dtype = {});
Tensor zeros_like(const Tensor& x, std::optional<DType> dtype = {});
Tensor ones_like(const Tensor& x, std::optional<DType> dtype = {});
Tensor full_like(const Tensor& x, const Tensor& value, std::optional<DType> dtype = {});
Tensor rand_like(const Tensor& x, Generator& g = default_generator());
Tensor randn_like(const Tensor& x, Generator& g = default_generator());
Tensor randint_like(const Tensor& x, int64_t low, int64_t high, Generator& g = default_generator());
// start, start+step, … below end: ⌈(end − start)/step⌉ values. The integer form returns int64, the float form
// float32.
Tensor arange(int64_t end);
Tensor arange(int64_t start, int64_t end, int64_t step = 1);
Tensor arange(double start, double end, double step = 1, DType dtype = float32);
template <std::integral A, std::integral B, std::integral C = int64_t>
Tensor arange(A start, B end, C step = 1) {
  return arange(int64_t(start), int64_t(end), int64_t(step));
}
template <std::floating_point F>
Tensor arange(F end) {
  return arange(0.0, double(end));
}
Tensor linspace(double start, double end, int64_t steps, DType dtype = float32);
Tensor eye(int64_t n, std::optional<int64_t> m = {}, DType dtype = float32);
// Random: uniform [0,1); standard normal; integers in [low, high); a permutation of 0…n−1 (random.h has the
// rules).
Tensor rand(const Dims& shape, DType dtype = float32, Generator& g = default_generator());
Tensor randn(const Dims& shape, DType dtype = float32, Generator& g = default_generator());
Tensor randint(int64_t low, int64_t high, const Dims& shape, Generator& g = default_generator());
Tensor randperm(int64_t n, Generator& g = default_generator());
Tensor normal(double mean, double std, const Dims& shape, Generator& g = default_generator());
Tensor normal(const Tensor& mean, const Tensor& std, Generator& g = default_generator());
// 1 with probability p (elementwise), else 0; dtype of p.
Tensor bernoulli(const Tensor& p, Generator& g = default_generator());
// n indices per row of the weights p (n,) or (rows, n), int64.
Tensor multinomial(const Tensor& p, int64_t n, bool replacement = false, Generator& g = default_generator());
// Random fills in place (torch.Tensor's methods).
Tensor uniform_(const Tensor& x, double a = 0, double b = 1, Generator& g = default_generator());
Tensor normal_(const Tensor& x, double mean = 0, double std = 1, Generator& g = default_generator());
Tensor bernoulli_(const Tensor& x, double p = 0.5, Generator& g = default_generator());
// bernoulli_ with the draws of F.dropout. On the CPU they are the same numbers. On a GPU, if the number of
// elements is a multiple of 4, four neighbours get the four words of one thread.
Tensor dropout_mask_(const Tensor& x, double keep, Generator& g = default_generator());
Tensor exponential_(const Tensor& x, double lambda = 1, Generator& g = default_generator());
Tensor random_(const Tensor& x, Generator& g = default_generator());
Tensor random_(const Tensor& x, int64_t low, int64_t high, Generator& g = default_generator());

// ================================================================ pointwise (numbers/pointwise.def,
// ops/pointwise.cpp) Each op is one row of that table, with its value and derivatives.
#define UNARY(name, ...) Tensor name(const Tensor& x);
#define UNARY_PLAIN UNARY
#define UNARY_INPLACE(name) Tensor name##_(const Tensor& x);
#define BINARY(name, ...) Tensor name(const Tensor& a, const Tensor& b);
#define BINARY_PLAIN BINARY
#define BINARY_INPLACE(name) Tensor name##_(const Tensor& a, const Tensor& b);
#include "numbers/pointwise.def"  // undefines the macros
inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
inline Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
inline Tensor operator&(const Tensor& a, const Tensor& b) { return bitwise_and(a, b); }
inline Tensor operator|(const Tensor& a, const Tensor& b) { return bitwise_or(a, b); }
inline Tensor operator^(const Tensor& a, const Tensor& b) { return bitwise_xor(a, b); }
inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator~(const Tensor& x) { return bitwise_not(x); }
// number − x is rsub(x, number), which is rsub(a, b) = b − a. number / x is reciprocal(x)·number, which is
// how PyTorch rounds it.
template <Number N>
Tensor operator-(N number, const Tensor& x) {
  return rsub(x, Tensor(number));
}
template <Number N>
Tensor operator/(N number, const Tensor& x) {
  return mul(reciprocal(x), Tensor(number));
}
// x^e for a number e: x·x for 2, x·x·x for 3, √x for 0.5, 1/x for −1 (PowBackward0); any other tensor: pow.
Tensor pow_number(const Tensor& x, const Tensor& exponent);
Tensor pow_(const Tensor& x, const Tensor& exponent);
Tensor pow_base(const Tensor& base, const Tensor& exponent);  // number^x (PowBackward2)
// The nth derivative of digamma(x) = Γ'(x)/Γ(x), for a number n ≥ 0.
Tensor polygamma(const Tensor& n, const Tensor& x);
template <Number N>
Tensor pow(const Tensor& x, N exponent) {
  return pow_number(x, Tensor(exponent));
}
template <Number N>
Tensor pow(N base, const Tensor& exponent) {
  return pow_base(Tensor(base), exponent);
}
// F.gelu: exact x·Φ(x), or with approximate = "tanh" 0.5x(1 + tanh(√(2/π)(x + 0.044715x³))).
Tensor gelu(const Tensor& x, std::string_view approximate);
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.01);
Tensor elu(const Tensor& x, double alpha = 1);  // x > 0 ? x : α(exp(x) − 1)
Tensor softplus(const Tensor& x, double beta = 1,
                double threshold = 20);  // log(1 + exp(βx))/β; x where βx > threshold
// Clamps to min ≤ x ≤ max; a missing bound is no limit. Where x equals a bound, the gradient passes. NaN
// stays NaN.
Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max = {});
Tensor clamp_(const Tensor& x, std::optional<double> min, std::optional<double> max = {});
// cond ? a : b; cond is bool.
Tensor where(const Tensor& cond, const Tensor& a, const Tensor& b);
// mask ? value : x. Error `masked_fill_ only supports boolean masks, but got mask with dtype float`.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value);
Tensor masked_fill_(const Tensor& x, const Tensor& mask, const Tensor& value);
Tensor fill_(const Tensor& x, const Tensor& value);
Tensor zero_(const Tensor& x);
Tensor copy_(const Tensor& x, const Tensor& source);  // x[…] = source, broadcast and cast
Tensor clone(const Tensor& x);                        // keeps a dense input's strides
Tensor to(const Tensor& x, DType dtype);              // x itself if it has that dtype
// For each group, cat(group, 0) in that dtype; all groups together in few launches (ops/together.cpp).
std::vector<Tensor> to_all(const std::vector<std::vector<Tensor>>& groups, DType dtype);
Tensor to(const Tensor& x, Device device);     // x itself if it is there; Error if there is no such device
bool equal(const Tensor& a, const Tensor& b);  // same shape and all elements equal
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8);
bool all_finite(const Tensor& x);  // no nan, no infinity: isfinite(x).all()

// ================================================================ products (ops/matmul.cpp)
Tensor mm(const Tensor& a, const Tensor& b);                         // (m,k)·(k,n)
Tensor bmm(const Tensor& a, const Tensor& b);                        // (b,m,k)·(b,k,n)
Tensor mv(const Tensor& a, const Tensor& x);                         // (m,k)·(k)
Tensor dot(const Tensor& a, const Tensor& b);                        // Σ a[k]·b[k], 0-d
Tensor outer(const Tensor& a, const Tensor& b);                      // a[i]·b[j]
Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b);  // bias + a·b
Tensor matmul(const Tensor& a, const Tensor& b);                     // all ranks, batch dimensions broadcast
Tensor linear(const Tensor& x, const Tensor& weight,
              const Tensor& bias = {});  // F.linear: x·weightᵀ + bias, weight (out,in)
// gelu(linear(x, weight, bias), approximate), with the same bits, as one op (ops/linear_gelu.cpp): gelu and
// its slope are computed while the product is in the cache, and the slope overwrites the product. Observers
// that want steps see the two ops. Throws the errors of the two ops.
Tensor linear_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias, std::string_view approximate);

// ================================================================ reductions (ops/reduce.cpp,
// ops/minmax.cpp) Over all elements, or over `dims` (kept with size 1 when keepdim). Integers and bools sum
// to int64.
Tensor sum(const Tensor& x);
Tensor sum(const Tensor& x, const Dims& dims, bool keepdim = false);
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, const Dims& dims, bool keepdim = false);
// Σ (x − mean)² / (n − correction); std is its root.
Tensor var(const Tensor& x, double correction = 1);
Tensor var(const Tensor& x, const Dims& dims, double correction = 1, bool keepdim = false);
Tensor std(const Tensor& x, double correction = 1);
Tensor std(const Tensor& x, const Dims& dims, double correction = 1, bool keepdim = false);
Tensor prod(const Tensor& x);
Tensor prod(const Tensor& x, int64_t dim, bool keepdim = false);
Tensor norm(const Tensor& x);  // √Σ x²
Tensor norm(const Tensor& x, const Dims& dims, bool keepdim = false);
// For all tensors together and without a graph: norms returns the norm of each, (n); the second multiplies
// each by a number, in place.
Tensor norms(const std::vector<Tensor>& all);
void mul_all_(const std::vector<Tensor>& all, const Tensor& factor);
Tensor logsumexp(const Tensor& x, const Dims& dims, bool keepdim = false);  // log Σ exp(x)
Tensor cumsum(const Tensor& x, int64_t dim);
struct ValuesIndices {
  Tensor values, indices;
};
Tensor max(const Tensor& x);  // the gradient is shared evenly among ties
Tensor min(const Tensor& x);
ValuesIndices max(const Tensor& x, int64_t dim, bool keepdim = false);  // the first of ties
ValuesIndices min(const Tensor& x, int64_t dim, bool keepdim = false);
Tensor amax(const Tensor& x, const Dims& dims, bool keepdim = false);
Tensor amin(const Tensor& x, const Dims& dims, bool keepdim = false);
Tensor argmax(const Tensor& x);
Tensor argmax(const Tensor& x, int64_t dim, bool keepdim = false);
Tensor argmin(const Tensor& x);
Tensor argmin(const Tensor& x, int64_t dim, bool keepdim = false);
Tensor all(const Tensor& x);
Tensor any(const Tensor& x);

// ================================================================ softmax (ops/softmax.cpp)
Tensor softmax(const Tensor& x, int64_t dim);      // exp(x − max) / Σ exp(x − max)
Tensor log_softmax(const Tensor& x, int64_t dim);  // x − max − log Σ exp(x − max)
// softmax, but a line of only −∞ gives 0, and gets gradient 0. Floats.
Tensor safe_softmax(const Tensor& x, int64_t dim);

// ================================================================ attention (ops/attention.cpp)
// F.scaled_dot_product_attention without dropout: softmax(query·keyᵀ·scale, masked)·value for (…, T, E), (…,
// S, E) and (…, S, D), whose leading dimensions broadcast → (…, T, D). attn_mask broadcasts to (…, T, S):
// bool, true where the key takes part, or numbers to add to the scores. is_causal: query i sees the keys j ≤
// i. A query without any key gets 0. scale: 1/√E unless given. Floats. Never holds all scores at once, yet on
// the CPU the result has the bits of the separate steps. Observers that want steps see those: attn_scores,
// mask_bool, scaled_scores, attn_weights. Errors `Expected query, key, and value to have the same dtype, but
// got query.dtype: float key.dtype: double and value.dtype: float instead.`, `_scaled_dot_product_attention:
// Explicit attn_mask should not be set when is_causal=True`.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, bool is_causal = false,
                                    std::optional<double> scale = {});

// ================================================================ normalisation (ops/norm.cpp)
// F.layer_norm: (x − mean)/√(var + eps)·weight + bias, mean and (biased) variance over the last dimensions,
// which are normalized_shape; weight and bias have that shape, either may be undefined. float32, float64.
// Error `Given normalized_shape=[5], expected input with shape [*, 5], but got input of size[2, 4]`. dtype:
// for float32 x, a half dtype for the result: to(layer_norm(x, …), dtype) in one pass.
Tensor layer_norm(const Tensor& x, const Dims& normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5, std::optional<DType> dtype = {});

// Returns sum = x + branch and normed = layer_norm(sum). normed has the branch's dtype if that is a half and
// x is float32, else the sum's. One pass on a GPU if x is contiguous float32, the branch bfloat16, and weight
// and bias are given. Throws the errors of add and layer_norm.
struct SumAndNormed {
  Tensor sum, normed;
};
SumAndNormed add_layer_norm(const Tensor& x, const Tensor& branch, const Dims& normalized_shape,
                            const Tensor& weight = {}, const Tensor& bias = {}, double eps = 1e-5);

// ================================================================ losses (ops/loss.cpp)
enum class Reduction : uint8_t { None, Mean, Sum };
// F.nll_loss: −x[i, target[i]] of log-probabilities x (N, C), (C) or (N, C, d₁, …) and int64 targets (N), ()
// or (N, d₁, …). A target equal to ignore_index gives 0 and is left out of the mean: nan if all are. Errors
// IndexError `Target 3 is out of bounds.`, ValueError `Expected input batch_size (2) to match target
// batch_size (3).`, `Expected target size [2, 3], got [2, 4]`, `expected scalar type Long but found Float`.
Tensor nll_loss(const Tensor& x, const Tensor& target, int64_t ignore_index = -100,
                Reduction reduction = Reduction::Mean);
// nll_loss(log_softmax(logits, 1), targets, ignore_index) with its mean, with the same bits, as one op. The
// only (N, C) memory it keeps is the logits, and their gradient overwrites them if nothing else holds them.
// Throws the errors of nll_loss; ValueError if the logits are not (N, C).
Tensor softmax_cross_entropy(const Tensor& logits, const Tensor& targets, int64_t ignore_index = -100);
// F.mse_loss: (x − target)², broadcast; the mean is over all elements.
Tensor mse_loss(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::Mean);
// F.binary_cross_entropy: −(t·log x + (1 − t)·log(1 − x)), t the target, logarithms below −100 taken as −100;
// x in [0, 1], t of the same shape, float32 or float64. Error `all elements of input should be between 0 and
// 1`, ValueError `Using a target size (torch.Size([2])) that is different to the input size (torch.Size([3]))
// is deprecated. Please ensure they have the same size.`
Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, Reduction reduction = Reduction::Mean);

// ================================================================ steps of optimizers (ops/optimize.cpp)
// In place, outside the graph, in one pass; g is the gradient of p, float32 or float64. Steps count from 1.
// torch.optim.Adam: g += weight_decay·p, or, decoupled (AdamW), p ·= 1 − lr·weight_decay;
// mean += (1 − β₁)(g − mean); square = β₂·square + (1 − β₂)g²;
// p −= lr/(1 − β₁ᵗ) · mean/(√square/√(1 − β₂ᵗ) + eps). mean and square are contiguous.
struct AdamStep {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool decoupled = false;
  int64_t step = 1;
  static constexpr AttrNames kNames{"lr", "beta1", "beta2", "eps", "weight_decay", "decoupled", "step"};
};
Tensor adam_(const Tensor& p, const Tensor& g, const Tensor& mean, const Tensor& square, const AdamStep& a);
// torch.optim.SGD: g += weight_decay·p; with momentum m (contiguous; undefined: none) m = g in the first
// step, then m = momentum·m + (1 − dampening)·g; g = m, or g + momentum·m if nesterov; p −= lr·g.
struct SgdStep {
  double lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
  int64_t step = 1;
  static constexpr AttrNames kNames{"lr", "momentum", "dampening", "weight_decay", "nesterov", "step"};
};
Tensor sgd_(const Tensor& p, const Tensor& g, const Tensor& momentum, const SgdStep& a);
// adam_ or sgd_ for several parameters. A GPU updates them in one launch, because one is too little work. A
// parameter may appear only once.
struct AdamOperands {
  Tensor p, g, mean, square;
  AdamStep step;
};
void adam_(std::span<const AdamOperands> all);
struct SgdOperands {
  Tensor p, g, momentum;  // momentum: undefined where there is none
  SgdStep step;
};
void sgd_(std::span<const SgdOperands> all);

// ================================================================ joining, reordering (ops/join.cpp)
Tensor cat(const std::vector<Tensor>& tensors, int64_t dim = 0);
Tensor stack(const std::vector<Tensor>& tensors, int64_t dim = 0);
Tensor tril(const Tensor& x, int64_t diagonal = 0);  // 0 above the diagonal
Tensor triu(const Tensor& x, int64_t diagonal = 0);  // 0 below it
Tensor flip(const Tensor& x, const Dims& dims);
Tensor roll(const Tensor& x, int64_t shift);  // of the flattened tensor
Tensor roll(const Tensor& x, const Dims& shifts, const Dims& dims);
Tensor repeat(const Tensor& x, const Dims& repeats);
// F.pad: surrounds x with `value`. widths: how many elements to add before and after each dimension, the last
// dimension first; a negative width removes elements.
Tensor pad(const Tensor& x, const Dims& widths, double value = 0);

// ================================================================ indexing (ops/index.cpp, ops/sort.cpp)
// x[i₀, i₁, …]: int64 or bool tensors, one per leading dimension (a mask takes as many as it has); an
// undefined tensor means `:`.
Tensor index(const Tensor& x, const std::vector<Tensor>& indices);
Tensor index_put_(const Tensor& x, const std::vector<Tensor>& indices, const Tensor& values,
                  bool accumulate = false);
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& indices);
Tensor masked_select(const Tensor& x, const Tensor& mask);
Tensor gather(const Tensor& x, int64_t dim, const Tensor& indices);  // x[…, indices[…], …]
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& indices,
                   const Tensor& source);  // the transpose of gather
// F.embedding: weight[indices]; the gradient sums over repeated indices and skips padding_idx.
Tensor embedding(const Tensor& weight, const Tensor& indices, std::optional<int64_t> padding_idx = {});
ValuesIndices topk(const Tensor& x, int64_t k, int64_t dim = -1, bool largest = true);
ValuesIndices sort(const Tensor& x, int64_t dim = -1, bool descending = false);
Tensor argsort(const Tensor& x, int64_t dim = -1, bool descending = false);
Tensor nonzero(const Tensor& x);  // (count, dim) int64
// The distinct values of x in ascending order (no gradient); for each element of x, the index of its value;
// and how often each value occurs.
struct Unique {
  Tensor values, inverse, counts;
};
Unique unique(const Tensor& x);

// ================================================================ building blocks of backward formulas
Tensor sum_to(const Tensor& x,
              const Dims& shape);  // undoes broadcasting: sums over the dimensions that were expanded
// The view that reshape makes of its copy (UnsafeViewBackward0). Nothing else holds the copy, so autograd
// does not treat the result as a view.
Tensor unsafe_view(const Tensor& x, const Dims& shape);
// Returns zeros of `shape`, contiguous, with v's elements written at (strides, offset). Where several
// elements of v go to one place, it gets their sum.
Tensor as_strided_scatter(const Tensor& v, const Dims& shape, const Dims& strides, int64_t offset);
// Returns x with the elements at (shape, strides, offset) set to zero.
Tensor as_strided_zero(const Tensor& x, const Dims& shape, const Dims& strides, int64_t offset);

}  // namespace glassgrad

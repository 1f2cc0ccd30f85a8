// Products of vectors and matrices.
#include <utility>

#include "einsum.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

#define GG_SCALED ", *, Scalar beta=1, Scalar alpha=1, Tensor? out=None"

Tensor scaled(const Tensor& x, double by) { return by == 1 ? x : x * by; }

Tensor added(const Tensor& x, const Tensor& product, double beta, double alpha) {
  return beta == 0 ? scaled(product, alpha) : scaled(x, beta) + scaled(product, alpha);
}

Tensor addmm_scaled(const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
  return beta == 1 && alpha == 1 ? addmm(x, a, b) : added(x, mm(a, b), beta, alpha);
}

// Sums products over pairs of dimensions, one of a and one of b, with a single product of matrices. A
// dimension of size 1 pairs with any size.
Tensor summed_over(const Tensor& first, const Tensor& second, const Dims& dims_a, const Dims& dims_b) {
  check(dims_a.n == dims_b.n, "both dimension lists should have same length");
  check(first.dtype() == second.dtype(), "both inputs should have same dtype");
  Tensor a = first, b = second;
  Dims summed_a, summed_b, shape;
  bool gone_a[kMaxDims] = {}, gone_b[kMaxDims] = {};
  for (int k = 0; k < dims_a.n; ++k) {
    const int64_t size = first.size(dims_a[k]), other = second.size(dims_b[k]);
    const int d = wrap_dim(dims_a[k], a.dim()), e = wrap_dim(dims_b[k], b.dim());
    check(
        size == other || size == 1 || other == 1,
        "contracted dimensions need to match, but first has size {} in dim {} and second has size {} in dim {}",
        size, dims_a[k], other, dims_b[k]);
    if (other == 1 && size != 1) a = sum(a, d, true);
    if (size == 1 && other != 1) b = sum(b, e, true);
    check(!std::exchange(gone_a[d], true) && !std::exchange(gone_b[e], true),
          "dim {} appears multiple times in the list of dims", gone_a[d] ? d : e);
    summed_a.push(d), summed_b.push(e);
  }
  Dims order_a, order_b = summed_b;
  int64_t rows = 1, columns = 1, depth = 1;
  for (const int64_t d : summed_a) depth *= a.size(d);
  for (int d = 0; d < a.dim(); ++d)
    if (!gone_a[d]) order_a.push(d), shape.push(a.size(d)), rows *= a.size(d);
  for (int d = 0; d < b.dim(); ++d)
    if (!gone_b[d]) order_b.push(d), shape.push(b.size(d)), columns *= b.size(d);
  for (const int64_t d : summed_a) order_a.push(d);
  return mm(a.permute(order_a).reshape({rows, depth}), b.permute(order_b).reshape({depth, columns}))
      .view(shape);
}
// Sums over the last n dimensions of a and the first n of b.
Tensor tensordot(const Tensor& a, const Tensor& b, int64_t n) {
  check(n >= 0, "tensordot expects dims >= 0, but got dims={}", n);
  check(n <= a.dim() && n <= b.dim(), "tensordot expects dims < ndim_a or ndim_b, but got dims={}", n);
  Dims last, first;
  for (int64_t d = 0; d < n; ++d) last.push(d - n), first.push(d);
  return summed_over(a, b, last, first);
}

// Σ over the last dimension of both, for each row of a and each of b.
Tensor inner(const Tensor& a, const Tensor& b) {
  if (a.dim() == 0 || b.dim() == 0) return a * b;
  check(a.size(-1) == b.size(-1),
        "inner() the last dimension must match on both input tensors but got shapes {} and {}", a.shape(),
        b.shape());
  return summed_over(a, b, {-1}, {-1});
}

Tensor chain(const std::vector<Tensor>& all) {
  check(all.size() >= 2, "linalg.multi_dot(): expected at least 2 tensors but got {}", all.size());
  Tensor y = all[0];
  for (size_t k = 1; k < all.size(); ++k) y = matmul(y, all[k]);
  return y;
}

}  // namespace

Rows product_rows() {
  return {
      row(kBoth, "mm(Tensor input, Tensor mat2" GG_OUT ")", call<mm>)
          .help("(m, k) · (k, n) = (m, n).")
          .out(kSame),
      row(kBoth, "bmm(Tensor input, Tensor mat2" GG_OUT ")", call<bmm>)
          .help("(b, m, k) · (b, k, n) = (b, m, n).")
          .out(kSame),
      row(kBoth, "mv(Tensor input, Tensor vec" GG_OUT ")", call<mv>)
          .help("(m, k) · (k) = (m).")
          .autocast_on_gpu(kHalf)
          .out(kSame),
      row(kBoth, "dot(Tensor input, Tensor tensor" GG_OUT ")", call<dot>)
          .help("Σ input[k] · tensor[k] of two vectors.")
          .autocast_on_gpu(kWidest)
          .out(same("result dtype {G} does not match input dtype {E}")),
      row(kBoth, "vdot(Tensor input, Tensor other" GG_OUT ")",
          [](const Tensor& a, const Tensor& b) { return rename_node("VdotBackward0", dot(a, b)); })
          .help("dot.")
          .autocast_on_gpu(kWidest)
          .out(same("result dtype {G} does not match input dtype {E}")),
      row(kBoth, "inner(Tensor input, Tensor other" GG_OUT ")", call<inner>)
          .help("Σ over the last dimensions of both.")
          .autocast_on_gpu(kWidest)
          .out(same("tensordot: Expected the output tensor to have dtype {E}, but got an output tensor with "
                    "dtype {G}"),
               "mul"),
      row(kBoth, "outer(Tensor input, Tensor vec2" GG_OUT ")", call<outer>)
          .help("input[i] · vec2[j] of two vectors.")
          .out({}, "mul"),
      row(kBoth, "ger(Tensor input, Tensor vec2" GG_OUT ")", call<outer>).help("outer.").out({}, "mul"),
      row(kBoth | kLinalg, "matmul(Tensor input, Tensor other" GG_OUT ")", call<matmul>)
          .help("The product of matrices (…, m, k) · (…, k, n) = (…, m, n); batch dimensions broadcast, "
                "vectors count as a row or a column.")
          .out(kSame),
      row(kBoth, "addmm(Tensor input, Tensor mat1, Tensor mat2" GG_SCALED ")", call<addmm_scaled>)
          .help("beta · input + alpha · mat1 · mat2.")
          .in_place(kMethod)
          .out(kSame),
      row(kBoth, "addmv(Tensor input, Tensor mat, Tensor vec" GG_SCALED ")",
          [](const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
            return added(x, mv(a, b), beta, alpha);
          })
          .help("beta · input + alpha · mat · vec.")
          .autocast_on_gpu(kHalf)
          .in_place(kBoth)
          .out(kSame),
      row(kBoth, "addbmm(Tensor input, Tensor batch1, Tensor batch2" GG_SCALED ")",
          [](const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
            return added(x, sum(bmm(a, b), 0), beta, alpha);
          })
          .help("beta · input + alpha · Σ over the batch of batch1 · batch2.")
          .autocast(kHalf)
          .in_place(kMethod)
          .out({OutRule::Same, "self and mat2 must have the same dtype, but got {G} and {E}",
                OutRule::Silent}),
      row(kBoth, "baddbmm(Tensor input, Tensor batch1, Tensor batch2" GG_SCALED ")",
          [](const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
            return added(x, bmm(a, b), beta, alpha);
          })
          .help("beta · input + alpha · batch1 · batch2, a product a batch.")
          .autocast(kHalf)
          .in_place(kMethod)
          .out(kSame),
      row(kTorch, "tensordot(Tensor a, Tensor b, int dims=2)", call<tensordot>)
          .help("Σ over the last dims dimensions of a and the first of b, or over the two lists of "
                "dimensions.")
          .autocast_on_gpu(kWidest),
      row(kTorch, "tensordot(Tensor a, Tensor b, object dims)",
          [](const Tensor& a, const Tensor& b, Object dims) {
            check(is_list(dims) && size(dims) == 2, "tensordot expects dims to be a pair of lists");
            return summed_over(a, b, to_dims(item(dims, 0)), to_dims(item(dims, 1)));
          }),
      row(kTorch, "chain_matmul(Tensor[] matrices)", call<chain>).help("The product of all matrices."),
      row(kLinalg, "multi_dot(Tensor[] tensors)", call<chain>).help("The product of all matrices."),
      row(kTorch, "einsum(str equation, *Tensor[] operands)", call<einsum>)
          .help("Σ of products over the letters that the result of the equation lacks: \"bij,bjk->bik\"."),
  };
}

}  // namespace glassgrad::GG_HOST

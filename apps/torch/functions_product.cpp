// Products of vectors and matrices.
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

Tensor summed_over(const Tensor& a, const Tensor& b, const Dims& dims_a, const Dims& dims_b) {
  check(dims_a.n == dims_b.n, "both dimension lists should have same length");
  std::string letters_a, letters_b, kept;
  for (int64_t d = 0; d < a.dim(); ++d) letters_a += char('a' + d);
  for (int64_t d = 0; d < b.dim(); ++d) letters_b += char('k' + d);
  for (int k = 0; k < dims_a.n; ++k)
    letters_b[size_t(wrap_dim(dims_b[k], b.dim()))] = letters_a[size_t(wrap_dim(dims_a[k], a.dim()))];
  for (char c : letters_a)
    if (letters_b.find(c) == std::string::npos) kept += c;
  for (char c : letters_b)
    if (letters_a.find(c) == std::string::npos) kept += c;
  return einsum(letters_a + "," + letters_b + "->" + kept, {a, b});
}
// The last n dimensions of a with the first n of b.
Tensor tensordot(const Tensor& a, const Tensor& b, int64_t n) {
  check(n >= 0 && n <= a.dim() && n <= b.dim(), "tensordot expects dims >= 0, but got dims={}", n);
  Dims last, first;
  for (int64_t d = 0; d < n; ++d) last.push(a.dim() - n + d), first.push(d);
  return summed_over(a, b, last, first);
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
      row(kBoth, "mm(Tensor input, Tensor mat2" GG_OUT ")", call<mm>),
      row(kBoth, "bmm(Tensor input, Tensor mat2" GG_OUT ")", call<bmm>),
      row(kBoth, "mv(Tensor input, Tensor vec" GG_OUT ")", call<mv>),
      row(kBoth, "dot(Tensor input, Tensor tensor" GG_OUT ")", call<dot>),
      row(kBoth, "vdot(Tensor input, Tensor other" GG_OUT ")", call<dot>),
      row(kBoth, "inner(Tensor input, Tensor other" GG_OUT ")",
          [](const Tensor& a, const Tensor& b) {
            return a.dim() && b.dim() ? matmul(a, b.dim() > 1 ? b.transpose(-1, -2) : b) : a * b;
          }),
      row(kBoth, "outer(Tensor input, Tensor vec2" GG_OUT ")", call<outer>),
      row(kBoth, "ger(Tensor input, Tensor vec2" GG_OUT ")", call<outer>),
      row(kBoth | kLinalg, "matmul(Tensor input, Tensor other" GG_OUT ")", call<matmul>),
      row(kBoth, "addmm(Tensor input, Tensor mat1, Tensor mat2" GG_SCALED ")", call<addmm_scaled>),
      row(kBoth, "addmv(Tensor input, Tensor mat, Tensor vec" GG_SCALED ")",
          [](const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
            return added(x, mv(a, b), beta, alpha);
          }),
      row(kBoth, "addbmm(Tensor input, Tensor batch1, Tensor batch2" GG_SCALED ")",
          [](const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
            return added(x, sum(bmm(a, b), 0), beta, alpha);
          }),
      row(kBoth, "baddbmm(Tensor input, Tensor batch1, Tensor batch2" GG_SCALED ")",
          [](const Tensor& x, const Tensor& a, const Tensor& b, double beta, double alpha) {
            return added(x, bmm(a, b), beta, alpha);
          }),
      row(kTorch, "tensordot(Tensor a, Tensor b, int dims=2)", call<tensordot>),
      row(kTorch, "tensordot(Tensor a, Tensor b, object dims)",
          [](const Tensor& a, const Tensor& b, Object dims) {
            check(is_list(dims) && size(dims) == 2, "tensordot expects dims to be a pair of lists");
            return summed_over(a, b, to_dims(item(dims, 0)), to_dims(item(dims, 1)));
          }),
      row(kTorch, "chain_matmul(Tensor[] matrices)", call<chain>),
      row(kLinalg, "multi_dot(Tensor[] tensors)", call<chain>),
      row(kTorch, "einsum(str equation, *Tensor[] operands)", call<einsum>),
  };
}

}  // namespace glassgrad::GG_HOST

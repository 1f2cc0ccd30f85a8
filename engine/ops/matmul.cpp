// Products of matrices and vectors, composed of mm, bmm, mv and dot as in PyTorch: grad_fn has the name of
// the last of these.
#include "../autocast.h"
#include "../glass/why.h"
#include "../ops.h"
#include "definition.h"
#include "dims.h"
#include "kernels.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {

namespace {

constexpr int64_t kTiny = 400;  // below this many products, PyTorch's bmm runs a plain loop without fma

// Σₖ of input a at (batch…, i, k) times input b at (batch…, k, j).
Expr inner_product(const Cell& c, size_t a, size_t b, Dims row, Dims column, bool fused) {
  std::vector<Expr> left, right;
  int64_t& k = row[row.n - 1];
  int64_t& l = column[column.n > 1 ? column.n - 2 : 0];
  for (k = l = 0; k < c.input(a).size(-1); k = ++l) {
    left.push_back(c.in(a, row));
    right.push_back(c.in(b, column));
  }
  return dot(left, right, fused);
}
Expr why_mm(const Cell& c) { return inner_product(c, 0, 1, {c.index[0], 0}, {0, c.index[1]}, true); }
struct Bmm {
  bool one_chain = false;   // one chain of fma, whatever the sizes
  bool transposed = false;  // b is transposed, and its gradient is computed transposed too
  static constexpr AttrNames kNames{"", ""};
};
MatmulArithmetic arithmetic_of(const Tensor& a, const Tensor& b, Bmm bmm) {
  if (bmm.one_chain) return MatmulArithmetic::SequentialFma;
  return a.size(1) * a.size(2) * b.size(2) < kTiny ? MatmulArithmetic::Rounded : MatmulArithmetic::Fused;
}
Expr why_bmm(const Cell& c) {
  const bool fused = arithmetic_of(c.input(0), c.input(1), c.attr<Bmm>()) != MatmulArithmetic::Rounded;
  return inner_product(c, 0, 1, {c.index[0], c.index[1], 0}, {c.index[0], 0, c.index[2]}, fused);
}
Expr why_mv(const Cell& c) { return inner_product(c, 0, 1, {c.index[0], 0}, {0}, true); }
Expr why_addmm(const Cell& c) {
  return cast(c.in(0), c.dtype()) +
         inner_product(c, 1, 2, {c.index[0], 0}, {0, c.index[1]}, true).called("product");
}
// Products are rounded; their sum is kept in double.
Expr why_dot(const Cell& c) {
  const DType t = c.dtype(), wide = is_floating(t) ? float64 : t;
  std::vector<Expr> products;
  for (int64_t k = 0; k < c.input(0).size(0); ++k) products.push_back(cast(c.in(0, k) * c.in(1, k), wide));
  return cast(sum(products), t);
}

constexpr Op mm_op{"mm", "MmBackward0", "Σₖ a[i,k]·b[k,j]", why_mm},
    bmm_op{"bmm", "BmmBackward0", "Σₖ a[b,i,k]·b[b,k,j]", why_bmm},
    mv_op{"mv", "MvBackward0", "Σₖ a[i,k]·x[k]", why_mv},
    dot_op{"dot", "DotBackward0", "Σₖ a[k]·b[k]", why_dot},
    addmm_op{"addmm", "AddmmBackward0", "bias[j] + Σₖ a[i,k]·b[k,j]", why_addmm},
    squeeze_op{"squeeze_", "SqueezeBackward4", "x at the same position", why_same_memory};

// ---------------------------------------------------------------- checks
void check_scalar_types(const Tensor& a, const Tensor& b) {
  check(a.dtype() == b.dtype(), "expected scalar type {} but found {}", scalar_type_name(a.dtype()),
        scalar_type_name(b.dtype()));
}
void check_not_bool(const Tensor& x, const char* kernel) {
  check(x.dtype() != boolean, "\"{}\" not implemented for 'Bool'", kernel);
}
void check_inner(const Tensor& a, const Tensor& b) {
  const Dims &first = a.shape(), &second = b.shape();
  check(first[1] == second[0], "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", first[0],
        first[1], second[0], second[1]);
}

void check_expandable(const Tensor& x, const Dims& shape) {
  if (!expands_to(x.shape(), shape)) x.expand(shape);  // throws PyTorch's error
}

// ---------------------------------------------------------------- kernels
Tensor product(const Tensor& a, const Tensor& b, const Dims& shape,
               MatmulArithmetic arithmetic = MatmulArithmetic::Fused) {
  Tensor y = dense_result(shape, a);
  constexpr NarrowAccess kAccess = NarrowAccess::NativeOnGpu;
  RoundedOutput rounded(y, kAccess);
  multiply(a.device(), WidenedInput(a, kAccess), WidenedInput(b, kAccess), rounded, arithmetic);
  rounded.write_back();
  return y;
}

// x transposed, outside the graph.
Tensor turned(const Tensor& x) {
  const Tensor y = shallow_copy(x);
  std::swap(y->shape[0], y->shape[1]);
  std::swap(y->strides[0], y->strides[1]);
  return y;
}

// Returns a·b, column-major if by_columns. That is computed as the transposed product, which has the same
// bits.
Tensor matrix_product(const Tensor& a, const Tensor& b, bool by_columns) {
  return by_columns ? turned(product(turned(b), turned(a), {b.shape()[1], a.shape()[0]}))
                    : product(a, b, {a.shape()[0], b.shape()[1]});
}

// Says which matrices of a product are column-major, like a layer's transposed weight. Their gradients are
// column-major too, as in PyTorch, so the gradient of the weight itself is row-major without a copy.
struct ByColumns {
  bool a, b;
  ByColumns(const Tensor& first, const Tensor& second) : a(is(first)), b(is(second)) {}
  static constexpr AttrNames kNames{};

 private:
  static bool is(const Tensor& x) { return x.strides()[0] == 1 && x.strides()[1] == x.shape()[0]; }
};

// Returns bias + a·b, in one pass if the bias is a row. On the CPU a narrow result is rounded once.
Tensor product_and_bias(const Tensor& bias, const Tensor& a, const Tensor& b, const Dims& shape) {
  const bool widens = is_narrow(a.dtype()) && (a.device() == kCpu || !is_floating(a.dtype()));
  if (const DType t = a.dtype(), wide = computed_in(t); widens)
    return converted(product_and_bias(converted(bias, wide), converted(a, wide), converted(b, wide), shape),
                     t);
  const bool row = bias.dim() == 1 && bias.is_contiguous() && bias.size(0) == shape[1] && shape[1] > 1;
  if (!row || a.size(1) == 0) {
    const Tensor y = product(a, b, shape);
    add_unrecorded_(y, bias);
    return y;
  }
  const Tensor y = dense_result(shape, a);
  multiply(a.device(), a.raw(), b.raw(), y.raw(), MatmulArithmetic::Fused, bias.raw().data);
  return y;
}

// y = a·x for a matrix and a column; MatmulPrecision does not round its inputs.
void multiply_vector_on_cpu(const View& a, const View& x, const View& y) {
  kernels().matmul(a, x, y, MatmulArithmetic::Fused, {});
}

// y = Σ a·b for two vectors of any strides. Products of floats are rounded to float; their sum is kept in
// double.
void dot_on_cpu(const View& a, const View& b, const View& y) {
  all_types(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::conditional_t<std::is_floating_point_v<T>, double, int64_t> sum = 0;
    Nest(a.shape, {a.strides, b.strides}).each([&](int64_t i, int64_t j) {
      sum += T(a.as<const T>()[i] * b.as<const T>()[j]);
    });
    *y.as<T>() = T(sum);
  });
}

// Attributes of a reshape that returns a new tensor instead of a view, for a result that nothing else holds
// yet.
struct Reshaped {
  Dims from, to;
  static constexpr AttrNames kNames{"", "size"};
};
Tensor squeezed_in_place(const Tensor& x) {
  Tensor y = shallow_copy(x);
  y->shape = {x.size(1)};
  y->strides = {x.strides()[1]};
  return record(squeeze_op, y, {&x}, {}, Reshaped{x.shape(), y.shape()},
                [](BackwardContext& d, const Reshaped& r) { d[0] = d.g.reshape(r.from); });
}

}  // namespace

// ================================================================ the four products
namespace {

Tensor mm_laid_out(const Tensor& a, const Tensor& b, bool by_columns) {
  if (lowers({&a, &b})) return mm_laid_out(lowered(a), lowered(b), by_columns);
  check(a.dim() == 2, "self must be a matrix");
  check(b.dim() == 2, "mat2 must be a matrix");
  check_inner(a, b);
  check(a.dtype() == b.dtype(), "expected m1 and m2 to have the same dtype, but got: {} != {}",
        cpp_type_name(a.dtype()), cpp_type_name(b.dtype()));
  check_not_bool(a, "addmm_impl_cpu_");
  check_same_device({&a, &b});
  Tensor y = matrix_product(a, b, by_columns);
  return record(mm_op, y, {&a, &b}, {{&a, needs_grad(b)}, {&b, needs_grad(a)}}, ByColumns(a, b),
                [](BackwardContext& d, const ByColumns& lies) {
                  if (d.needs(0)) d[0] = mm_laid_out(d.g, d.saved(1).t(), lies.a);
                  if (d.needs(1)) d[1] = mm_laid_out(d.saved(0).t(), d.g, lies.b);
                });
}

}  // namespace

Tensor mm(const Tensor& a, const Tensor& b) { return mm_laid_out(a, b, false); }

namespace {

Tensor bmm_as(const Tensor& a, const Tensor& b, Bmm attr) {
  if (!attr.one_chain && lowers({&a, &b})) return bmm_as(lowered(a), lowered(b), attr);
  check(a.dim() == 3, "batch1 must be a 3D tensor");
  check(b.dim() == 3, "batch2 must be a 3D tensor");
  check(a.size(0) == b.size(0) && a.size(2) == b.size(1),
        "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
        a.size(0), a.size(2), b.size(0), b.size(1));
  check_scalar_types(a, b);
  check_not_bool(a, "bmm");
  check_same_device({&a, &b});
  Tensor y = product(a, b, {a.size(0), a.size(1), b.size(2)}, arithmetic_of(a, b, attr));
  return record(bmm_op, y, {&a, &b}, {{&a, needs_grad(b)}, {&b, needs_grad(a)}}, attr,
                [](BackwardContext& d, Bmm of) {
                  const Bmm plain{of.one_chain};
                  if (d.needs(0)) d[0] = bmm_as(d.g, d.saved(1).transpose(1, 2), plain);
                  if (!d.needs(1)) return;
                  if (of.transposed)
                    d[1] = bmm_as(d.g.transpose(1, 2), d.saved(0), plain).transpose(1, 2);
                  else
                    d[1] = bmm_as(d.saved(0).transpose(1, 2), d.g, plain);
                });
}

}  // namespace

Tensor bmm(const Tensor& a, const Tensor& b) { return bmm_as(a, b, {}); }

GG_KERNEL(multiply_vector, multiply_vector_on_cpu);
GG_KERNEL(dot, dot_on_cpu);

Tensor mv(const Tensor& a, const Tensor& x) {
  check(a.dim() == 2 && x.dim() == 1, "vector + matrix @ vector expected, got 1, {}, {}", a.dim(), x.dim());
  check(a.size(1) == x.size(0), "size mismatch, got input ({}), mat ({}x{}), vec ({})", a.size(0), a.size(0),
        a.size(1), x.size(0));
  check_scalar_types(a, x);
  check_not_bool(a, "addmv_impl_cpu");
  check_same_device({&a, &x});
  Tensor y = dense_result(a.size(0), a);
  View column = x.raw(), result = y.raw();
  column.shape = {x.size(0), 1};
  column.strides = {x.strides()[0], 1};
  result.shape = {a.size(0), 1};
  result.strides = {1, 1};
  multiply_vector_on(a.device())(WidenedInput(a, NarrowAccess::NativeOnGpu),
                                 WidenedInput(column, a.device(), NarrowAccess::NativeOnGpu),
                                 RoundedOutput(result, a.device(), NarrowAccess::NativeOnGpu));
  return record(mv_op, y, {&a, &x}, {{&a, needs_grad(x)}, {&x, needs_grad(a)}}, NoAttr{},
                [](BackwardContext& d, NoAttr) {
                  if (d.needs(0)) d[0] = outer(d.g, d.saved(1));
                  if (d.needs(1)) d[1] = mv(d.saved(0).t(), d.g);
                });
}

Tensor dot(const Tensor& a, const Tensor& b) {
  check(a.dim() == 1 && b.dim() == 1, "1D tensors expected, but got {}D and {}D tensors", a.dim(), b.dim());
  check(a.dtype() == b.dtype(), "dot : expected both vectors to have same dtype, but found {} and {}",
        scalar_type_name(a.dtype()), scalar_type_name(b.dtype()));
  check(a.size(0) == b.size(0),
        "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number of elements, "
        "but got {} and {} elements respectively",
        a.size(0), b.size(0), a.size(0), b.size(0));
  check_not_bool(a, "dot");
  check_same_device({&a, &b});
  Tensor y = dense_result({}, a);
  dot_on(a.device())(WidenedInput(a), WidenedInput(b), RoundedOutput(y));
  return record(dot_op, y, {&a, &b}, {{&a, needs_grad(b)}, {&b, needs_grad(a)}}, NoAttr{},
                [](BackwardContext& d, NoAttr) {
                  if (d.needs(0)) d[0] = d.g * d.saved(1);
                  if (d.needs(1)) d[1] = d.g * d.saved(0);
                });
}

// ================================================================ composed of these four
Tensor outer(const Tensor& a, const Tensor& b) {
  const Scope scope("outer");
  check(a.dim() == 1, "outer: Expected 1-D argument self, but got {}-D", a.dim());
  check(b.dim() == 1, "outer: Expected 1-D argument vec2, but got {}-D", b.dim());
  return a.reshape({a.size(0), 1}) * b;
}

Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b) {
  if (lowers({&bias, &a, &b})) return addmm(lowered(bias), lowered(a), lowered(b));
  check(bias.dtype() == b.dtype(), "self and mat2 must have the same dtype, but got {} and {}",
        scalar_type_name(bias.dtype()), scalar_type_name(b.dtype()));
  check(a.dtype() == b.dtype(), "mat1 and mat2 must have the same dtype, but got {} and {}",
        scalar_type_name(a.dtype()), scalar_type_name(b.dtype()));
  check(a.dim() == 2, "mat1 must be a matrix, got {}-D tensor", a.dim());
  check(b.dim() == 2, "mat2 must be a matrix, got {}-D tensor", b.dim());
  check_inner(a, b);
  check_not_bool(a, "addmm_impl_cpu_");
  check_same_device({&bias, &a, &b});
  const Dims shape = {a.size(0), b.size(1)};
  check_expandable(bias, shape);
  const Tensor y = product_and_bias(bias, a, b, shape);
  return record(addmm_op, y, {&bias, &a, &b}, {{&a, needs_grad(b)}, {&b, needs_grad(a)}}, ByColumns(a, b),
                [](BackwardContext& d, const ByColumns& lies) {
                  d[0] = d.g;
                  if (d.needs(1)) d[1] = mm_laid_out(d.g, d.saved(1).t(), lies.a);
                  if (d.needs(2)) d[2] = mm_laid_out(d.saved(0).t(), d.g, lies.b);
                });
}

// ================================================================ matmul
namespace {

// True if the smaller operand is a matrix or a vector and the batch of the larger one should be folded into
// its rows. Folding must not copy the larger operand, unless the smaller one needs a gradient, which would
// otherwise be computed per batch.
bool should_fold(const Tensor& a, const Tensor& b) {
  const bool a_larger = a.dim() >= b.dim();
  const Tensor& larger = a_larger ? a : b;
  const Tensor& smaller = a_larger ? b : a;
  if (larger.dim() < 3 || smaller.dim() > 2) return false;
  if (smaller.requires_grad()) return true;
  if (a.dim() == 2) return false;
  if (larger.numel() == 0) return true;
  const Tensor batched = a_larger ? a : b.transpose(-2, -1);
  const Dims &shape = batched.shape(), &strides = batched.strides();
  for (int d = 0; d + 2 < shape.n; ++d)
    if (strides[d] != strides[d + 1] * shape[d + 1]) return false;
  return true;
}

Tensor folded_matmul(const Tensor& a, const Tensor& b) {
  const bool swap = b.dim() > a.dim();
  const Tensor batched = swap ? b.transpose(-2, -1) : a;
  const Tensor other = !swap ? b : a.dim() == 2 ? a.t() : a;
  const int64_t inner = batched.size(-1);
  Dims shape = without(batched.shape(), int(batched.dim()) - 1);
  const Tensor rows = batched.reshape({shape.numel(), inner});
  if (other.dim() == 1) return unsafe_view(mv(rows, other), shape);
  shape.push(other.size(1));
  const Tensor y = unsafe_view(mm(rows, other), shape);
  return swap ? y.transpose(-2, -1).contiguous() : y;
}

Tensor batched_matmul(const Tensor& a, const Tensor& b) {
  const int64_t n = a.dim() > 1 ? a.size(-2) : 1, m1 = a.size(-1);
  const int64_t m2 = b.dim() > 1 ? b.size(-2) : b.size(0), p = b.dim() > 1 ? b.size(-1) : 1;
  if (a.dim() == 3 && b.dim() == 3 &&
      a.size(0) != b.size(0)) {  // fold a batch of one: its gradient is then one product
    if (a.size(0) == 1 && a.requires_grad()) return matmul(a.squeeze(0), b);
    if (b.size(0) == 1 && b.requires_grad()) return matmul(a, b.squeeze(0));
  }
  Dims shape = broadcast(batch_of(a), batch_of(b));
  const int64_t batches = shape.numel();
  const bool vector = b.dim() == 1;
  const Tensor left = a.expand(joined(shape, {n, m1})).reshape({batches, n, m1});
  const Tensor right = vector ? b.expand(joined(shape, m2)).reshape({batches, m2}).unsqueeze(2)
                              : b.expand(joined(shape, {m2, p})).reshape({batches, m2, p});
  const Tensor y = bmm(left, right);
  if (a.dim() > 1) shape.push(n);
  if (b.dim() > 1) shape.push(p);
  return unsafe_view(vector ? y.squeeze(-1) : y, shape);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  const Scope scope("matmul");
  if (lowers({&a, &b})) return matmul(lowered(a), lowered(b));
  check(a.dim() != 0 && b.dim() != 0,
        "both arguments to matmul need to be at least 1D, but they are {}D and {}D", a.dim(), b.dim());
  if (a.dim() == 1 && b.dim() == 1) return dot(a, b);
  if (a.dim() == 2 && b.dim() == 1) return mv(a, b);
  if (a.dim() == 1 && b.dim() == 2) return squeezed_in_place(mm(a.unsqueeze(0), b));
  if (a.dim() == 2 && b.dim() == 2) return mm(a, b);
  return should_fold(a, b) ? folded_matmul(a, b) : batched_matmul(a, b);
}

Tensor chained_bmm(const Tensor& a, const Tensor& b, bool transposed) {
  const auto matrices = [](const Tensor& x) {
    return x.reshape({batch_of(x).numel(), x.size(-2), x.size(-1)});
  };
  const Tensor right = transposed ? matrices(b).transpose(1, 2) : matrices(b);
  const Tensor y = bmm_as(matrices(a), right, {true, transposed});
  return unsafe_view(y, joined(batch_of(a), {y.size(1), y.size(2)}));
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Scope scope("linear");
  if (lowers({&x, &weight, &bias})) return linear(lowered(x), lowered(weight), lowered(bias));
  check(x.dim() != 0 && weight.dim() != 0,
        "both arguments to linear need to be at least 1D, but they are {}D and {}D", x.dim(), weight.dim());
  if (!bias) return matmul(x, weight.t());
  if (x.dim() == 2) return addmm(bias, x, weight.t());
  if (!x.is_contiguous()) return add_(matmul(x, weight.t()), bias);
  Dims shape = without(x.shape(), int(x.dim()) - 1);
  const Tensor rows = x.reshape({shape.numel(), x.size(-1)});  // must precede weight.t() with every compiler
  const Tensor y = addmm(bias, rows, weight.t());
  shape.push(y.size(1));
  return y.view(shape);
}

}  // namespace glassgrad

// Functions of matrices that are a single op in PyTorch and several in the engine: determinants, inverses,
// products, distances between rows.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/ops/promote.h"
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

// Thrown for a matrix that cannot be inverted.
struct LinAlgError : Error {
  using Error::Error;
  const char* kind() const noexcept override { return "LinAlgError"; }
};

void check_squares(const char* name, const Tensor& a) {
  check(a.dim() >= 2, "{}: The input tensor A must have at least 2 dimensions.", name);
  check(a.size(-1) == a.size(-2), "{}: A must be batches of square matrices, but they are {} by {} matrices",
        name, a.size(-2), a.size(-1));
}
void check_square(const char* name, const Tensor& a) {
  check_squares(name, a);
  check(is_floating(a.dtype()), "{}: Expected a floating point or complex tensor as input. Got {}", name,
        scalar_type_name(a.dtype()));
}
Dims with_last(const Dims& batch, const Tensor& x, int64_t n) {
  Dims shape = batch;
  for (int64_t d = x.dim() - n; d < x.dim(); ++d) shape.push(x.size(d));
  return shape;
}

// Applies f to each matrix of batches that broadcast.
template <class F>
Tensor of_each(const std::vector<Tensor>& operands, F f) {
  Dims batch;
  for (const Tensor& x : operands) {
    Dims own;
    for (int64_t d = 0; d < x.dim() - 2; ++d) own.push(x.size(d));
    batch = broadcast(batch, own);
  }
  if (batch.n == 0) return f(operands);
  check<NotImplementedError>(batch.numel() > 0, "glassgrad solves no batch without a matrix");
  std::vector<std::vector<Tensor>> matrices(size_t(batch.numel()));
  for (const Tensor& x : operands) {
    const Tensor all = x.expand(with_last(batch, x, 2)).reshape({-1, x.size(-2), x.size(-1)});
    for (size_t k = 0; k < matrices.size(); ++k) matrices[k].push_back(all[int64_t(k)]);
  }
  std::vector<Tensor> results;
  for (size_t k = 0; k < matrices.size(); ++k) try {
      results.push_back(f(matrices[k]));
    } catch (const LinAlgError& e) {
      std::string text = e.what();
      text.insert(text.find(": ") + 1, fmt::format(" (Batch element {}):", k));
      throw LinAlgError(text);
    }
  return stack(results, 0).reshape(with_last(batch, results[0], results[0].dim()));
}

// LU decomposition with partial pivoting: L · U has the matrix's rows in `order`. upper: the rows of U;
// lower: the columns of L below the diagonal. sign: 1 or -1, from the exchanges of rows.
struct Factors {
  std::vector<Tensor> upper, lower;
  std::vector<int64_t> order;
  double sign = 1;
};
Tensor in_order(const Tensor& x, const std::vector<int64_t>& order) {
  return index_select(x, 0, from_values(order, {int64_t(order.size())}));
}
Factors factors_of(const Tensor& a) {
  const int64_t n = a.size(0);
  Factors f;
  f.order.resize(size_t(n));
  std::iota(f.order.begin(), f.order.end(), 0);
  Tensor rows = a;
  for (int64_t k = 0; k < n; ++k) {
    if (const int64_t pivot = argmax(abs(rows.select(1, k).detach())).item<int64_t>(); pivot != 0) {
      std::vector<int64_t> places(size_t(n - k));
      std::iota(places.begin(), places.end(), 0);
      std::swap(places.front(), places[size_t(pivot)]);
      rows = in_order(rows, places);
      f.sign = -f.sign;
      std::swap(f.order[size_t(k)], f.order[size_t(k + pivot)]);
      for (int64_t j = 0; j < k; ++j) {  // exchange the rows of L too
        std::vector<int64_t> below(size_t(n - j - 1));
        std::iota(below.begin(), below.end(), 0);
        std::swap(below[size_t(k - j - 1)], below[size_t(k + pivot - j - 1)]);
        f.lower[size_t(j)] = in_order(f.lower[size_t(j)], below);
      }
    }
    const Tensor top = rows[0], rest = rows.slice(0, 1, {}), column = rest.select(1, k);
    f.upper.push_back(top);
    f.lower.push_back(top[k].item() != 0 ? column * (1 / top[k]) : zeros_like(column));
    rows = rest - f.lower.back().unsqueeze(1) * top;
  }
  return f;
}

Tensor determinant(const Tensor& input) {
  check_square("linalg.det", input);
  // Decompose the transposed matrix if the input is contiguous, as PyTorch does.
  const Tensor a = input.is_contiguous() ? input.transpose(-2, -1) : input;
  return rename_node("LinalgDetBackward0", of_each({a}, [](const std::vector<Tensor>& one) {
                       if (one[0].size(0) == 0) return ones({}, one[0].dtype());
                       const Factors f = factors_of(one[0]);
                       std::vector<Tensor> diagonal;
                       for (size_t k = 0; k < f.upper.size(); ++k) diagonal.push_back(f.upper[k][int64_t(k)]);
                       return prod(stack(diagonal, 0)) * f.sign;
                     }));
}
Tensor log_determinant(const Tensor& input) {
  check_square("logdet", input);
  return rename_node("WhereBackward0", log(determinant(input)));
}

// Solves a·x = b with the factors of a or of its transpose, which round differently.
Tensor solved(const Tensor& a, const Tensor& b, bool transposed, bool inverts) {
  const int64_t n = a.size(0);
  if (n == 0) return b;
  const Factors f = factors_of(transposed ? a.t() : a);
  const auto upper = [&](int64_t row, int64_t column) { return f.upper[size_t(row)][column]; };
  const auto lower = [&](int64_t row, int64_t column) { return f.lower[size_t(column)][row - column - 1]; };
  for (int64_t k = 0; k < n; ++k) {
    const bool is_regular = upper(k, k).item() != 0;
    check<LinAlgError>(
        is_regular || !inverts,
        "linalg.inv: The diagonal element {} is zero, the inversion could not be completed because the "
        "input matrix is singular.",
        k + 1);
    check<LinAlgError>(is_regular,
                       "torch.linalg.solve: The solver failed because the input matrix is singular.");
  }
  std::vector<Tensor> x;
  for (int64_t k = 0; k < n; ++k) {
    Tensor row = b[transposed ? k : f.order[size_t(k)]];
    for (int64_t j = 0; j < k; ++j) row = row - (transposed ? upper(j, k) : lower(k, j)) * x[size_t(j)];
    x.push_back(transposed ? row * (1 / upper(k, k)) : row);
  }
  for (int64_t k = n; k-- > 0;) {
    Tensor& row = x[size_t(k)];
    for (int64_t j = k + 1; j < n; ++j) row = row - (transposed ? lower(j, k) : upper(k, j)) * x[size_t(j)];
    if (!transposed) row = row * (1 / upper(k, k));
  }
  std::vector<Tensor> sorted(x.size());
  for (size_t k = 0; k < x.size(); ++k) sorted[size_t(transposed ? f.order[k] : int64_t(k))] = x[k];
  return stack(sorted, 0);
}
Tensor inverted(const Tensor& input) {
  check_square("linalg.inv", input);
  const Tensor unit = eye(input.size(-1), {}, input.dtype());
  const bool transposed = input.is_contiguous();  // as in PyTorch
  return rename_node("LinalgInvExBackward0", of_each({input}, [&](const std::vector<Tensor>& one) {
                       return solved(one[0], unit, transposed, true);
                     }));
}
Tensor solution(const Tensor& a, const Tensor& b, bool left) {
  check_square("linalg.solve", a);
  if (!left) return solution(a.transpose(-2, -1), b.transpose(-2, -1), true).transpose(-2, -1);
  check(
      a.dtype() == b.dtype(),
      "linalg.solve: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead",
      scalar_type_name(a.dtype()), scalar_type_name(b.dtype()));
  Dims rows = a.shape();
  rows.n -= 1;
  const bool is_vector = b.dim() == 1 || (b.dim() == a.dim() - 1 && b.shape() == rows);
  const Tensor sides = is_vector ? b.unsqueeze(-1) : b;
  check(a.size(-1) == sides.size(-2),
        "linalg.solve: Incompatible shapes of A and B for the equation AX = B ({}x{} and {}x{})", a.size(-2),
        a.size(-1), sides.size(-2), sides.size(-1));
  const Tensor x = of_each({a, sides}, [&](const std::vector<Tensor>& both) {
    return solved(both[0], both[1], a.is_contiguous(), false);
  });
  return rename_node("LinalgSolveExBackward0", is_vector ? x.squeeze(-1) : x);
}

Tensor power_of(const Tensor& input, int64_t n) {
  check_squares("linalg.matrix_power", input);
  if (n < 0) return power_of(inverted(input), -n);
  if (n == 0) return clone(eye(input.size(-1), {}, input.dtype()).expand(input.shape()));
  Tensor power = input, result;
  for (; n > 0; n >>= 1) {
    if (n & 1) result = result ? matmul(result, power) : power;
    if (n > 1) power = matmul(power, power);
  }
  return result.ref() == input.ref() ? clone(result) : result;
}

Tensor distances(const Tensor& a, const Tensor& b, double p, Text mode) {
  const Tensor* const both[] = {&a, &b};
  for (const int k : {0, 1})
    check(both[k]->dim() >= 2, "cdist only supports at least 2D tensors, X{} got: {}D", k + 1,
          both[k]->dim());
  check(a.size(-1) == b.size(-1), "X1 and X2 must have the same number of columns. X1: {} X2: {}", a.size(-1),
        b.size(-1));
  for (const int k : {0, 1})
    check(is_floating(both[k]->dtype()), "cdist only supports floating-point dtypes, X{} got: {}", k + 1,
          scalar_type_name(both[k]->dtype()));
  check(a.dtype() == b.dtype(), "expected scalar type {} but found {}", scalar_type_name(a.dtype()),
        scalar_type_name(b.dtype()));
  check(p >= 0, "cdist only supports non-negative p values");
  const bool by_product = mode == "use_mm_for_euclid_dist",
             as_needed = mode == "use_mm_for_euclid_dist_if_necessary";
  check<ValueError>(by_product || as_needed || mode == "donot_use_mm_for_euclid_dist",
                    "{} is not a valid value for compute_mode", mode);
  const bool is_large = a.size(-2) > 25 || b.size(-2) > 25;
  if (p == 2 && (by_product || (is_large && as_needed))) {
    const Tensor squares = sum(square(a), Dims{-1}, true), others = sum(square(b), Dims{-1}, true);
    const Tensor first = cat({a * -2, squares, ones_like(squares)}, -1);
    const Tensor second = cat({b, ones_like(others), others}, -1);
    return rename_node("ViewBackward0", sqrt(clamp(matmul(first, second.transpose(-2, -1)), 0)));
  }
  const Tensor apart = a.unsqueeze(-2) - b.unsqueeze(-3);
  if (p == 0) return rename_node("CdistBackward0", sum(clamp(ceil(abs(apart)), {}, 1), Dims{-1}));
  if (p != INFINITY || apart.numel() == 0)
    return rename_node("CdistBackward0", p_norm(apart, p == INFINITY ? 1 : p, {-1}, false));
  const Tensor size = abs(apart);  // all equal maxima get the whole gradient
  const Tensor most = amax(where(isnan(size), 0.0, size), {-1}).detach();
  const Tensor found = logical_and(size == most.unsqueeze(-1), isfinite(size));
  return rename_node("CdistBackward0", sum(where(found, size - most.unsqueeze(-1), 0.0), Dims{-1}) + most);
}

Tensor vector_product(const Tensor& input, const Tensor& other, std::optional<int64_t> dim) {
  for (int64_t d = 0; !dim && d < input.dim(); ++d)
    if (input.size(d) == 3) dim = d;
  check(dim.has_value(), "no dimension of size 3 in input");
  check(input.dim() == other.dim(), "linalg.cross: inputs must have the same number of dimensions.");
  check(input.size(*dim) == 3 && other.size(*dim) == 3,
        "linalg.cross: inputs dimension {} must have length 3. Got {} and {}", *dim, input.size(*dim),
        other.size(*dim));
  const Dims shape = broadcast(input.shape(), other.shape()), along{*dim};
  const Tensor a = input.expand(shape), b = other.expand(shape);
  const auto turned_by = [&](const Tensor& x, int64_t n) { return roll(x, Dims{-n}, along); };
  return rename_node("LinalgCrossBackward0",
                     turned_by(a, 1) * turned_by(b, 2) - turned_by(a, 2) * turned_by(b, 1));
}

// torch.kron: each element of a times the whole of b, in blocks.
Tensor in_blocks(const Tensor& a, const Tensor& b) {
  Dims shape, own, others;
  const int64_t n = std::max(a.dim(), b.dim());
  for (int64_t d = -n; d < 0; ++d) {
    const int64_t i = -d > a.dim() ? 1 : a.size(d), j = -d > b.dim() ? 1 : b.size(d);
    own.push(i), own.push(1), others.push(1), others.push(j), shape.push(size_product(i, j));
  }
  return rename_node("UnsafeViewBackward0", (a.reshape(own) * b.reshape(others)).reshape(shape));
}

void check_at_most_matrix(const char* name, const Tensor& x) {
  check(x.dim() <= 2,
        "{}(): expected input to have two or fewer dimensions but got an input with {} dimensions", name,
        x.dim());
}
Tensor covariances(const Tensor& input, int64_t correction, const Tensor& counts, const Tensor& weights) {
  check<NotImplementedError>(!counts && !weights, "glassgrad's cov has no weights");
  check_at_most_matrix("cov", input);
  check(input.dtype() != boolean, "cov(): bool dtype is not supported for input");
  const Tensor real = is_floating(input.dtype()) ? input : to(input, float32);
  const Tensor x = real.dim() < 2 ? real.reshape({1, -1}) : real, apart = x - mean(x, Dims{1}, true);
  return (matmul(apart, apart.t()) / std::max<int64_t>(x.size(1) - correction, 0)).squeeze();
}
Tensor correlations(const Tensor& input) {
  check_at_most_matrix("corrcoef", input);
  const Tensor c = covariances(input, 1, {}, {});
  if (c.dim() == 0) return c / c;
  const Tensor deviation = sqrt(c.diagonal());
  return clamp(c / deviation.view({-1, 1}) / deviation.view({1, -1}), -1, 1);
}

// torch.vander: the powers of each element as rows.
Tensor powers_of(const Tensor& x, std::optional<int64_t> count, bool increasing) {
  check(x.dim() == 1, "x must be a one-dimensional tensor.");
  const int64_t n = count.value_or(x.size(0));
  check(n >= 0, "N must be non-negative.");
  const Tensor powers = arange(n);
  return pow(x.unsqueeze(-1), increasing ? powers : flip(powers, {0}));
}

}  // namespace

Rows matrix_rows() {
  return {
      row(kBoth, "det(Tensor input)", call<determinant>)
          .help("The determinant, by elimination with exchanged rows."),
      row(kLinalg, "det(Tensor A)", call<determinant>),
      row(kBoth, "logdet(Tensor input)", call<log_determinant>).help("log(det(input))."),
      row(kBoth, "inverse(Tensor input)", call<inverted>)
          .help("The matrix by which input is the unit matrix. LinAlgError: there is none."),
      row(kLinalg, "inv(Tensor A)", call<inverted>).help("inverse."),
      row(kLinalg, "solve(Tensor A, Tensor B, *, bool left=True)", call<solution>)
          .help("x with A · x = B, of vectors or matrices B; left=False: x · A = B. LinAlgError: A is "
                "singular."),
      row(kBoth, "matrix_power(Tensor input, int n)", call<power_of>)
          .help("The matrix multiplied by itself n times; its inverse for a negative n."),
      row(kLinalg, "matrix_power(Tensor A, int n)", call<power_of>),
      row(kTorch | kWrittenInPython,
          "cdist(Tensor x1, Tensor x2, float p=2.0, str compute_mode='use_mm_for_euclid_dist_if_necessary')",
          call<distances>)
          .help("The p-norms of the differences of each row of x1 and each of x2.")
          .autocast(kWide),
      row(kBoth, "cross(Tensor input, Tensor other, int? dim=None)", call<vector_product>)
          .help("The vector products along dim, without it along the first dimension of size 3.")
          .autocast_on_gpu(kWidest),
      row(kLinalg, "cross(Tensor input, Tensor other, *, int dim=-1)",
          [](const Tensor& a, const Tensor& b, int64_t dim) { return vector_product(a, b, dim); }),
      row(kBoth, "kron(Tensor input, Tensor other)", call<in_blocks>)
          .help("Each element of input times the whole of other, in blocks."),
      row(kBoth, "cov(Tensor input, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None)",
          call<covariances>)
          .help("The covariances of the rows, whose columns are the observations."),
      row(kBoth, "corrcoef(Tensor input)", call<correlations>)
          .help("cov, divided by the standard deviations: from −1 to 1."),
      row(kTorch, "vander(Tensor x, int? N=None, bool increasing=False)", call<powers_of>)
          .help("The powers of each element as rows, the highest first or, with increasing, the lowest."),
      row(kLinalg, "vander(Tensor x, *, int? N=None)",
          [](const Tensor& x, std::optional<int64_t> n) { return powers_of(x, n, true); }),
  };
}

}  // namespace glassgrad::GG_HOST

// Checks that the kernels of all instruction sets give the same bits, so that output does not depend on the
// machine.
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "engine/cpu/kernels.h"
#include "engine/numbers/fma.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

// Returns numbers of all magnitudes, including special values.
Tensor samples(const Dims& shape, DType dtype, uint64_t seed) {
  Generator g(seed);
  const Tensor x = randn(shape, dtype, g);
  const Tensor exponents = randint(-30, 30, shape, g);
  const Tensor y = x * pow(2., to(exponents, dtype));
  const double special[] = {0, -0., INFINITY, -INFINITY, NAN, 1e-42, 3.4e38, -104, 89};
  for (int64_t i = 0; i < std::min<int64_t>(y.numel() / 4, 9); ++i) fill_(y.view(-1)[i * 3], special[i]);
  return y;
}
// Returns the bytes of a contiguous tensor. All NaNs become the same, because the compiler decides which of
// two NaNs a sum passes on.
std::string bits(const Tensor& x) {
  const View v = x.raw();
  if (is_floating(v.dtype))
    floats(v.dtype, [&](auto zero) {
      using T = decltype(zero);
      T* const values = v.as<T>();
      for (int64_t i = 0; i < x.numel(); ++i)
        if (std::isnan(values[i])) values[i] = T(NAN);
    });
  return {static_cast<const char*>(v.data), size_t(x.numel() * item_size(v.dtype))};
}

// Compares the result of f on each table with its result on the last one, the baseline.
template <class F>
void same_bits(const char* what, F f) {
  const std::string expected = bits(f(all_kernels().back()));
  for (const Kernels& k : all_kernels())
    CHECK_MESSAGE(bits(f(k)) == expected, what, " of ", std::string(k.isa));
}

}  // namespace

TEST_CASE("there is a table for every processor and the best comes first") {
  REQUIRE(!all_kernels().empty());
  CHECK(std::string(all_kernels().back().isa) == "portable");
  if (!std::getenv("GLASSGRAD_CPU")) CHECK(&kernels() == &all_kernels().front());
  MESSAGE(all_kernels().size(), " instruction sets, best: ", std::string(kernels().isa));
}

TEST_CASE("matmul has the same bits") {
  for (const DType t : {float32, float64})
    for (const int64_t n : {1, 5, 16, 33, 70, 150})
      for (const MatmulArithmetic arithmetic :
           {MatmulArithmetic::Rounded, MatmulArithmetic::Fused, MatmulArithmetic::SequentialFma}) {
        Generator g(uint64_t(n) + 1);
        const Tensor a = randn({n, n + 3}, t, g), b = randn({n + 1, n + 3}, t, g).t();
        same_bits("matmul", [&](const Kernels& k) {
          const Tensor y = empty({n, n + 1}, t);
          k.matmul(a.raw(), b.raw(), y.raw(), arithmetic, {});
          return y;
        });
        same_bits("matmul with a bias", [&](const Kernels& k) {
          const Tensor y = empty({n, n + 1}, t);
          k.matmul(a.raw(), b.raw(), y.raw(), arithmetic, {.bias = a.raw().data});
          return y;
        });
      }
}

// A layer's weight is a transposed matrix; how its columns fill panels depends on the width of vectors.
TEST_CASE("products of a transposed matrix have the same bits for any number of columns") {
  for (int64_t n = 1; n <= 66; ++n) {
    Generator g(uint64_t(n) + 1);
    const Tensor a = randn({30, 50}, float32, g), b = randn({n, 50}, float32, g).t();
    same_bits("matmul", [&](const Kernels& k) {
      const Tensor y = empty({30, n});
      k.matmul(a.raw(), b.raw(), y.raw(), MatmulArithmetic::Fused, {});
      return y;
    });
  }
}

// Tests depths of more than one block: each block continues from the sums in y.
TEST_CASE("an element of a deep product is one chain of fma") {
  const int64_t m = 27, depth = 2100, n = 53;
  for (const DType dtype : {float32, float64}) {
    Generator g(4);
    const Tensor a = randn({m, depth}, dtype, g), b = randn({depth, n}, dtype, g),
                 chains = zeros({m, n}, dtype);
    floats(dtype, [&](auto zero) {
      using T = decltype(zero);
      const T *const x = a.raw().as<const T>(), *const z = b.raw().as<const T>();
      T* const y = chains.raw().as<T>();
      for (int64_t i = 0; i < m; ++i)
        for (int64_t k = 0; k < depth; ++k)
          for (int64_t j = 0; j < n; ++j)
            y[i * n + j] = std::fma(x[i * depth + k], z[k * n + j], y[i * n + j]);
    });
    const std::string expected = bits(chains);
    for (const Tensor& left : {a, a.t().contiguous().t()})
      for (const Tensor& right : {b, b.t().contiguous().t()})
        for (const Kernels& k : all_kernels()) {
          const Tensor y = empty({m, n}, dtype);
          k.matmul(left.raw(), right.raw(), y.raw(), MatmulArithmetic::Fused, {});
          CHECK_MESSAGE(bits(y) == expected, "matmul of ", std::string(k.isa));
        }
  }
}

// Rows that are a multiple of 4 KiB apart are copied before they are read; rows that are slightly further
// apart are not.
TEST_CASE("the bits of a product do not depend on how far apart rows lie") {
  for (const DType dtype : {float32, float64}) {
    Generator g(3);
    const Tensor a = randn({29, 1024}, dtype, g), b = randn({1024, 205}, dtype, g);
    const Tensor wide = cat({a, a}, 1), further = cat({a, zeros({29, 24}, dtype)}, 1);
    for (const Kernels& k : all_kernels()) {
      const auto product = [&](const Tensor& x) {
        const Tensor y = empty({29, 205}, dtype);
        k.matmul(x.raw(), b.raw(), y.raw(), MatmulArithmetic::Fused, {});
        return bits(y);
      };
      CHECK(product(a) == product(further.narrow(1, 0, 1024)));
      CHECK(product(a) == product(wide.narrow(1, 1024, 1024)));
    }
  }
}

TEST_CASE("a product tells of each finished element once") {
  for (const Dims& shape : {Dims{5, 7, 3}, Dims{30, 33, 35}, Dims{70, 300, 500}}) {
    struct Taken {
      Tensor y, copy, times;
    } t{empty({2, shape[0], shape[2]}), zeros({2, shape[0], shape[2]}), zeros({2, shape[0], shape[2]})};
    const auto finished = [](const void* self, int64_t batch, int64_t row, int64_t rows, int64_t column,
                             int64_t columns) {
      const auto& [y, copy, times] = *static_cast<const Taken*>(self);
      for (int64_t i = row; i < row + rows; ++i)
        for (int64_t j = column; j < column + columns; ++j) {
          const int64_t at = (batch * y.size(1) + i) * y.size(2) + j;
          copy.raw().as<float>()[at] = y.raw().as<float>()[at];
          times.raw().as<float>()[at] += 1;
        }
    };
    const Tensor a = randn({2, shape[0], shape[1]}), b = randn({2, shape[1], shape[2]});
    kernels().matmul(a.raw(), b.raw(), t.y.raw(), MatmulArithmetic::Fused,
                     {.finished = finished, .self = &t});
    CHECK(equal(t.copy, t.y));
    CHECK(equal(t.times, ones_like(t.y)));
  }
}

TEST_CASE("sum has the same bits") {
  for (const DType t : {float32, float64, int64})
    for (const Dims& shape : {Dims{1}, Dims{7}, Dims{1000}, Dims{33, 65}, Dims{3, 40, 9}})
      for (int dim = 0; dim < shape.n; ++dim) {
        Generator g(3);
        const Tensor x = t == int64 ? randint(-1000, 1000, shape, g) : randn(shape, t, g);
        same_bits("sum", [&](const Kernels& k) {
          Dims kept = shape;
          kept[dim] = 1;
          const Tensor y = zeros(kept, t), wide = y.expand(shape);
          k.sum(x.raw(), wide.raw());
          return y;
        });
      }
}

TEST_CASE("softmax has the same bits") {
  for (const DType t : {float32, float64})
    for (const Dims& shape : {Dims{5}, Dims{8}, Dims{4, 37}, Dims{3, 6, 11}})
      for (int dim = 0; dim < shape.n; ++dim)
        for (const bool logarithm : {false, true}) {
          const Tensor x = samples(shape, t, 9), g = samples(shape, t, 10);
          same_bits("softmax", [&](const Kernels& k) {
            const Tensor y = empty(shape, t);
            k.softmax(x.raw(), y.raw(), dim, logarithm);
            return y;
          });
          same_bits("gradient of softmax", [&](const Kernels& k) {
            const Tensor y = softmax(x * 1e-9, dim), dx = empty(shape, t);
            k.softmax_grad(g.raw(), y.raw(), dx.raw(), dim, logarithm);
            return dx;
          });
        }
}

TEST_CASE("normals have the same bits") {
  Generator g(4);
  const Tensor uniform = rand({16 * 500}, float32, g);
  fill_(uniform.slice(0, 0, 3), 0), fill_(uniform.slice(0, 13, 16), 1 - 0x1p-24);
  same_bits("normal", [&](const Kernels& k) {
    const Tensor y = clone(uniform);
    k.normal(y.raw().as<float>(), y.numel(), 0.5f, 3);
    return y;
  });
}

TEST_CASE("layer norm has the same bits") {
  for (const DType t : {float32, float64})
    for (const int64_t n : {1, 5, 8, 37, 300}) {
      const Dims shape{3, n};
      const Tensor x = samples(shape, t, 11), g = samples(shape, t, 12), w = samples(n, t, 13);
      const Tensor moments = empty({3, 2}, t);
      same_bits("layer_norm", [&](const Kernels& k) {
        const Tensor y = empty(shape, t);
        k.layer_norm(x.raw(), w.raw(), w.raw(), 1e-5, y.raw(), moments.raw());
        return cat({y, moments}, 1);
      });
      same_bits("gradient of layer_norm", [&](const Kernels& k) {
        const Tensor dx = empty(shape, t), dw = zeros({1, n}, t), db = zeros({1, n}, t);
        k.layer_norm_grad(g.raw(), x.raw(), moments.raw(), w.raw(), dx.raw(), dw.raw(), db.raw());
        return cat({dx, dw, db});
      });
    }
}

TEST_CASE("attention has the same bits") {
  for (const DType t : {float32, float64})
    for (const bool causal : {false, true})
      for (const int64_t n : {5, 70, 140, 300}) {  // up to 128 queries meet all keys at a time
        Generator g(18);
        const auto rows = [&](int64_t width) { return randn({2, 1, n, width}, t, g); };
        const Tensor q = rows(9), k = rows(9), v = rows(33), dy = rows(33), mask = rows(n) > -1;
        const View none{nullptr, {}, {}, boolean};
        const AttentionInputs in{q.raw(), k.raw(), v.raw(), causal ? none : mask.raw(), 0.3, causal};
        const Tensor sums = empty({2, 1, n}, t), norms = empty({2, 2, 1, n}, t);
        same_bits("attention", [&](const Kernels& kernels) {
          const Tensor y = empty({2, 1, n, 33}, t);
          kernels.attention(in, y.raw(), norms.raw());
          return cat({y.flatten(), norms.flatten()});
        });
        same_bits("gradient of attention", [&](const Kernels& kernels) {
          const Tensor dq = zeros(q.shape(), t), dk = zeros(q.shape(), t), dv = zeros(v.shape(), t);
          kernels.attention_grad(in, dy.raw(), norms.raw(), sums.raw(), dq.raw(), dk.raw(), dv.raw());
          return cat({dq.flatten(), dk.flatten(), dv.flatten()});
        });
      }
}

TEST_CASE("steps of optimizers have the same bits") {
  for (const DType t : {float32, float64})
    for (const int64_t n : {1, 5, 37}) {
      const Tensor weights = samples(n, t, 14), g = samples(n, t, 15);
      const Tensor mean = samples(n, t, 16), square = abs(samples(n, t, 17));
      same_bits("adam", [&](const Kernels& k) {
        const Tensor p = clone(weights), m = clone(mean), v = clone(square);
        k.adam(n, p.raw(), g.raw(), m.raw(), v.raw(), {0.9, 0.1, 0.8, 0.95, 1e-8, 0.01, 0.5});
        return cat({p, m, v});
      });
      same_bits("sgd", [&](const Kernels& k) {
        const Tensor p = clone(weights), m = clone(mean);
        k.sgd(n, p.raw(), g.raw(), m.raw(), {0.1, 0.9, 0, 0.2, true, false});
        return cat({p, m});
      });
    }
}

namespace {

// Returns five operands for the rows of the pointwise table. Integers are not 0, so that they can be
// divisors.
std::vector<Tensor> operands(DType t) {
  std::vector<Tensor> all;
  for (uint64_t k = 0; k < 5; ++k) {
    Generator g(k + 20);
    const Dims shape = 2 * 101;
    if (is_floating(t)) {
      all.push_back(samples(shape, t, k + 20));
    } else if (t == boolean) {
      all.push_back(to(randint(0, 2, shape, g), boolean));
    } else {
      const Tensor x = randint(-9, 9, shape, g);
      all.push_back(where(x < 0, x, x + 1));
    }
  }
  return all;
}

// Compares the results of a row's kernel; a row without this kernel passes. `steps`: 0 for an operand that is
// one number.
void same_row(const char* what, DType t, const std::vector<Tensor>& x, std::vector<int64_t> steps,
              RowKernel (*kernel_of)(const Kernels&, int row, int dtype), int row) {
  if (!kernel_of(kernels(), row, int(t))) return;
  for (const int64_t step : {1, 2})
    for (const int64_t n : {1, 7, 16, 101}) {
      const void* in[5];
      int64_t in_steps[5] = {};
      for (size_t i = 0; i < 5; ++i) {
        in[i] = x[i].raw().data;
        if (i < steps.size()) in_steps[i] = steps[i] * step;
      }
      const auto run = [&](const Kernels& k) {
        const Tensor y = zeros(2 * n, t);  // large enough for a comparison's bools, too
        kernel_of(k, row, int(t))(n, y.raw().data, step, in, in_steps);
        return y;
      };
      same_bits(what, run);
    }
}

}  // namespace

TEST_CASE("gelu and its slope have the same bits") {
  for (const DType t : {float32, float64})
    for (const bool tanh : {false, true})
      for (const int64_t n : {1, 7, 37, 300}) {
        const Tensor x = samples(n, t, 19), one = ones(1, t);
        same_bits("gelu_and_slope", [&](const Kernels& k) {
          const Tensor slope = clone(x), y = empty(n, t);
          k.gelu_and_slope(n, t, slope.raw().data, y.raw().data, tanh);
          return cat({y, slope});
        });
        const auto& row = kernels().pointwise.rows[int(tanh ? PointwiseId::gelu_tanh : PointwiseId::gelu)];
        const Tensor slope = clone(x), y = empty(n, t), value = empty(n, t), gradient = empty(n, t);
        kernels().gelu_and_slope(n, t, slope.raw().data, y.raw().data, tanh);
        const void* const in[] = {one.raw().data, x.raw().data, y.raw().data};
        const int64_t steps[] = {0, 1, 1};
        row.value[int(t)](n, value.raw().data, 1, in + 1, steps + 1);
        row.derivative[0][int(t)](n, gradient.raw().data, 1, in, steps);
        CHECK(bits(y) == bits(value));
        CHECK(bits(slope) == bits(gradient));
      }
}

TEST_CASE("pointwise rows have the same bits") {
  const auto value = [](const Kernels& k, int row, int t) { return k.pointwise.rows[row].value[t]; };
  const auto d0 = [](const Kernels& k, int row, int t) { return k.pointwise.rows[row].derivative[0][t]; };
  const auto d1 = [](const Kernels& k, int row, int t) { return k.pointwise.rows[row].derivative[1][t]; };
  for (const DType t : {boolean, int64, float32, float64}) {
    const std::vector<Tensor> x = operands(t);
#define ROW(name) int(PointwiseId::name)
#define UNARY(name, ...) \
  same_row(#name, t, x, {1}, value, ROW(name)), same_row(#name, t, x, {1, 1, 1}, d0, ROW(name));
#define BINARY(name, ...)                             \
  same_row(#name, t, x, {1, 1}, value, ROW(name));    \
  same_row(#name, t, x, {1, 0}, value, ROW(name));    \
  same_row(#name, t, x, {1, 1, 1, 1}, d0, ROW(name)); \
  same_row(#name, t, x, {1, 1, 1, 1}, d1, ROW(name));
#define UNARY_NUMBERS(name, ...) \
  same_row(#name, t, x, {1, 0, 0}, value, ROW(name)), same_row(#name, t, x, {1, 1, 1, 0, 0}, d0, ROW(name));
#define UNARY_PLAIN(name, ...) same_row(#name, t, x, {1}, value, ROW(name));
#define BINARY_PLAIN(name, ...) same_row(#name, t, x, {1, 1}, value, ROW(name));
#include "engine/numbers/pointwise.def"
  }
}

// Tests sums near the middle between two floats, subnormal results, and random bits.
TEST_CASE("fma in double has the bits of fma") {
  std::mt19937 random(7);
  const auto number = [&](uint32_t mantissa, int least, int most) {  // exponents with the bias
    const auto exponent = uint32_t(std::uniform_int_distribution<int>(least, most)(random));
    return std::bit_cast<float>((uint32_t(random()) & (0x80000000 | mantissa)) | exponent << 23);
  };
  const auto same = [](float a, float b, float c) {
    const float expected = std::fma(a, b, c), got = fma_in_double(a, b, c);
    const bool both_nan = std::isnan(expected) && std::isnan(got);
    if (!both_nan && std::bit_cast<uint32_t>(expected) != std::bit_cast<uint32_t>(got))
      FAIL_CHECK(fmt::format("{:a} * {:a} + {:a} is {:a}, not {:a}", a, b, c, expected, got));
  };
  constexpr uint32_t kAll = 0x7fffff, kFew = 0x7ff000;
  for (int i = 0; i < 1'000'000; ++i) {
    same(number(kAll, 0, 255), number(kAll, 0, 255), number(kAll, 0, 255));
    same(number(kAll, 127, 127), number(kAll, 127, 127), number(kFew, 90, 160));
    same(number(kFew, 126, 128), number(0x700000, 126, 128), number(kAll, 110, 153));
    same(number(kFew, 60, 70), number(kAll, 40, 90), number(kAll, 0, 1));
  }
  // Sums that are half way between two floats, but for 2^-57 or 2^-70, which double loses.
  for (const float sign : {1.0f, -1.0f}) {
    same(sign * (0x1p-12f + 0x1p-23f), 0x1p-12f - 0x1p-23f + 0x1p-34f, sign);
    same(sign * (0x1p-12f + 0x1p-35f), 0x1p-12f - 0x1p-35f, sign * (1 + 0x1p-23f));
  }
}

// The layout of a product's matrices for a GPU's units. Needs no GPU.
#include <doctest/doctest.h>

#include "engine/cuda/blas_layout.h"
#include "engine/ops.h"

using namespace glassgrad;
using cuda::Alignment;
using cuda::Problem;

namespace {

// A view that nothing reads: it begins at a multiple of 256 bytes, plus `beyond` bytes.
View matrix(const Dims& shape, const Dims& strides, DType t, uintptr_t beyond = 0) {
  return {reinterpret_cast<void*>((uintptr_t{1} << 20) + beyond), shape, strides, t};
}
// A matrix stored by rows, which begin `leading` numbers apart.
View by_rows(int64_t m, int64_t n, DType t, int64_t leading = 0) {
  return matrix({m, n}, {leading ? leading : n, 1}, t);
}
View turned(View x) {
  const int last = x.shape.n - 1;
  std::swap(x.shape[last - 1], x.shape[last]);
  std::swap(x.strides[last - 1], x.strides[last]);
  return x;
}

Problem problem(const View& a, const View& b, const View& y) {
  Problem p;
  CHECK(p.describe(a, b, y, nullptr));
  return p;
}

// A layer's product, x (tokens, in) · weight (out, in)ᵀ, and the products of both gradients; the rows of y
// begin `leading` numbers apart.
struct LayerProducts {
  Problem forward, dx, dw;
  LayerProducts(int64_t tokens, int64_t in, int64_t out, DType t, int64_t leading = 0)
      : forward(
            problem(by_rows(tokens, in, t), turned(by_rows(out, in, t)), by_rows(tokens, out, t, leading))),
        dx(problem(by_rows(tokens, out, t, leading), by_rows(out, in, t), by_rows(tokens, in, t))),
        dw(problem(turned(by_rows(tokens, out, t, leading)), by_rows(tokens, in, t), by_rows(out, in, t))) {}
  bool aligned() const { return forward.aligned() && dx.aligned() && dw.aligned(); }
  bool whole() const { return forward.whole() && dx.whole() && dw.whole(); }
  bool one_aligned() const { return forward.aligned() || dx.aligned() || dw.aligned(); }
};

}  // namespace

TEST_CASE("matrices lie by rows or by columns and their alignment is what divides all steps") {
  const Problem p = problem(matrix({2, 12, 40}, {48 * 12, 48, 1}, bfloat16, 8), by_rows(40, 6, float32),
                            by_rows(12, 6, bfloat16));
  CHECK(!p.a.turned);
  CHECK(p.a.rows == 40);
  CHECK(p.a.columns == 12);
  CHECK(p.a.leading == 48);
  CHECK(p.a.batch == 48 * 12);
  const Alignment a(p.a);
  CHECK(a.data == 8);
  CHECK(a.leading == 32);
  CHECK(a.batch == 128);
  CHECK(a.column == 16);
  CHECK(!p.aligned());
  const Problem q =
      problem(turned(by_rows(40, 12, float16, 44)), by_rows(40, 6, float16), by_rows(12, 6, float16));
  CHECK(q.a.turned);
  CHECK(q.a.rows == 12);
  CHECK(q.a.columns == 40);
  CHECK(Alignment(q.a).leading == 8);
  // A single row has no step to a next row.
  CHECK(Alignment(problem(by_rows(1, 8, float16, 9), by_rows(8, 8, float16), by_rows(1, 8, float16)).a)
            .leading == 256);
  Problem neither;
  CHECK(!neither.describe(matrix({4, 4}, {8, 2}, float32), by_rows(4, 4, float32), by_rows(4, 4, float32),
                          nullptr));
  CHECK(!neither.describe(by_rows(4, 4, float32), by_rows(4, 4, float32), turned(by_rows(4, 4, float32)),
                          nullptr));
}

TEST_CASE("all products of a step of GPT-2 are aligned but those of a vocabulary of odd size") {
  const int64_t tokens = 16 * 1024, width = 768;
  for (const DType t : {bfloat16, float16, float32}) {
    for (const int64_t out : {3 * width, width, 4 * width}) {
      CHECK(LayerProducts(tokens, width, out, t).whole());
      CHECK(LayerProducts(tokens, out, width, t).whole());
    }
    // Contiguous rows of 50257 logits begin at any address, and no product with them is aligned.
    CHECK(!LayerProducts(tokens, width, 50257, t).one_aligned());
    // Rows with a stride of 50304 are aligned, though they end within 16 bytes.
    const LayerProducts padded(tokens, width, 50257, t, 50304);
    CHECK(padded.aligned());
    CHECK(!padded.forward.whole());
    CHECK(LayerProducts(tokens, width, 50304, t).whole());
  }
}

TEST_CASE("queries keys and values of one tensor are aligned where heads are as wide as 16 bytes") {
  const int64_t heads = 12, n = 1024;
  for (const int64_t head : {64, 60}) {
    // (batch·heads, n, head) as a view of one sequence's (n, 3·heads·head).
    const int64_t row = 3 * heads * head;
    const View q = matrix({heads, n, head}, {head, row, 1}, bfloat16);
    const View k = matrix({heads, n, head}, {head, row, 1}, bfloat16, uintptr_t(2 * heads * head));
    const View scores = matrix({heads, n, n}, {n * n, n, 1}, bfloat16);
    CHECK(problem(q, turned(k), scores).whole() == (head == 64));
  }
}

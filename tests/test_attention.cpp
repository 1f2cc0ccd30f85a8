// scaled_dot_product_attention beyond one tile, beside the same written out as products and a softmax.
#include "engine/autograd.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

struct Case {
  Dims lead;
  int64_t queries, keys;
  bool causal;
};

Tensor written_out(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
  Tensor scores = matmul(q, k.transpose(-2, -1)) / std::sqrt(double(q.size(-1)));
  if (causal) scores = masked_fill(scores, to(triu(ones({q.size(-2), k.size(-2)}), 1), boolean), -INFINITY);
  return matmul(softmax(scores, -1), v);
}

void check(const Case& c) {
  Generator g(3);
  const auto operand = [&](int64_t rows, int64_t columns) {
    Dims shape = c.lead;
    shape.push(rows), shape.push(columns);
    return randn(shape, float64, g).requires_grad_();
  };
  const std::vector<Tensor> x{operand(c.queries, 7), operand(c.keys, 7), operand(c.keys, 5)};
  const Tensor y = scaled_dot_product_attention(x[0], x[1], x[2], {}, c.causal);
  const Tensor expected = written_out(x[0], x[1], x[2], c.causal), cotangent = randn(y.shape(), float64, g);
  CHECK(close(y, numbers(expected)));
  const std::vector<Tensor> found = grad({y}, x, {cotangent}), wanted = grad({expected}, x, {cotangent});
  for (size_t i = 0; i < x.size(); ++i) CHECK(close(found[i], numbers(wanted[i])));
}

}  // namespace

TEST_CASE("attention over many tiles and its gradients are those of the softmax of all scores") {
  for (const bool causal : {false, true})
    for (const Case& c : {Case{{2, 3}, 130, 65, causal},
                          {{9}, 600, 600, causal},
                          {{}, 129, 520, causal},
                          {{1, 2}, 300, 1000, causal},
                          {{1, 1}, 140, 2100, causal}}) {
      INFO(c.lead.n, " leading dimensions, ", c.queries, " queries, ", c.keys, " keys, causal ", causal);
      check(c);
    }
}

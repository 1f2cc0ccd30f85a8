// Compares scaled_dot_product_attention, on more than one tile, with the same computation written as products
// and a softmax, and with the steps that it shows to observers.
#include "engine/autograd.h"
#include "support.h"
#include "thread_count.h"

using namespace glassgrad;
using namespace testing;

namespace {

struct Case {
  Dims lead;
  int64_t queries, keys;
  bool causal;
  int64_t width = 7, value_width = 5;
  DType dtype = float64;
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
    return to(randn(shape, c.dtype, g), float64).requires_grad_();
  };
  const std::vector<Tensor> x{operand(c.queries, c.width), operand(c.keys, c.width),
                              operand(c.keys, c.value_width)};
  const Tensor y =
      scaled_dot_product_attention(to(x[0], c.dtype), to(x[1], c.dtype), to(x[2], c.dtype), {}, c.causal);
  const Tensor expected = written_out(x[0], x[1], x[2], c.causal), cotangent = randn(y.shape(), c.dtype, g);
  const double precision = c.dtype == float32 ? 1e-5 : 1e-12;
  CHECK(close(y, numbers(expected), precision));
  const std::vector<Tensor> found = grad({y}, x, {cotangent}),
                            wanted = grad({expected}, x, {to(cotangent, float64)});
  for (size_t i = 0; i < x.size(); ++i) CHECK(close(found[i], numbers(wanted[i]), precision));
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

TEST_CASE("attention leaves out what queries do not see wherever a tile ends") {
  for (const DType t : {float32, float64})
    for (const int64_t queries : {1, 2, 7, 8, 9, 15, 17, 20, 33, 63, 64, 65, 71, 127, 129})
      for (const int64_t more_keys : {0, -6, 3, 70}) {
        const Case c{{2}, queries, std::max<int64_t>(1, queries + more_keys), true, 200, 31, t};
        INFO(queries, " queries, ", c.keys, " keys, float32 ", t == float32);
        check(c);
      }
}

namespace {

enum class Mask : uint8_t { None, Causal, Bool, Numbers };

// Returns the result and the gradients of q, k and v.
std::vector<Numbers> attended(const Case& c, Mask mask, Observer* observer) {
  const Watch watch(observer);
  Generator g(5);
  const auto operand = [&](const Dims& lead, int64_t rows, int64_t columns) {
    Dims shape = lead;
    shape.push(rows), shape.push(columns);
    return randn(shape, c.dtype, g).requires_grad_();
  };
  std::vector<Tensor> x{operand(c.lead, c.queries, c.width), operand(c.lead, c.keys, c.width),
                        operand(c.lead, c.keys, c.value_width)};
  Tensor given;
  if (mask == Mask::Bool) given = operand({}, c.queries, c.keys) > 0;
  if (mask == Mask::Numbers) given = operand({}, c.queries, c.keys).detach();
  const std::optional<double> scale = c.queries % 2 ? std::optional(-0.3) : std::nullopt;
  const Tensor y = scaled_dot_product_attention(x[0], x[1], x[2], given, mask == Mask::Causal, scale);
  std::vector<Numbers> all{numbers(y)};
  for (const Tensor& d : grad({y}, x, {randn(y.shape(), c.dtype, g)})) all.push_back(numbers(d));
  return all;
}

}  // namespace

TEST_CASE("attention has the bits of the steps that it shows") {
  Observer steps;
  for (const DType t : {float32, float64})
    for (const Mask mask : {Mask::None, Mask::Causal, Mask::Bool, Mask::Numbers})
      for (const Case& c : {Case{{}, 1, 1, false, 7, 5, t}, Case{{2}, 3, 4, false, 2, 3, t},
                            Case{{3}, 9, 9, false, 33, 16, t}, Case{{2, 2}, 64, 64, false, 16, 16, t},
                            Case{{2}, 70, 39, false, 24, 40, t}, Case{{2}, 130, 300, false, 32, 17, t},
                            Case{{1}, 300, 1100, false, 20, 9, t}}) {
        const std::vector<Numbers> expected = attended(c, mask, &steps);
        for (const int threads : {1, 2}) {
          const Threads now(threads);
          INFO(c.queries, " queries, ", c.keys, " keys, ", int(mask), " float32 ", t == float32, ", ",
               threads);
          CHECK(attended(c, mask, nullptr) == expected);
        }
      }
}

TEST_CASE("a query without a key gets 0 in one op and in steps and changes no gradient") {
  Observer steps;
  for (Observer* const observer : {static_cast<Observer*>(nullptr), &steps}) {
    const Watch watch(observer);
    Generator g(3);
    std::vector<Tensor> x;
    for (int i = 0; i < 3; ++i) x.push_back(randn({2, 3, 4}, float64, g).requires_grad_());
    const Tensor seen = arange(3).unsqueeze(-1) > arange(3);  // query 0 sees nothing
    const Tensor hidden = masked_fill(zeros({3, 3}, float64), logical_not(seen), -INFINITY);
    const Tensor cotangent = randn({2, 3, 4}, float64, g);
    const auto rest = [](const Tensor& t) { return t.narrow(-2, 1, 2); };
    for (const Tensor& mask : {seen, hidden}) {
      const Tensor y = scaled_dot_product_attention(x[0], x[1], x[2], mask);
      const Tensor others = scaled_dot_product_attention(rest(x[0]), x[1], x[2], rest(mask));
      CHECK(equal(y.narrow(-2, 0, 1), zeros({2, 1, 4}, float64)));
      CHECK(close(rest(y), numbers(others), 1e-12));
      const std::vector<Tensor> found = grad({y}, x, {cotangent}),
                                wanted = grad({others}, x, {rest(cotangent)});
      for (size_t i = 0; i < x.size(); ++i) CHECK(close(found[i], numbers(wanted[i]), 1e-12));
      CHECK(equal(found[0].narrow(-2, 0, 1), zeros({2, 1, 4}, float64)));
    }
  }
}

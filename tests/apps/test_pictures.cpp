// The pictures of lessons: masked cells, the terms of a matrix product, bars.
#include <doctest/doctest.h>

#include <cmath>

#include "apps/ask/why/product.h"
#include "apps/ask/why/softmax.h"
#include "apps/lesson/selection.h"
#include "apps/lesson/settings.h"
#include "apps/show/bars.h"
#include "engine/ops.h"

using namespace glassgrad;
using namespace glassgrad::learn;

namespace {

const Recording& journey() {
  static const Recording recording = [] {
    const Lesson& lesson = find_lesson("journey");
    return record(lesson, Settings(lesson, {}), Keep::Calls);
  }();
  return recording;
}

// One letter for each cell: m if the cell is masked.
std::string mask_of(const char* address) {
  const Address at = find_tensor(journey(), address);
  const Masked masked(journey(), *at.entry);
  const Dims& shape = at.entry->value->shape();
  std::string cells;
  for (int64_t i = 0; i < shape[shape.n - 1] * shape[shape.n - 2]; ++i)
    cells += masked.at(index_of(shape, i)) ? 'm' : '.';
  return cells;
}

}  // namespace

TEST_CASE("pictures - a mask is seen in scores and weights and products but dropout is none") {
  const std::string causal = ".mmmmm..mmmm...mmm....mm.....m......", none(36, '.');
  for (const char* tensor :
       {"masked-scores:masked", "masked-softmax:scaled_scores", "masked-softmax:attn_weights",
        "masked-weights:masked_simple", "renormalised:masked_simple_norm", "dropout-weights:dropped_weights",
        "split-weights:attn_weights"}) {
    INFO(tensor);
    CHECK(mask_of(tensor) == causal);
  }
  for (const char* tensor :
       {"dropout-ones:dropped_example", "mask-simple:mask_simple", "weights:attn_weights"}) {
    INFO(tensor);
    CHECK(mask_of(tensor) == none);
  }
}

TEST_CASE("pictures - the terms of a matrix product add up to the cell bit by bit") {
  const CellNames names(journey());
  size_t products = 0, exact = 0, with_bias = 0;
  for (const Step& step : journey().steps)
    for (const Entry& entry : step.entries) {
      if (!entry.value || entry.value->numel() == 0) continue;
      for (int64_t i = 0; i < entry.value->numel(); ++i) {
        const Address at{&step, &entry, index_of(entry.value->shape(), i)};
        const why::OpenedCell cell = why::open_cell(journey(), names, at);
        const auto product = why::product_of(journey(), cell);
        if (!product) continue;
        ++products;
        exact += product->is_exact;
        with_bias += product->has_bias;
        // A dot product is summed in double and rounded at the end.
        const Scalar sum = scalar_of(to_double(product->terms.back().sum), cell.value.dtype);
        CHECK(product->is_exact == same_bits(sum, cell.value));
        CHECK(product->is_exact == (cell.opened->rounding == 0));
      }
    }
  CHECK(products > 300);
  CHECK(with_bias > 0);
  CHECK(exact == products);

  const auto opened = [&](const char* address) {
    return why::open_cell(journey(), names, find_cell(journey(), address));
  };
  const why::OpenedCell cell = opened("scores:attn_scores[1,2]"),
                        weight = opened("masked-softmax:attn_weights[2,1]");
  const auto score = why::product_of(journey(), cell);
  REQUIRE(bool(score));
  CHECK(score->terms.size() == 3);
  CHECK(names.name(why::place_of(names, *score, *score->terms[1].right), nullptr).brief() == "inputs[2,1]");
  CHECK_FALSE(bool(why::product_of(journey(), weight)));
}

TEST_CASE("pictures - a softmax has the numbers of its whole row") {
  const CellNames names(journey());
  for (const char* tensor : {"softmax-2:attn_weights_2", "weights:attn_weights",
                             "masked-softmax:attn_weights", "split-weights:attn_weights"}) {
    INFO(tensor);
    const Address at = find_tensor(journey(), tensor);
    for (int64_t i = 0; i < at.entry->value->numel(); ++i) {
      const Dims index = index_of(at.entry->value->shape(), i);
      const why::OpenedCell cell = why::open_cell(journey(), names, {at.step, at.entry, index});
      const auto softmax = why::softmax_of(cell);
      REQUIRE(bool(softmax));
      REQUIRE(softmax->terms.size() == 6);
      CHECK(softmax->own == size_t(index[index.n - 1]));
      CHECK(same_bits(softmax->terms[softmax->own].share, cell.value));
      CHECK(to_double(softmax->total) == doctest::Approx(1));
      for (const why::SoftmaxTerm& term : softmax->terms) {
        CHECK(to_double(term.exp) == doctest::Approx(std::exp(to_double(term.distance))));
        CHECK(same_bits(term.distance, (number(term.score->value) - number(softmax->max)).value()));
        CHECK(to_double(term.share) == doctest::Approx(to_double(term.exp) / to_double(softmax->sum)));
      }
    }
  }
  const why::OpenedCell score =
      why::open_cell(journey(), names, find_cell(journey(), "masked-softmax:scaled_scores[2,1]"));
  CHECK_FALSE(bool(why::softmax_of(score)));
}

TEST_CASE("pictures - bars of a row of queries and keys") {
  const Address at = find_tensor(journey(), "masked-softmax:attn_weights");
  const std::vector<Line> lines = bars(journey(), *at.entry, Dims{1, 0}, 60);
  CHECK(plain_text(lines[0]) == "attn_weights  query \"journey\" looks at");
  CHECK(plain_text(lines[2]).starts_with("Your     0.5517  \u2588\u2588"));
  CHECK(plain_text(lines[4]) == "starts   \u2591\u2591\u2591\u2591\u2591\u2591  masked");
}

// Every op can explain how a cell of its result was computed, and the explanation evaluates to the cell's
// value.
#include <map>
#include <set>

#include "engine/glass/recorder.h"
#include "engine/literal.h"
#include "engine/ops.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

struct WhyCounts {
  int64_t cells = 0, exact = 0;
  double worst = 0;  // rounding, relative to the largest number of the tree
};

double largest_number(const Expr& e) {
  double largest = std::abs(to_double(e.value()));
  if (!std::isfinite(largest)) largest = 0;
  for (const Expr& input : e->inputs) largest = std::max(largest, largest_number(input));
  return largest;
}

// Opens up to four cells of every result of every call.
void open_cells(const Recorder& recorder, Generator& g, std::map<std::string, WhyCounts>& counts) {
  for (size_t call = 0; call < recorder.calls().size(); ++call) {
    const RecordedCall& c = recorder.calls()[call];
    INFO(std::string(c.op->name));
    for (size_t out = 0; out < c.out.size(); ++out) {
      const int64_t n = c.out[out].shape().numel();
      for (int64_t k = 0; k < std::min<int64_t>(n, 4); ++k) {
        const Dims index = index_of(c.out[out].shape(), n <= 4 ? k : int64_t(g.u<double>() * double(n)));
        const Opened opened = recorder.open({call, out, index});
        WhyCounts& count = counts[c.op->name];
        ++count.cells;
        count.exact += opened.rounding == 0;
        const Tensor value = c.out[out].tensor();
        CHECK(same_bits(opened.expression.value(), element(value, index)));
        const double scale = largest_number(opened.expression) + 1e-30,
                     relative = std::abs(opened.rounding) / scale;
        const double limit = is_narrow(value.dtype()) ? 0x1p-7 : value.dtype() == float32 ? 4e-7 : 1e-14;
        CHECK_MESSAGE(relative <= limit, std::string(c.op->name), " ends ", opened.rounding, " from ",
                      to_double(opened.expression.value()));
        count.worst = std::max(count.worst, relative);
      }
    }
  }
}

void record_and_open(const OpRow& row, const std::vector<Dims>& shapes, DType dtype, Generator& g,
                     std::map<std::string, WhyCounts>& counts) {
  Tensors x;
  for (const Tensor& input : sample_inputs(row, shapes)) x.push_back(leaf(to(input, dtype)));
  Recorder recorder;
  {
    const Watch watch(&recorder);
    const Tensors y = row.call(x);
    if (row.gradient) analytic_gradients(y, x, random_cotangents(y, g), false);
  }
  open_cells(recorder, g, counts);
}

}  // namespace

TEST_CASE("every op opens its cells") {
  std::map<std::string, WhyCounts> counts;
  Generator g(5);
  for (const OpRow& row : op_table())
    for (const auto& shapes : row.shapes) {
      INFO(std::string(row.name));
      for (const DType dtype : {float64, float32}) record_and_open(row, shapes, dtype, g, counts);
    }
  WhyCounts all;
  for (const auto& [op, c] : counts) {
    const std::string& name = op;
    CHECK_MESSAGE(c.cells > 0, name, " was never opened");
    all.cells += c.cells, all.exact += c.exact, all.worst = std::max(all.worst, c.worst);
  }
  MESSAGE("why: ", counts.size(), " ops, ", all.cells, " cells opened; ", all.exact,
          " trees give the very bits, the others are at most ", all.worst, " of their largest number away");
  REQUIRE(counts.size() > 150);
}

TEST_CASE("every op opens its narrow cells") {
  std::map<std::string, WhyCounts> counts;
  Generator g(5);
  for (const OpRow& row : op_table())
    for (const auto& shapes : row.shapes) {
      INFO(std::string(row.name));
      record_and_open(row, shapes, bfloat16, g, counts);
    }
  WhyCounts all;
  for (const auto& [op, c] : counts) all.cells += c.cells, all.exact += c.exact;
  MESSAGE("why: ", counts.size(), " ops, ", all.cells, " bfloat16 cells opened; ", all.exact,
          " trees give the very bits");
  REQUIRE(counts.size() > 150);
  CHECK(all.exact > all.cells * 99 / 100);
}

TEST_CASE("a bfloat16 cell is a rounding of float32 arithmetic") {
  Recorder recorder;
  {
    const Watch watch(&recorder);
    const Tensor a = to(tensor({0.1, 0.2}), bfloat16);
    flip(a * a, {0});
  }
  const auto opened = [&](size_t call) { return recorder.open({call, 0, {1}}); };
  const size_t last = recorder.calls().size() - 1;
  const Opened product = opened(last - 1), moved = opened(last);
  CHECK(product.rounding == 0);
  CHECK(product.expression->op == "cast");
  CHECK(product.expression.dtype() == bfloat16);
  const Expr& times = product.expression->inputs[0];
  CHECK(times->op == "mul");
  CHECK(times.dtype() == float32);
  CHECK(times->inputs[0]->inputs[0]->op == "cell");
  CHECK(times->inputs[0]->inputs[0].dtype() == bfloat16);
  CHECK(moved.expression->op == "cell");  // only moved: nothing is widened
  CHECK(moved.expression.dtype() == bfloat16);
}

TEST_CASE("a cell is followed to the call that wrote it") {
  Recorder recorder;
  const Tensor a = tensor({{1., 2.}, {3., 4.}});
  Snapshot before, after;
  {
    const Watch watch(&recorder);
    const Tensor b = a * 10;
    before = recorder.snapshots().take(b);
    const Tensor row = b.t()[1];  // 20, 40
    fill_(row, 7);
    after = recorder.snapshots().take(b);
  }
  const auto name = [&](const std::optional<CellOfCall>& c) {
    return c ? std::string(recorder.calls()[c->call].op->name) : std::string("nobody");
  };
  CHECK(name(recorder.writer(before, {1, 1})) == "mul");
  CHECK(name(recorder.writer(after, {1, 1})) == "fill_");
  CHECK(recorder.writer(after, {1, 1})->index == Dims{1});
  CHECK(name(recorder.writer(after, {1, 0})) == "mul");
  CHECK(to_double(recorder.open(*recorder.writer(before, {0, 1})).expression.value()) == 20);
  const Opened product = recorder.open(*recorder.writer(after, {1, 0}));
  CHECK(product.expression->op == "mul");
  CHECK(product.expression->inputs[0]->index == Dims{1, 0});
  CHECK(name(recorder.writer(recorder.calls()[0].in[0], {0, 0})) == "nobody");
}

TEST_CASE("the gradients of a backward pass are written down") {
  Recorder recorder;
  const Tensor w = leaf(tensor({{1., 2.}, {3., 4.}})), x = tensor({{5.}, {6.}});
  {
    const Watch watch(&recorder);
    sum(tanh(matmul(w, x)) * 3).backward();
  }
  const auto received = [&](const char* node) {
    for (const RecordedBackwardStep& b : recorder.backwards())
      if (b.name == node) return b.grads.at(0).tensor().to_vector<double>();
    return std::vector<double>{};
  };
  CHECK(received("TanhBackward0") == std::vector<double>{3, 3});
  REQUIRE(recorder.gradients().size() == 1);
  const Snapshot grad = recorder.gradients().back().grad;
  CHECK(grad.tensor().to_vector<double>() == w.grad().to_vector<double>());
  // The recorder holds the product, so the leaf's .grad is a copy of it.
  const auto copy = recorder.writer(grad, {0, 1});
  REQUIRE(copy.has_value());
  const RecordedCall& clone = recorder.calls()[copy->call];
  CHECK(std::string(clone.op->name) == "clone");
  const auto product = recorder.writer(clone.in[0], recorder.open(*copy).expression->index);
  REQUIRE(product.has_value());
  CHECK(std::string(recorder.calls()[product->call].op->name) == "mm");
}

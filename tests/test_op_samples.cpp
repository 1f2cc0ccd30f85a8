// Runs every row of the op table on samples that its own shapes leave out: no elements, one element, expanded
// tensors, nan, infinity and large numbers, inputs that do not fit, and more elements than one thread takes.
// Also runs without grad mode, and compares each in-place form with its op.
#include <cstring>
#include <optional>
#include <set>
#include <tuple>

#include "op_table.h"
#include "thread_count.h"

using namespace glassgrad;
using namespace testing;

namespace {

struct Counts {
  int64_t samples = 0, refused = 0;
};

std::vector<Dims> mapped(const std::vector<Dims>& shapes, const std::function<int64_t(int64_t)>& size) {
  std::vector<Dims> all = shapes;
  for (Dims& shape : all)
    for (int d = 0; d < shape.n; ++d) shape[d] = size(shape[d]);
  return all;
}

bool same_bits(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i] != !b[i]) return false;
    if (!a[i]) continue;
    const Tensor x = a[i].contiguous(), y = b[i].contiguous();
    if (!(x.shape() == y.shape()) || x.dtype() != y.dtype()) return false;
    if (x.numel() > 0 &&
        std::memcmp(x.raw().data, y.raw().data, size_t(x.numel() * item_size(x.dtype()))) != 0)
      return false;
  }
  return true;
}

// Returns the row's results; nullopt if the engine refuses the sample with one of its errors.
std::optional<Tensors> called(const OpRow& row, const Tensors& x, Counts& counts) {
  try {
    Tensors y = row.call(x);
    ++counts.samples;
    return y;
  } catch (const Error&) {
    ++counts.refused;
    return {};
  }
}

std::string text_of(const OpRow& row, const std::vector<Dims>& shapes) {
  std::string text = row.name;
  for (const Dims& shape : shapes) text += " [" + to_string(shape) + "]";
  return text;
}

// Calls f(row, shapes) for each row and each of its shapes.
template <class F>
void each_sample(F f) {
  for (const OpRow& row : op_table())
    for (const auto& shapes : row.shapes) {
      const std::string text = text_of(row, shapes);
      INFO(text);
      f(row, shapes);
    }
}

bool all_numbers(const Tensors& x) {
  return std::all_of(x.begin(), x.end(),
                     [](const Tensor& t) { return !t || !is_floating(t.dtype()) || all_finite(t); });
}

// False if a result or a gradient is not finite (the mean of no elements, the deviation of one). Finite
// differences cannot check it, so only the layouts are compared.
bool differentiable_here(const OpRow& row, const std::vector<Dims>& shapes) {
  if (!row.gradient) return false;
  Tensors x;
  for (const Tensor& t : sample_inputs(row, shapes)) x.push_back(leaf(t));
  Generator g(3);
  const Tensors y = row.call(x), v = random_cotangents(y, g);
  return all_numbers(y) && all_numbers(analytic_gradients(y, x, v, false));
}

void check_layouts(OpRow row, const std::vector<Dims>& shapes, Counts& counts) {
  const auto y = called(row, sample_inputs(row, shapes), counts);
  if (!y) return;
  row.gradient = differentiable_here(row, shapes);
  for (const Layout layout : kLayouts)
    if (has_layout(shapes, layout)) drive_layout(row, shapes, layout, *y);
}

// Returns the usual inputs, mixed with nan, both infinities, both zeros, large and tiny numbers.
Tensors special_inputs(const OpRow& row, const std::vector<Dims>& shapes, Layout layout) {
  constexpr double kSpecial[] = {NAN, 1, INFINITY, -1, 0., 2, -INFINITY, -0., 1e300, 1, -1e300, 1e-310};
  Tensors x = sample_inputs(row, shapes, layout);
  size_t next = 0;
  for (const Tensor& t : x)
    for (double* cell : cells_of(t))
      if (next++ % 2 == 0) *cell = kSpecial[next / 2 % std::size(kSpecial)];
  return x;
}

}  // namespace

TEST_CASE("ops on nothing and on single elements") {
  Counts counts;
  const std::set<std::string> pieces = {"split", "split_with_sizes", "chunk",
                                        "unbind"};  // their rows use the second piece
  each_sample([&](const OpRow& row, const std::vector<Dims>& shapes) {
    if (shapes.empty() || pieces.count(row.function())) return;
    check_layouts(row, mapped(shapes, [](int64_t) { return 1; }), counts);
    check_layouts(row, mapped(shapes, [](int64_t) { return 0; }), counts);
    if (shapes[0].n > 0)
      check_layouts(row, mapped(shapes, [&](int64_t n) { return n == shapes[0][0] ? 0 : n; }), counts);
  });
  MESSAGE("op table: ", counts.samples, " samples of no and of single elements, ", counts.refused,
          " refused");
  CHECK(counts.samples > 300);
}

TEST_CASE("ops on expanded tensors and without grad mode") {
  Counts counts;
  each_sample([&](const OpRow& row, const std::vector<Dims>& shapes) {
    Tensors expanded, dense;
    for (const Tensor& t : sample_inputs(row, shapes)) {
      const bool room = t.dim() > 0 && t.numel() > 0;
      expanded.push_back(leaf(room ? t.narrow(0, 0, 1).expand(t.shape()) : t));
      dense.push_back(leaf(expanded.back().contiguous()));
    }
    const NoGrad off;
    const auto y = called(row, expanded, counts), z = called(row, dense, counts);
    REQUIRE((z.has_value() || !y));
    if (!y) return;  // a row that writes to its input may not write twice to one place
    CHECK(largest_difference(*y, *z, 1) <= 1e-12);
    for (const Tensor& t : *y) CHECK_FALSE(t.grad_fn_name());
  });
  MESSAGE("op table: ", counts.samples, " samples of expanded tensors, ", counts.refused, " refused");
  CHECK(counts.samples > 300);
}

TEST_CASE("ops on nan infinity and large numbers") {
  Counts counts;
  each_sample([&](const OpRow& row, const std::vector<Dims>& shapes) {
    const auto y = called(row, special_inputs(row, shapes, Layout::Contiguous), counts);
    if (!y) return;
    for (const Layout layout : {Layout::Transposed, Layout::Gapped}) {
      if (!has_layout(shapes, layout)) continue;
      const auto z = called(row, special_inputs(row, shapes, layout), counts);
      REQUIRE(z.has_value());
      CHECK(largest_difference(*z, *y, 1) <= 1e-12);
    }
    if (!row.gradient) return;
    Tensors leaves;
    for (const Tensor& t : special_inputs(row, shapes, Layout::Contiguous)) leaves.push_back(leaf(t));
    Generator g(3);
    const Tensors results = row.call(leaves);
    analytic_gradients(results, leaves, random_cotangents(results, g), false);  // must not throw
    ++counts.samples;
  });
  MESSAGE("op table: ", counts.samples, " samples with nan, infinities and large numbers, ", counts.refused,
          " refused");
  CHECK(counts.samples > 300);
}

// If an op accepts int64 inputs, their results must equal those of the same numbers in float64. bool inputs
// must only be accepted or refused, without a crash.
TEST_CASE("ops on whole numbers and truths") {
  Counts counts;
  const std::set<std::string> cuts = {"fill_", "pad",
                                      "random_"};  // their rows write fractions, which int64 cuts off
  each_sample([&](const OpRow& row, const std::vector<Dims>& shapes) {
    Tensors numbers, wholes, truths;
    for (const Tensor& t : sample_inputs(row, shapes)) {
      numbers.push_back(round(t));
      wholes.push_back(to(numbers.back(), int64));
      truths.push_back(t > 0);
    }
    const auto y = called(row, wholes, counts), expected = called(row, numbers, counts);
    called(row, truths, counts);
    if (y && expected && !cuts.count(row.function())) CHECK(largest_difference(*y, *expected, 1) <= 2e-5);
  });
  MESSAGE("op table: ", counts.samples, " samples of int64, of bool and of whole numbers, ", counts.refused,
          " refused");
  CHECK(counts.samples > 300);
}

// Returns tensors with a wrong size, a dimension too many or too few, a different dtype, and a leaf to write
// to.
Tensors misfits(const Tensor& t) {
  Dims wider = t.shape(), deeper = t.shape();
  if (wider.n > 0) ++wider[wider.n - 1];
  deeper.push(2);
  Tensors all = {ones(wider, float64), ones(deeper, float64), to(t, float32), to(t, int64), t > 0, leaf(t)};
  if (t.numel() > 0 && t.dim() > 0) all.push_back(t.select(0, 0));
  return all;
}

TEST_CASE("ops on inputs that do not fit together") {
  Counts counts;
  each_sample([&](const OpRow& row, const std::vector<Dims>& shapes) {
    const Tensors inputs = sample_inputs(row, shapes);
    for (size_t k = 0; k < inputs.size(); ++k)
      for (const Tensor& other : misfits(inputs[k])) {
        Tensors x = inputs;
        x[k] = other;
        called(row, x, counts);  // an error that is not the engine's fails the test
      }
  });
  MESSAGE("op table: ", counts.samples, " samples that fit all the same, ", counts.refused, " refused");
  CHECK(counts.refused > 1000);
}

TEST_CASE("ops give the same bits for any number of threads") {
  Counts counts;
  for (const OpRow& row : op_table()) {
    if (row.shapes.empty() || row.shapes[0].empty()) continue;
    const std::string text = row.name;
    INFO(text);
    const int dims = row.shapes[0][0].n;
    int64_t largest = 1;
    for (const Dims& s : row.shapes[0])
      for (const int64_t size : s) largest = std::max(largest, size);
    const bool grows = std::string_view(row.name) == "outer";  // its result is a product of the sizes
    // Keep matrices small: products take the cube of their size, and `make coverage` counts each step.
    const int64_t factor = grows       ? 100
                           : dims <= 1 ? 8000
                           : dims == 2 ? std::clamp<int64_t>(240 / largest, 1, 60)
                           : dims == 3 ? 17
                                       : 7;
    const auto shapes = mapped(row.shapes[0], [&](int64_t n) { return n > 1 ? n * factor : n; });
    int64_t elements = 0;
    for (const Dims& s : shapes) elements += s.numel();
    if (elements > 2'000'000) continue;
    Tensors inputs;
    for (const Tensor& t : sample_inputs(row, shapes)) inputs.push_back(to(t, float32));
    Tensors expected;
    for (const int n : kThreadCounts) {
      const Threads now(n);
      Tensors x;
      for (const Tensor& t : inputs) x.push_back(leaf(t));
      manual_seed(1);
      const auto y = called(row, x, counts);
      if (!y) break;
      Tensors all = *y;
      if (row.gradient) {
        Generator g(3);
        Tensors v;
        for (const Tensor& t : *y)
          v.push_back(is_floating(t.dtype()) ? randn(t.shape(), t.dtype(), g) : Tensor());
        for (const Tensor& t : analytic_gradients(*y, x, v, false)) all.push_back(t);
      }
      if (n == 1)
        expected = all;
      else
        CHECK_MESSAGE(same_bits(all, expected), row.name, " with ", n, " threads");
    }
  }
  MESSAGE("op table: ", counts.samples, " large samples with up to ", kThreadCounts.back(), " threads, ",
          counts.refused, " refused");
  CHECK(counts.samples > 300);
}

// With an observer, a fused op runs the steps of its definition: they must give the same bits.
TEST_CASE("ops give the same bits whoever watches") {
  Counts counts;
  Observer steps;
  each_sample([&](const OpRow& row, const std::vector<Dims>& shapes) {
    for (const DType t : {float32, float64}) {
      const auto results = [&](Observer* observer) -> std::optional<Tensors> {
        const Watch watch(observer);
        Tensors x;
        for (const Tensor& sample : sample_inputs(row, shapes)) x.push_back(leaf(to(sample, t)));
        manual_seed(1);
        std::optional<Tensors> y = called(row, x, counts);
        if (!y || !row.gradient) return y;
        Generator g(3);
        Tensors v;
        for (const Tensor& one : *y)
          v.push_back(is_floating(one.dtype()) ? randn(one.shape(), one.dtype(), g) : Tensor());
        for (const Tensor& one : analytic_gradients(*y, x, v, false)) y->push_back(one);
        return y;
      };
      const auto alone = results(nullptr), watched = results(&steps);
      REQUIRE(alone.has_value() == watched.has_value());
      if (alone) CHECK(largest_difference(*alone, *watched, 0) == 0);
    }
  });
  MESSAGE("op table: ", counts.samples, " samples with and without an observer");
  CHECK(counts.samples > 300);
}

TEST_CASE("in-place forms") {
  struct Form {
    const char* name;
    std::function<Tensor(const Tensor&, const Tensor&)> plain, in_place;
  };
#define UNARY_INPLACE(name)                                       \
  {#name, [](const Tensor& x, const Tensor&) { return name(x); }, \
   [](const Tensor& x, const Tensor&) { return name##_(x); }},
#define BINARY_INPLACE(name)                                           \
  {#name, [](const Tensor& x, const Tensor& o) { return name(x, o); }, \
   [](const Tensor& x, const Tensor& o) { return name##_(x, o); }},
  const std::vector<Form> forms = {
#include "engine/numbers/pointwise.def"
  };
  REQUIRE(forms.size() > 20);
  for (const Form& form : forms) {
    INFO(std::string(form.name));
    const Tensor other = from_values(std::vector<double>{0.5, 2, 4, 0.25}, {2, 2}, float64);
    const Tensor v = from_values(std::vector<double>{1, -2, 0.5, 3}, {2, 2}, float64);
    const auto run = [&](const auto& f, bool turned) {
      const Tensor x = leaf(from_values(std::vector<double>{0.25, 0.75, 0.875, 0.5}, {2, 2}, float64));
      Tensor y = x * 1;
      if (turned) y = y.t();
      const uint32_t before = y.version();
      const Tensor z = f(y, other);
      (z * 1).backward(v);
      return std::tuple(z.to_vector<double>(), x.grad().to_vector<double>(), y.version() - before);
    };
    for (const bool turned : {false, true}) {
      const auto [value, gradient, none] = run(form.plain, turned);
      const auto [written, written_gradient, writes] = run(form.in_place, turned);
      CHECK(value == written);
      CHECK(gradient == written_gradient);
      CHECK(none == 0);
      CHECK(writes == 1);
    }
  }
  MESSAGE("op table: ", forms.size(), " in-place forms beside their ops");
}

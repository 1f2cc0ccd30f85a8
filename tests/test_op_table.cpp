// Runs the checks of the op table, and fails if something has no row: every op in the sources, every function
// in ops.h and every view method needs a row that calls it, and every op with a gradient needs a row that
// checks the gradient.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "engine/glass/why.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

const std::filesystem::path kEngine = std::filesystem::path(GLASSGRAD_GOLDEN_DIR) / "../../engine";

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  REQUIRE_MESSAGE(!text.str().empty(), file);
  return text.str();
}

// Returns the groups of each match of the pattern: ("softmax", "SoftmaxBackward0").
std::vector<std::pair<std::string, std::string>> matches(const std::string& text, const char* pattern) {
  std::vector<std::pair<std::string, std::string>> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator i(text.begin(), text.end(), expression), end; i != end; ++i)
    found.emplace_back((*i)[1].str(), i->size() > 2 ? (*i)[2].str() : std::string());
  return found;
}

// Identifies an op by its name and its node's name, because sum() and sum(dim) have different nodes.
using OpNames = std::set<std::pair<std::string, std::string>>;

// Returns the ops in the engine's sources, found by their rows `{"name", "Node", "formula"}`.
OpNames ops_of_the_sources() {
  OpNames ops;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kEngine)) {
    const std::string extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h") continue;
    if (entry.path().parent_path().filename() == "glass") continue;  // it describes ops and has none
    const std::string text = std::regex_replace(read(entry.path()), std::regex("kNames\\{[^}]*\\}"), "");
    const auto rows = matches(text, "\\{\\s*\"(\\w+)\",\\s*\"([\\w:]*)\",\\s*\"");
    ops.insert(rows.begin(), rows.end());
  }
  const std::string def = read(kEngine / "numbers/pointwise.def");
  for (const auto& [name, node] :
       matches(def, "\\n(?:UNARY|BINARY|UNARY_NUMBERS)\\s*\\((\\w+),\\s*\\w+,\\s*\"(\\w+)\""))
    ops.emplace(name, node);
  for (const auto& [name, none] : matches(def, "\\n(?:UNARY|BINARY)_PLAIN\\s*\\((\\w+),"))
    ops.emplace(name, none);
  return ops;
}

struct Collector : Observer {
  OpNames seen;
  bool wants_steps() const override { return false; }  // the steps of a fused op have rows of their own
  void op(const Call& call) override { seen.emplace(call.op.name, call.op.node); }
};

// Returns the ops that a row calls: in its function and in its gradients of first and second order.
OpNames ops_of(const OpRow& row) {
  Collector collector;
  const Watch watch(&collector);
  for (const auto& shapes : row.shapes)
    for (const Layout layout : kLayouts) {
      Tensors x;
      for (const Tensor& input : sample_inputs(row, shapes, layout)) x.push_back(leaf(input));
      Generator g(3);
      const Tensors y = row.call(x), v = random_cotangents(y, g);
      if (!row.gradient) continue;
      const Tensors first = analytic_gradients(y, x, v, true);
      analytic_gradients(first, x, random_cotangents(first, g), false);
      analytic_gradients(row.call(x), x, v, false);
    }
  return collector.seen;
}

struct Factor {
  double factor;
  static constexpr AttrNames kNames{"factor"};
};

// The fused gradient of a pointwise op, NAME_backward, belongs to the row of NAME.
bool is_row_of(const OpRow& row, const std::string& op) {
  return row.function() == op || row.function() + "_backward" == op ||
         std::any_of(row.also.begin(), row.also.end(), [&](const char* n) { return n == op; });
}

// Nodes that only the engine itself puts into the graph; they cannot be called as ops.
const std::set<std::string> kNoOps = {"accumulate", "copy_slices"};

}  // namespace

TEST_CASE("every row of the op table and every op has one") {
  OpCounts counts;
  std::set<std::string> names, functions;
  OpNames called, differentiated, all;
  for (const OpRow& row : op_table()) {
    CHECK_MESSAGE(names.insert(row.name).second, row.name, " stands there twice");
    functions.insert(row.function());
    counts += drive(row);
    for (const auto& op : ops_of(row)) {
      all.insert(op);
      if (!is_row_of(row, op.first)) continue;
      called.insert(op);
      if (row.gradient) differentiated.insert(op);
    }
  }
  const OpNames written = ops_of_the_sources();
  REQUIRE(written.size() > 100);
  for (const auto& op : written) {
    if (kNoOps.count(op.first)) continue;
    CHECK_MESSAGE(called.count(op), op.first, " (", op.second,
                  ") has no row in tests/ops_*.cpp that calls it");
    CHECK_MESSAGE((op.second.empty() || differentiated.count(op)), op.first, " (", op.second,
                  ") has no gradient check");
  }
  for (const auto& op : all)
    CHECK_MESSAGE(called.count(op), op.first, " (", op.second, ") passed the door without a row");
  MESSAGE("op table: ", functions.size(), " functions, ", written.size(), " ops, ", op_table().size(),
          " rows; ", counts.gradients, " gradient checks, as many of second order and ", counts.jacobians,
          " whole Jacobians compared ", counts.cells, " cells; ", counts.values, " comparisons of values");
}

TEST_CASE("every function of the op header and every view has a row") {
  // Functions that need no row: they return bool, leave the graph, read .grad, or hold a single number.
  const std::set<std::string> others = {"equal", "allclose", "detach", "data", "grad", "from_number"};
  std::set<std::string> functions;
  for (const char* pattern : {"\\n(?:Tensor|ValuesIndices) (\\w+)\\("})
    for (const auto& [name, none] : matches(read(kEngine / "ops.h"), pattern)) functions.insert(name);
  for (const auto& [name, none] :
       matches(read(kEngine / "tensor.h"), "\\n  (?:Tensor|std::vector<Tensor>) (\\w+)\\("))
    functions.insert(name);
  REQUIRE(functions.size() > 80);
  for (const std::string& name : functions) {
    if (others.count(name)) continue;
    const bool found =
        std::any_of(op_table().begin(), op_table().end(), [&](auto& row) { return is_row_of(row, name); });
    CHECK_MESSAGE(found, name, " has no row in tests/ops_*.cpp");
  }
}

TEST_CASE("a wrong gradient is found") {
  static constexpr Op wrong{"wrong", "WrongBackward0", "", why_constant};
  const auto scaled = [](double factor) {
    return [factor](const Tensors& x) {
      const Tensor y = x[0].detach() * 3;
      return Tensors{record(wrong, y, {&x[0]}, {}, Factor{factor},
                            [](BackwardContext& d, const Factor& f) { d[0] = d.g * f.factor; })};
    };
  };
  const Tensors x = {from_values(std::vector<double>{1, 2, 3}, 3, float64)};
  CHECK(gradcheck(scaled(3), x).ok);
  CHECK(gradgradcheck(scaled(3), x).ok);
  CHECK(jacobian_check(scaled(3), x).ok);
  CHECK_FALSE(jacobian_check(scaled(3.001), x).ok);
  CHECK_FALSE(jacobian_check(scaled(NAN), x).ok);
  CHECK_FALSE(gradcheck(scaled(3.001), x).ok);
  CHECK_FALSE(gradcheck(scaled(NAN), x).ok);
  CHECK_FALSE(gradcheck(scaled(0), x).ok);
  // A gradient that is missing altogether.
  CHECK_FALSE(gradcheck([](const Tensors& t) { return Tensors{t[0].detach() * t[0].detach()}; }, x).ok);
  // A second derivative that is missing.
  CHECK_FALSE(gradgradcheck(
                  [](const Tensors& t) {
                    return Tensors{
                        record(wrong, t[0].detach() * t[0].detach(), {&t[0]}, {{&t[0]}}, NoAttr{},
                               [](BackwardContext& d, NoAttr) { d[0] = d.g * d.saved(0).detach() * 2; })};
                  },
                  x)
                  .ok);
}

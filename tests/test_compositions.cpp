// Random compositions of ops: gradients against central differences, and the state after an error.
// GLASSGRAD_COMPOSITIONS=100000 tries that many of each kind instead of kPrograms, starting at seed
// GLASSGRAD_COMPOSITIONS_FROM. GLASSGRAD_COMPOSITIONS_PYTHON=FILE writes those of kind PyTorchOnly to FILE as
// Python.
#include <cstdlib>
#include <fstream>
#include <set>
#include <string_view>

#include "compositions.h"
#include "support.h"
#include "thorough.h"

using namespace glassgrad;
using namespace testing;

namespace {

constexpr uint64_t kPrograms = 8000;  // enough for every row of the op table to take part
uint64_t tried() { return kPrograms / one_in(8); }
constexpr size_t kMostCells = 24;  // the most cells compared in one program
constexpr double kSteepest = 1e4;  // a steeper slope counts as a jump

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* const set = std::getenv(name);
  return set ? std::strtoull(set, nullptr, 10) : otherwise;
}

struct Counts {
  int64_t programs = 0, steps = 0, refused_steps = 0, refused_backwards = 0, cells = 0, rough = 0;
};

Tensors roots_of(const Program& p, const Tensors& values) {
  Tensors roots;
  for (const size_t i : p.roots) roots.push_back(values[i]);
  return roots;
}

// Random cotangents, 0 where a root is not finite.
Tensors cotangents_of(const Tensors& roots, Generator& g) {
  const Tensors all = random_cotangents(roots, g);
  for (size_t k = 0; k < all.size(); ++k) {
    const std::vector<double*> cells = cells_of(all[k]);
    const Numbers values = numbers(roots[k]);
    for (size_t i = 0; i < cells.size(); ++i)
      if (!std::isfinite(values[i])) *cells[i] = 0;
  }
  return all;
}

// Σ cotangent · root where the cotangent is not 0, after cell `cell` of start `start` was moved by `step`.
double loss_of(const Program& p, const Tensors& cotangents, size_t start, size_t cell, double step) {
  const Tensors values = p.run([&](const Tensors& starts) { *cells_of(starts[start])[cell] += step; });
  long double total = 0;
  for (size_t k = 0; k < cotangents.size(); ++k) {
    const Numbers y = numbers(values[p.roots[k]]), v = numbers(cotangents[k]);
    for (size_t i = 0; i < y.size(); ++i)
      if (v[i] != 0) total += static_cast<long double>(y[i]) * v[i];
  }
  return static_cast<double>(total);
}

// Runs backward from the roots. Returns PyTorch's error text if that is refused, else an empty text.
std::string backward_error(const Tensors& roots, const Tensors& cotangents) {
  try {
    Tensor loss;
    for (size_t k = 0; k < roots.size(); ++k) {
      const Tensor part = sum(roots[k] * cotangents[k]);
      loss = loss ? loss + part : part;
    }
    if (loss && loss.requires_grad()) loss.backward();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

// A function to differentiate: the loss of the program after one cell of a start was moved by a step.
using Loss = std::function<double(size_t start, size_t cell, double step)>;

// Compares the gradients of the starts (undefined: 0) with differences of the loss.
void compare(const Program& p, const Tensors& gradients, const Loss& loss, std::string_view order,
             Counts& counts) {
  std::vector<std::pair<size_t, size_t>> cells;
  for (size_t i = 0; i < p.starts.size(); ++i)
    for (size_t c = 0; p.starts[i].is_leaf && c < static_cast<size_t>(p.starts[i].shape.numel()); ++c)
      cells.emplace_back(i, c);
  const size_t stride = cells.size() / kMostCells + 1;
  for (size_t at = p.seed % stride; at < cells.size(); at += stride) {
    const size_t i = cells[at].first, c = cells[at].second;
    const double gradient = gradients[i] ? numbers(gradients[i])[c] : 0;
    const double middle = loss(i, c, 0), above = loss(i, c, p.width), below = loss(i, c, -p.width);
    const double up = (above - middle) / p.width, down = (middle - below) / p.width;
    const double numeric = (above - below) / (2 * p.width);
    // Rough: near a kink or a jump, digits were lost in a large sum, or the backward pass computed 0 · nan.
    const bool rough = !(std::abs(up - down) <= 0.02 * (1 + std::abs(numeric))) || std::isnan(gradient) ||
                       std::abs(numeric) > kSteepest;
    ++(rough ? counts.rough : counts.cells);
    if (rough) continue;
    const auto is_near = [&](double slope) {
      return std::abs(gradient - slope) <= 1e-5 * (1 + std::abs(middle)) + 1e-4 * std::abs(slope);
    };
    // Near a slight kink, where two numbers nearly tie, the gradient is the slope of one side.
    CHECK_MESSAGE((is_near(numeric) || is_near(up) || is_near(down)), order, " order, leaf ", i, " cell ", c,
                  ": gradient ", gradient, ", numeric ", numeric);
  }
}

// Checks second derivatives: differentiates the gradients with respect to the leaves once more.
void check_second_order(const Program& p, const Tensors& cotangents, Generator& g, Counts& counts) {
  const auto gradients = [&](const Tensors& values, bool create_graph) {
    const Tensors starts(values.begin(), values.begin() + std::ssize(p.starts));
    Tensors leaves;
    for (size_t i = 0; i < starts.size(); ++i)
      if (p.starts[i].is_leaf) leaves.push_back(starts[i]);
    return analytic_gradients(roots_of(p, values), leaves, cotangents, create_graph);
  };
  const Tensors values = p.run(), first = gradients(values, true), weights = cotangents_of(first, g);
  // Tensors that the first pass saved were written in place.
  if (!backward_error(first, weights).empty()) return;
  const Tensors starts(values.begin(), values.begin() + std::ssize(p.starts));
  Tensors second;
  for (const Tensor& x : starts) second.push_back(x.grad());
  const Loss loss = [&](size_t start, size_t cell, double step) {
    const auto nudge = [&](const Tensors& all) { *cells_of(all[start])[cell] += step; };
    return weighted_sum(gradients(p.run(nudge), false), weights);
  };
  compare(p, second, loss, "second", counts);
}

void check_program(const Program& p, Counts& counts) {
  INFO("program ", p.seed, "\n", p.python());
  ++counts.programs;
  counts.steps += std::ssize(p.steps);
  for (const Step& s : p.steps) counts.refused_steps += s.refused;
  const Tensors values = p.run();
  Generator g(p.seed);
  const Tensors roots = roots_of(p, values), cotangents = cotangents_of(roots, g);
  const std::string refusal = backward_error(roots, cotangents);
  Tensors gradients;
  for (size_t i = 0; i < p.starts.size(); ++i) gradients.push_back(values[i].grad());
  if (!refusal.empty()) {
    const bool known = contains(refusal, "has been modified by an inplace operation") ||
                       contains(refusal, "has been modified inplace");
    CHECK_MESSAGE(known, refusal);
    for (const Tensor& gradient : gradients) CHECK_FALSE(gradient);
    ++counts.refused_backwards;
    return;
  }
  for (size_t i = 0; i < p.starts.size(); ++i) {
    if (p.starts[i].is_leaf) CHECK_MESSAGE(values[i].is_leaf(), "leaf ", i, " is none any more");
    if (gradients[i]) CHECK(gradients[i].shape() == values[i].shape());
  }
  const Loss loss = [&](size_t start, size_t cell, double step) {
    return loss_of(p, cotangents, start, cell, step);
  };
  compare(p, gradients, loss, "first", counts);
  if (p.seed % 4 == 0) check_second_order(p, cotangents, g, counts);
}

}  // namespace

TEST_CASE("gradients of random compositions are those of differences") {
  Counts counts;
  std::set<std::string> rows;
  const uint64_t first = setting("GLASSGRAD_COMPOSITIONS_FROM", 0),
                 n = setting("GLASSGRAD_COMPOSITIONS", tried());
  for (uint64_t seed = first; seed < first + n; ++seed) {
    const Program p = composed(seed, ProgramKind::Smooth);
    rows.insert(p.rows.begin(), p.rows.end());
    check_program(p, counts);
    check_program(composed(seed, ProgramKind::Special), counts);
  }
  for (const OpRow& row : op_table())
    CHECK_MESSAGE((rows.count(row.name) || n < kPrograms), row.name, " takes no part in any composition");
  CHECK(counts.rough * 20 < counts.cells);
  CHECK(counts.refused_backwards * 5 < counts.programs);
  MESSAGE("compositions: ", counts.programs, " programs of ", counts.steps, " steps, ", counts.refused_steps,
          " of them refused, and ", rows.size(), " rows of the op table; ", counts.cells,
          " gradients of first and second order compared, ", counts.rough, " at kinks; ",
          counts.refused_backwards, " backwards refused");
}

TEST_CASE("refusals of random programs leave all values as they were") {
  const uint64_t first = setting("GLASSGRAD_COMPOSITIONS_FROM", 0),
                 n = setting("GLASSGRAD_COMPOSITIONS", tried());
  const char* const file = std::getenv("GLASSGRAD_COMPOSITIONS_PYTHON");
  std::ofstream text(file ? file : "/dev/null");
  for (uint64_t seed = first; seed < first + n; ++seed)
    text << composed(seed, ProgramKind::PyTorchOnly).python();
  CHECK(text.good());
}

// Compares gradients with central differences, in float64, for every parameter of a class or a lesson. For a
// class, the scalar is a sum of its outputs with random weights, because errors could cancel in a plain sum.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "apps/ask/classes.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::gradcheck {

struct Options {
  uint64_t seed = 1;   // of the random weights, and of the cells if not all are checked
  double eps = 1e-6;   // how far a cell is moved, up and down
  int64_t cells = 24;  // checked per parameter, at most
};

// A cell's gradient and its measured slope.
struct Pair {
  double gradient = 0, difference = 0;
};

struct ParameterCheck {
  std::string name;
  Dims shape;
  int64_t cells = 0;  // number of compared cells
  Dims worst;         // the cell with the largest error for its size …
  Pair pair;          // … and its values
  bool ok = true;
  double off() const;
};

// Compares cells of one parameter: all, or `options.cells` random cells. A pair agrees if its values differ
// by at most 1e-6 of the slope plus the rounding error of numbers of this `scale`; NaN never agrees.
ParameterCheck check_cells(const std::string& name, const Dims& shape, const Options& options, double scale,
                           const std::function<Pair(const Dims& cell)>& pair_at);

std::vector<ParameterCheck> check_class(const ModuleClass& model, const Options& options);
// Checks, at the lesson's defaults, the parameters that lead to a loss of the lesson. Throws Error if none
// do.
std::vector<ParameterCheck> check_lesson(const learn::Lesson& lesson, const Options& options);

}  // namespace glassgrad::gradcheck

// Gradients against central differences, in float64, for every parameter of a class or a lesson. The number
// that is followed backward weighs each output with a random number: in a plain sum errors could cancel.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "apps/ask/classes.h"
#include "apps/lesson/lesson.h"

namespace glassgrad::gradcheck {

struct Options {
  uint64_t seed = 1;   // of the random weights, and of the cells where not all are checked
  double eps = 1e-6;   // how far a cell is moved, up and down
  int64_t cells = 24;  // of a parameter, at most
};

// A cell's gradient and the slope that was measured there.
struct Pair {
  double gradient = 0, difference = 0;
};

struct ParameterCheck {
  std::string name;
  Dims shape;
  int64_t cells = 0;  // that were compared
  Dims worst;         // the cell that is furthest off for its size …
  Pair pair;          // … and what was found there
  bool ok = true;
  double off() const;
};

// Compares cells of one parameter: all, or `options.cells` random ones. A pair agrees when it differs by at
// most 1e-6 of itself, or by what rounding may do to numbers of this `scale`; NaN does not.
ParameterCheck check_cells(const std::string& name, const Dims& shape, const Options& options, double scale,
                           const std::function<Pair(const Dims& cell)>& pair_at);

std::vector<ParameterCheck> check_class(const Class& model, const Options& options);
// At the lesson's defaults: the parameters of the models that it names a loss for.
std::vector<ParameterCheck> check_lesson(const learn::Lesson& lesson, const Options& options);

}  // namespace glassgrad::gradcheck

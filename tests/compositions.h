// Random programs of a few steps: views, geometry and numbers changed in place, indexing, broadcasting,
// reductions, products, and rows of the op table. Leaves may be views, 0-d or empty. A program is a function
// of its leaves' numbers, so its gradients can be compared with finite differences. Written as Python text,
// it also runs in PyTorch.
#pragma once
#include <functional>
#include <string>

#include "op_table.h"

namespace testing {

enum class ProgramKind {
  Smooth,       // no zeros and no ties; kinks and rows of the op table
  Special,      // zeros and ties, nan in one program of four; no kinks
  PyTorchOnly,  // all numbers and kinks, and steps that differences cannot follow: detach, no_grad, .data, …
};

// ---- the moves, a step each (compositions_moves.cpp)
struct MoveArguments {
  int64_t d = 0, e = 0;     // dimensions of the first input
  int64_t k = 0, last = 0;  // places along d
  bool flag = false;
};
enum MoveKind : unsigned {
  kView = 1,
  kGeometry = 2,
  kWrite = 4,
  kResult = 8,
  kPyTorchOnly = 16,  // only PyTorch can check it
  kInPlace = kGeometry | kWrite,
  kKink = 64,    // has a kink, or a pole, at a usual number
  kAlong = 128,  // needs a dimension that is not empty
};
struct Move {
  unsigned kind;
  // {0} {1}: the inputs. {d} {e} {k} {last} {flag}: the numbers. {:}: `:, ` repeated d times.
  const char* python;
  Tensor (*call)(const Tensor& x, const Tensor& y,
                 const MoveArguments& n);  // its result is a value unless in place

  bool is(unsigned kinds) const { return (kind & kinds) != 0; }
  bool takes_two() const { return std::string(python).find("{1}") != std::string::npos; }
};
const std::vector<Move>& moves();

// ---- programs (compositions.cpp)
// A value that a program starts from: a leaf, or a plain tensor that needs no gradient.
struct Start {
  enum Layout { Plain, Reshaped, Transposed, Shifted, Gapped, kEnd } layout = Plain;
  Dims shape;
  std::vector<double> numbers;  // of its base, in the order of memory
  bool is_leaf = true;

  Tensor made() const;
  std::string python() const;
};

struct Step {
  std::vector<size_t> in;  // indices of its input values
  std::function<Tensors(const Tensors&)> call;
  std::string python;  // like a Move's, with its numbers filled in; a comment for a row of the op table
  bool in_place = false;
  bool is_row = false;
  size_t results = 0;
  bool refused = false;  // the engine throws, so the step is in the Python text only
};

struct Program {
  uint64_t seed = 0;
  std::vector<Start> starts;
  std::vector<Step> steps;
  std::vector<size_t> roots;      // the values that the loss sums
  double width = kStep;           // the step of the differences
  std::vector<std::string> rows;  // names of rows in the op table

  // Returns all values: the starts and the results of the steps. nudge may change the starts' numbers first.
  Tensors run(const std::function<void(const Tensors&)>& nudge = {}) const;
  // Returns a Python function program_SEED() that shows each refusal, each value and the gradients.
  std::string python() const;
};

// Makes the program of this seed. A refusal that changes a value fails the test.
Program composed(uint64_t seed, ProgramKind kind);

}  // namespace testing

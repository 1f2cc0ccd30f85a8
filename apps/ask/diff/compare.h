// Pairs the tensors of two runs that mean the same, and finds how they differ.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/ask/diff/side.h"

namespace glassgrad::diff {

constexpr double kRounding = 1e-5;  // times the largest finite number

struct Difference {
  enum class Kind : uint8_t { None, Rounding, Cells, Shapes };
  Kind kind = Kind::None;
  double largest = 0;  // |left − right|
  // For Cells: the first cell that differs by more than rounding.
  Dims left_cell, right_cell;
  double left = 0, right = 0;
};

// Two tensors' cells beside each other, in the shape in which they can be compared.
struct ComparedCells {
  Dims shape;
  std::vector<double> left, right;
  std::vector<bool> differ;  // by more than rounding
  int64_t count = 0;         // how many differ
  double largest = 0;        // |left − right|
  size_t first = 0;          // the first that differs, if one does
};
// Returns none if there is no such shape.
std::optional<ComparedCells> cells_of(const Tensor& left, const Tensor& right);
// Returns the cell of x that is compared at a cell of that shape.
Dims cell_of(const Tensor& x, const Dims& cell);
Dims cell_at(const Dims& shape, int64_t place);

// Ignores dimensions of size 1 in front, and compares a matrix with each matrix of a batch. Equal infinities
// and two nan are equal; Rounding is at most kRounding times the largest finite number.
Difference difference(const Tensor& left, const Tensor& right);

struct Pair {
  size_t left, right;  // indices in the sides' values
};
// Pairs tensors that have the same address or meaning, in the order of both sides. Chooses the pairing with
// the greatest total similarity: address, name of the step, shape and numbers.
std::vector<Pair> aligned(const Side& left, const Side& right);

}  // namespace glassgrad::diff

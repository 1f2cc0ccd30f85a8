// Which tensors of two runs mean the same, and how they differ.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/ask/diff/side.h"

namespace glassgrad::diff {

constexpr double kRounding = 1e-5;  // of the largest finite number

struct Difference {
  enum class Kind : uint8_t { None, Rounding, Cells, Shapes };
  Kind kind = Kind::None;
  double largest = 0;  // |left − right|
  // Of Cells: the first cell that differs by more than rounding.
  Dims left_cell, right_cell;
  double left = 0, right = 0;
};

// Two tensors' cells beside each other, in the shape in which they can be compared.
struct Cells {
  Dims shape;
  std::vector<double> left, right;
  std::vector<bool> differ;  // by more than rounding
  int64_t count = 0;         // how many do
  double largest = 0;        // |left − right|
  size_t first = 0;          // the first that differs, if one does
};
// none: there is no such shape.
std::optional<Cells> cells_of(const Tensor& left, const Tensor& right);
// A cell of that shape as one of x.
Dims cell_of(const Tensor& x, const Dims& cell);
Dims cell_at(const Dims& shape, int64_t place);

// Dimensions of size 1 in front count for nothing, and a matrix is compared with each of a batch. Equal
// infinities and two nan are equal; Rounding is below
// a hundred thousandth of the largest finite number.
Difference difference(const Tensor& left, const Tensor& right);

struct Pair {
  size_t left, right;  // places in the sides' values
};
// Pairs of one meaning, in the order of both: as many as can be, and among several those in steps of one
// name, of one shape, with equal numbers.
std::vector<Pair> aligned(const Side& left, const Side& right);

}  // namespace glassgrad::diff

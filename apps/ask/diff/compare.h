// Which tensors of two runs mean the same, and how they differ.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/ask/diff/side.h"

namespace glassgrad::diff {

struct Difference {
  enum class Kind : uint8_t { None, Rounding, Cells, Shapes };
  Kind kind = Kind::None;
  double largest = 0;  // |left − right|
  // Of Cells: the first cell that differs by more than rounding.
  Dims left_cell, right_cell;
  double left = 0, right = 0;
};

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

// Text files of numbers, a row a line: what a spreadsheet saves.
#pragma once
#include <string>

#include "../tensor.h"

namespace glassgrad {

// (rows, columns) float64, as numpy.loadtxt(path, delimiter=",", ndmin=2) reads it: decimal numbers, nan and
// inf, parted by commas, spaces around them, empty lines left out; a byte-order mark and Windows line ends
// are fine. Error: the file, the row and the column, counted from 1: a text that is no number, rows of
// different lengths, a file without numbers.
Tensor load_csv(const std::string& path);

}  // namespace glassgrad

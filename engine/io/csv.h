// Text files of numbers, one row per line, as spreadsheets save them.
#pragma once
#include <string>

#include "../tensor.h"

namespace glassgrad {

// Returns (rows, columns) float64, as numpy.loadtxt(path, delimiter=",", ndmin=2) reads it: decimal numbers,
// nan and inf, separated by commas, with spaces around them; empty lines are skipped; a byte-order mark and
// Windows line ends are accepted. Throws Error with the file, row and column, counted from 1: a text that is
// no number, rows of different lengths, a file without numbers.
Tensor load_csv(const std::string& path);

}  // namespace glassgrad

// Text files of numbers, one row per line, as spreadsheets save them.
#pragma once
#include <string>

#include "../tensor.h"

namespace glassgrad {

// Returns (rows, columns) float64: decimal numbers, nan and inf. Columns are separated by commas, semicolons,
// tabs or blanks; the first line decides. Without commas as separators, 0,25 is a number too if the file has
// no point. Quotes around a number, headings, pandas' column of row numbers below an empty heading, a comma
// at the end of every line, blank lines, comments (#), `sep=;`, byte-order marks, UTF-16 and all line ends
// are accepted. *note gets a sentence about input that may be a mistake: numbers that are not finite, or a
// first column that counts 0, 1, 2 … Throws Error with the file, row and column, counted from 1: a text that
// is not a number, an empty cell, a comma inside a number, rows of different lengths, a file without numbers.
Tensor load_csv(const std::string& path, std::string* note = nullptr);

}  // namespace glassgrad

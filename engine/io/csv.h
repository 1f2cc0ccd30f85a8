// Text files of numbers, one row per line, as spreadsheets save them.
#pragma once
#include <string>

#include "../tensor.h"

namespace glassgrad {

// Returns (rows, columns) float64: decimal numbers, nan and inf. Columns are parted by commas, or, as the
// first line shows, by semicolons, tabs or blanks; with those, 0,25 is a number too if no number of the file
// has a point. Quotes around a number, headings, pandas' column of row numbers below an empty heading, a
// comma at the end of every line, blank lines, comments (#), `sep=;`, byte-order marks, UTF-16 and all line
// ends are accepted. note, if not null, gets a sentence about what may not be meant: numbers that are not
// finite, or a first column that counts 0, 1, 2 … Throws Error with the file, row and column, counted from 1:
// a text that is no number, an empty cell, a comma inside a number, rows of different lengths, a file without
// numbers.
Tensor load_csv(const std::string& path, std::string* note = nullptr);

}  // namespace glassgrad

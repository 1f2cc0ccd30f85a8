// A series of numbers as a picture of block characters: eight heights to a letter.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace glassgrad {

struct CurveSize {
  size_t columns = 72, lines = 10;  // of the whole picture, including the numbers at its left and below it
  size_t total = 0;                 // the final number of values; 0: the present number
};
// Returns the values of steps 1, 2, …, as columns that rise from 0 to the largest value. If there are more
// values than columns, a column shows the mean of neighbours. A value below 0 counts as 0; a value that is
// not finite is left out. No line ends with blanks; the last two lines are the axis and its first and last
// step.
std::vector<std::string> curve(std::span<const double> values, const CurveSize& size);
// Returns the same as a sentence to listen to: the first value, the last, and three in between.
std::string curve_spoken(std::span<const double> values);

// Returns a bar that fills the share, 0 to 1, of `columns` from the left. A share above 0 shows at least an
// eighth of a column.
std::string bar(double share, size_t columns);

}  // namespace glassgrad

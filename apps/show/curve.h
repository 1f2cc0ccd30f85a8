// A row of measured numbers as a picture made of letters: eight heights to a letter, with block characters.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace glassgrad {

struct CurveSize {
  size_t columns = 72, lines = 10;  // of the whole picture, with the numbers at its left and below it
  size_t total = 0;                 // how many values there will be; 0: no more than now
};
// The values of steps 1, 2, …, as columns that rise from 0 to the largest of them. Neighbours share a column
// by their mean where there are more values than columns. A value below 0 counts as 0; one that is not finite
// is left out. Every line is as wide as its letters; the last two are the axis and its first and last step.
std::vector<std::string> curve(std::span<const double> values, const CurveSize& size);
// The same to listen to, a sentence: the first value, the last, and three in between.
std::string curve_spoken(std::span<const double> values);

// A bar from the left: this share, 0 to 1, of so many columns; what is not 0 shows at least an eighth.
std::string bar(double share, size_t columns);

}  // namespace glassgrad

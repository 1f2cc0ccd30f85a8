#include <doctest/doctest.h>

#include <cmath>

#include "apps/cli/text_width.h"
#include "apps/show/curve.h"

using namespace glassgrad;

TEST_CASE("a curve falls from its largest value to the last") {
  const std::vector<double> values{4, 3, 2, 1};
  CHECK(curve(values, {.columns = 10, .lines = 6}) ==
        std::vector<std::string>{"4.00 │█", "     │██", "     │███", "     │████", "   0 └────",
                                 "      step 1 4"});
}

TEST_CASE("a curve shows means of neighbours and eighths of a letter") {
  const std::vector<double> values{8, 8, 1, 3};  // two columns: 8 and 2 of 8, in one line of letters
  CHECK(curve(values, {.columns = 8, .lines = 3}).front() == "8.00 │█▂");
}

TEST_CASE("a curve that grows keeps its room and leaves out what is no number") {
  const std::vector<double> values{2, std::nan(""), INFINITY, -1};
  const auto picture = curve(values, {.columns = 14, .lines = 4, .total = 8});
  CHECK(picture[1] == "     │█");
  CHECK(picture.back().ends_with("8"));
  for (const std::string& line : picture) CHECK(columns_of(line) <= 14);
  CHECK(curve({}, {}).size() == 10);
}

TEST_CASE("a curve to listen to names at most five steps") {
  CHECK(curve_spoken({}) == "No step yet.");
  const std::vector<double> one{1}, many{9, 8, 7, 6, 5, 4, 3, 2, 1};
  CHECK(curve_spoken(one) == "Step 1: 1.00.");
  CHECK(curve_spoken(many) == "Step 1: 9.00, step 3: 7.00, step 5: 5.00, step 7: 3.00, step 9: 1.00.");
}

TEST_CASE("a bar is as long as its share") {
  CHECK(bar(1, 3) == "███");
  CHECK(bar(0.5, 3) == "█▌");
  CHECK(bar(0.0001, 3) == "▏");
  CHECK(bar(0, 3).empty());
  CHECK(bar(2, 3) == "███");
}

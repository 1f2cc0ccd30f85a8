// Pages that format only the table rows on the screen.
#include <doctest/doctest.h>

#include "apps/screen/scroll.h"

using namespace glassgrad;

TEST_CASE("scroll - those of a long table are made when they are looked at") {
  size_t made = 0;
  Lines lines;
  lines.push_back({{"title"}});
  lines.append(1'000'000, [&](size_t i) {
    ++made;
    return Line{{std::to_string(i)}};
  });
  lines.push_back({{"end"}});
  CHECK(lines.size() == 1'000'002);
  CHECK(plain_text(lines[0]) == "title");
  CHECK(plain_text(lines[500'001]) == "500000");
  CHECK(plain_text(lines[1'000'000]) == "999999");
  CHECK(plain_text(lines[1'000'001]) == "end");
  CHECK(made == 2);
  CHECK(lines.find([](const Line& line) { return plain_text(line) == "end"; }) == 1'000'001);
  CHECK_FALSE(lines.find([](const Line& line) { return plain_text(line) == "7"; }));
  CHECK(made == 2);

  constexpr size_t kHeight = 24;
  Scroll scroll;
  scroll.page_down(lines, kHeight);
  scroll.show(700'000, lines, kHeight);
  CHECK(scroll.top == 700'000 - kHeight / 2);
  CHECK(scroll.more_below(lines, kHeight));
  CHECK(made <= 2 + kHeight);
}

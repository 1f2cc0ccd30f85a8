// Work in the background while keys are read, and pages that format only the table rows on the screen.
#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>

#include "apps/exercise/verdict.h"
#include "apps/lesson/cancel.h"
#include "apps/lesson/lesson.h"
#include "apps/screen/background_work.h"
#include "apps/screen/scroll.h"
#include "engine/core/error.h"

using namespace glassgrad;
using namespace glassgrad::learn;

namespace {

constexpr int kPatience = 60'000;  // milliseconds; reached only when a test fails

}  // namespace

TEST_CASE("background - a run that is stopped ends at its next op") {
  const Lesson& journey = find_lesson("journey");
  std::atomic<int> runs = 0;
  BackgroundWork background;
  background.start([&]() -> BackgroundWork::Continuation {
    for (;; ++runs) record(journey, Settings(journey, {}));
  });
  CHECK(background.is_at_work());
  while (runs == 0) std::this_thread::yield();
  CHECK_FALSE(background.is_done(0));
  background.stop();
  REQUIRE(background.is_done(kPatience));
  CHECK_FALSE(background.finish());
  CHECK_FALSE(background.is_at_work());
  CHECK(record(journey, Settings(journey, {})).steps.size() > 1);  // nothing stops this run
}

TEST_CASE("background - what is left is done by the one who finishes") {
  BackgroundWork background;
  int done = 0;
  std::thread::id computed, finished;
  const auto work = [&]() -> BackgroundWork::Continuation {
    computed = std::this_thread::get_id();
    return [&] { ++done, finished = std::this_thread::get_id(); };
  };
  for (int i = 1; i <= 3; ++i) {
    background.start(work);
    REQUIRE(background.is_done(kPatience));
    CHECK(done == i - 1);
    CHECK(background.finish());
    CHECK(done == i);
  }
  CHECK(computed != finished);
  CHECK(finished == std::this_thread::get_id());

  background.start([]() -> BackgroundWork::Continuation { fail("it cannot go on"); });
  REQUIRE(background.is_done(kPatience));
  CHECK_THROWS_AS(background.finish(), Error);
  CHECK_FALSE(background.is_at_work());

  background.start(work);
  REQUIRE(background.is_done(kPatience));
  background.stop();  // too late to save work, but the result must be dropped
  CHECK_FALSE(background.finish());
  CHECK(done == 3);
}

TEST_CASE("background - a check of an answer that nobody waits for ends") {
  const exercise::Course& course = *exercise::course_called("attention");
  std::atomic<bool> stop = false;
  std::thread other([&] {
    const CancelScope scope(stop);
    CHECK_THROWS_AS(exercise::check(course, *course.find("dot"), "while True: pass", 7,
                                    {.bytes = 64 << 20, .seconds = 600}),
                    Cancelled);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  stop = true;
  other.join();
}

TEST_CASE("lines - those of a long table are made when they are looked at") {
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

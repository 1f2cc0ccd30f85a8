// Lessons and answers that nobody waits for any more.
#include <doctest/doctest.h>

#include <chrono>

#include "apps/exercise/verdict.h"
#include "apps/lesson/cancel.h"
#include "apps/lesson/lesson.h"
#include "stopped.h"

using namespace glassgrad;
using namespace glassgrad::learn;

TEST_CASE("stopped - a lesson that is stopped ends at its next op") {
  const Lesson& journey = find_lesson("journey");
  testing::check_stops([&] { record(journey, Settings(journey, {})); });
  CHECK(record(journey, Settings(journey, {})).steps.size() > 1);  // nothing stops this run
}

TEST_CASE("stopped - a check of an answer that nobody waits for ends") {
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

// Work in the background while keys are read. ThreadSanitizer runs it too, so it needs only the engine.
#include <doctest/doctest.h>

#include <stdexcept>

#include "apps/lesson/cancel.h"
#include "apps/screen/background_work.h"
#include "engine/core/error.h"
#include "engine/ops.h"
#include "stopped.h"

using namespace glassgrad;
using testing::kPatience;

TEST_CASE("background - work that is stopped ends at its next op") {
  const Tensor x = ones({4, 4});
  testing::check_stops([&] {
    learn::throw_if_cancelled();
    softmax(x, -1);
  });
  CHECK_NOTHROW(learn::throw_if_cancelled());  // nothing stops this thread
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

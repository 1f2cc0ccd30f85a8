// Checks work in the background that is stopped.
#pragma once
#include <doctest/doctest.h>

#include <functional>

#include "apps/screen/background_work.h"

namespace testing {

inline constexpr int kPatience = 60'000;  // milliseconds; reached only when a test fails

// Checks that a loop over `round` in the background ends when it is stopped.
inline void check_stops(const std::function<void()>& round) {
  std::atomic<int> rounds = 0;
  glassgrad::BackgroundWork background;
  background.start([&]() -> glassgrad::BackgroundWork::Continuation {
    for (;; ++rounds) round();
  });
  CHECK(background.is_at_work());
  while (rounds == 0) std::this_thread::yield();
  CHECK_FALSE(background.is_done(0));
  background.stop();
  REQUIRE(background.is_done(kPatience));
  CHECK_FALSE(background.finish());
  CHECK_FALSE(background.is_at_work());
}

}  // namespace testing

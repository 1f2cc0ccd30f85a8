#include "apps/cli/clock.h"

#include <chrono>

namespace glassgrad {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace glassgrad

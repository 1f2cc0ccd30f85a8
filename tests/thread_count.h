// Sets the number of threads while it exists.
#pragma once
#include "engine/core/threads.h"

namespace testing {

class Threads {
 public:
  explicit Threads(int n) { glassgrad::set_threads(n); }
  ~Threads() { glassgrad::set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  const int before_ = glassgrad::threads();
};

}  // namespace testing

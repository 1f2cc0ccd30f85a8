// Computes with several numbers of threads.
#pragma once
#include <vector>

#include "engine/core/threads.h"
#include "thorough.h"

namespace testing {

// Numbers of threads that must give the same bits; fewer with sanitizers, which look for other faults.
inline const std::vector<int> kThreadCounts = kSanitized ? std::vector{1, 3} : std::vector{1, 2, 3, 4};

// Sets the number of threads while it exists.
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

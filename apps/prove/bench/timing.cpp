#include "apps/prove/bench/timing.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "engine/gpus.h"

namespace glassgrad::bench {
namespace {

// Waits until the threads of other libraries sleep. They stay busy for tens of milliseconds after a call, on
// cores that the next row needs.
void wait_until_threads_sleep() {
  constexpr std::clock_t kAsleep = CLOCKS_PER_SEC / 5000;
  for (int i = 0; i < 100; ++i) {
    const std::clock_t before = std::clock();  // CPU time of all threads
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (std::clock() - before < kAsleep) return;
  }
}

std::vector<double> sorted_seconds(const Work& work, double for_seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t kFewest = 3, kMost = 10'000;
  const auto seconds_since = [](Clock::time_point t) {
    return std::chrono::duration<double>(Clock::now() - t).count();
  };
  wait_until_threads_sleep();
  work();
  synchronize(default_device);
  std::vector<double> all;
  const auto began = Clock::now();
  while (all.size() < kFewest || (all.size() < kMost && seconds_since(began) < for_seconds)) {
    const auto start = Clock::now();
    work();
    synchronize(default_device);  // a GPU may still be computing
    all.push_back(seconds_since(start));
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

double median_seconds(const Work& work, double for_seconds) {
  const std::vector<double> all = sorted_seconds(work, for_seconds);
  return all[all.size() / 2];
}

double least_seconds(const Work& work, double for_seconds) {
  return sorted_seconds(work, for_seconds).front();
}

}  // namespace glassgrad::bench

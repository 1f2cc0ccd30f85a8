#include "apps/train/profile.h"

#include <fmt/core.h>

#include <algorithm>

#include "engine/gpus.h"

namespace glassgrad::train {

double Profile::since_last() {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  last_ = now;
  return seconds;
}

void Profile::begin_step() { last_ = Clock::now(); }

void Profile::op(const Call& call) {
  synchronize(default_device);  // a GPU's kernels run after the call returns
  Spent& spent = spent_[{call.op.name, call.backward_of != nullptr}];
  ++spent.calls;
  spent.seconds += since_last();
}

void Profile::end_step() {
  spent_[{"all else", false}].seconds += since_last();
  ++steps_;
}

std::vector<std::string> Profile::lines() const {
  std::vector<std::pair<std::pair<std::string, bool>, Spent>> rows(spent_.begin(), spent_.end());
  std::sort(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.second.seconds > b.second.seconds; });
  double all = 0;
  for (const auto& [name, spent] : rows) all += spent.seconds;
  const double steps = double(std::max<int64_t>(steps_, 1));
  std::vector<std::string> lines = {
      fmt::format("{:<50}{:>12}{:>10}{:>8}", "op", "calls/step", "ms/step", "share")};
  for (const auto& [name, spent] : rows)
    lines.push_back(fmt::format("{:<50}{:>12.1f}{:>10.3f}{:>7.1f}%",
                                name.first + (name.second ? ", backward" : ""), double(spent.calls) / steps,
                                1e3 * spent.seconds / steps, all > 0 ? 100 * spent.seconds / all : 0.0));
  lines.push_back(fmt::format("{:<62}{:>10.3f}", "a step", 1e3 * all / steps));
  return lines;
}

}  // namespace glassgrad::train

// Where the time of a training goes: seconds of each op, from the trace.
#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "engine/trace.h"

namespace glassgrad::train {

// Watches ops: one takes what has passed since the one before it ended, its graph included.
class Profile : public Observer {
 public:
  // Time from here on counts; between two steps none does.
  void begin_step();
  void end_step();
  // A table of the ops by the time they took, per step, line by line.
  std::vector<std::string> lines() const;

  bool wants_steps() const override { return false; }
  void op(const Call& call) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Spent {
    int64_t calls = 0;
    double seconds = 0;
  };
  double since_last();

  std::map<std::pair<std::string, bool>, Spent> spent_;  // by name and whether it was part of a backward
  Clock::time_point last_;
  int64_t steps_ = 0;
};

}  // namespace glassgrad::train

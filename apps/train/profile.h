// Shows where the time of a training goes: seconds per op, from the trace.
#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "engine/trace.h"

namespace glassgrad::train {

// Times ops: each is charged the time since the previous op ended, including the graph's bookkeeping.
class Profile : public Observer {
 public:
  // Starts the clock; time between end_step and begin_step does not count.
  void begin_step();
  void end_step();
  // Returns a table of the ops, sorted by their time per step, one string per line.
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

  std::map<std::pair<std::string, bool>, Spent> spent_;  // by op name and whether in a backward pass
  Clock::time_point last_;
  int64_t steps_ = 0;
};

}  // namespace glassgrad::train

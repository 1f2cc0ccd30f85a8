// Stopping between two steps: a signal is noted, and the loop sees to it when it is ready.
#pragma once

namespace glassgrad::train {

// While one exists, the first SIGINT, SIGTERM or SIGHUP is only noted; the second ends the program at once. A
// signal that whoever started us wants ignored stays ignored. There can be one at a time.
class StopFlag {
 public:
  StopFlag();
  ~StopFlag();  // what was done about these signals before is done again
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

  // The signal that came, or 0.
  int signal() const;
};

}  // namespace glassgrad::train

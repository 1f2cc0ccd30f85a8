// Stops a loop between two steps: a signal is noted, and the loop checks for it.
#pragma once

namespace glassgrad::train {

// While one exists, the first SIGINT, SIGTERM or SIGHUP is only noted; the second ends the program at once. A
// signal that the parent process set to be ignored stays ignored. Only one may exist at a time.
class StopFlag {
 public:
  StopFlag();
  ~StopFlag();  // restores the previous handlers
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;

  // The noted signal, or 0.
  int signal() const;
};

}  // namespace glassgrad::train

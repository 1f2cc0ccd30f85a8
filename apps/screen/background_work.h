// Computes something long on its own thread, while keys are still answered.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <thread>

#include "apps/lesson/cancel.h"

namespace glassgrad {

class BackgroundWork {
 public:
  // The end of the work, run on the thread that calls finish().
  using Continuation = std::function<void()>;
  using Work = std::function<Continuation()>;

  // Throws Error if the system has no file left.
  BackgroundWork();
  ~BackgroundWork();  // stops the work, and waits for its end
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // Starts the work; no other may be running. If the system has no thread left, it is done when this returns.
  void start(const Work& work);
  bool is_at_work() const { return at_work_; }
  int fd() const { return done_; }       // readable when the work is done
  bool is_done(int milliseconds) const;  // waits at most so long
  // Asks the work to end: at its next op, or during a long op of a program.
  void stop() { stop_ = true; }
  // To be called when the work is done. Runs the continuation, or throws what the work has thrown. Returns
  // false if it was stopped.
  bool finish();

 private:
  void work(const Work& work);

  int done_;
  bool at_work_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
  Continuation continuation_;
  std::exception_ptr error_;
};

}  // namespace glassgrad

// Something long that is computed on a thread of its own, while keys go on being answered.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <thread>

#include "apps/lesson/cancel.h"

namespace glassgrad {

class Background {
 public:
  // What is left to do with what was computed, on the thread that finishes it.
  using Rest = std::function<void()>;
  using Work = std::function<Rest()>;

  // Error: the system has no file left.
  Background();
  ~Background();  // stops, and waits until it has
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Nothing is at work. Where the system has no thread, it is done when this returns.
  void start(Work work);
  bool is_at_work() const { return at_work_; }
  int fd() const { return done_; }       // readable when it is done
  bool is_done(int milliseconds) const;  // by then
  // Asks it to end: at its next op, or amid a long one of a program.
  void stop() { stop_ = true; }
  // When it is done: does the rest, or throws what the work has thrown. false: it was stopped.
  bool finish();

 private:
  void work(const Work& work);

  int done_;
  bool at_work_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
  Rest rest_;
  std::exception_ptr error_;
};

}  // namespace glassgrad

// What signals do. By themselves SIGINT and SIGTERM end the program with 128 + n; every signal that ends or
// stops it first gives the terminal back as it was.
#pragma once
#include <optional>

namespace glassgrad {

// To be called once, at the beginning. A signal that whoever started us wants ignored stays ignored.
void end_on_signals();

// Thrown by loops that were told to end; the program's exit code is 128 + signal.
struct Interrupted {
  int signal;
};

// While one exists, SIGINT, SIGTERM and SIGHUP wait in it for a loop to look; so do SIGWINCH, and SIGCONT
// after a stop. The same signal twice ends the program at once.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  int fd() const;  // readable when one has come
  // Interrupted: one of those that end. Otherwise whether the screen has to be drawn again.
  bool take();
  // One of those that end has been taken, and what it was to end has ended: the next one waits again.
  void forgive(int signal);
};

}  // namespace glassgrad

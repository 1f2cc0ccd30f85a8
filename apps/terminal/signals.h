// The handling of signals. Without a queue, SIGINT and SIGTERM end the program with 128 + n; every signal
// that ends or stops the program first restores the terminal.
#pragma once
#include <optional>

namespace glassgrad {

// To be called once, at the beginning. A signal that the parent process has ignored stays ignored.
void end_on_signals();

// Thrown by loops that were told to end; the program's exit code is 128 + signal.
struct Interrupted {
  int signal;
};

// While a queue exists, SIGINT, SIGTERM and SIGHUP wait in it until a loop looks; so do SIGWINCH, and SIGCONT
// after a stop. The same signal twice ends the program at once.
class SignalQueue {
 public:
  SignalQueue();
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  int fd() const;  // readable when a signal has come
  // Throws Interrupted for a signal that ends the program. Otherwise returns whether the screen must be drawn
  // again.
  bool take();
  // To be called when an ending signal was taken and has ended its work: the next such signal waits again.
  void forgive(int signal);
};

}  // namespace glassgrad

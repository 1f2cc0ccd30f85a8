#include "apps/terminal/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "apps/terminal/terminal.h"
#include "engine/io/file.h"

namespace glassgrad {
namespace {

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP};
// These signals end the program by default, like a crash, and so do all real-time signals. SIGPIPE is left
// out: the program ignores it, or has it while no terminal is taken.
constexpr int kCrashes[] = {SIGQUIT,   SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT,
                            SIGTRAP,   SIGSYS,  SIGUSR1, SIGUSR2, SIGALRM, SIGPROF,
                            SIGVTALRM, SIGXCPU, SIGXFSZ, SIGIO,   SIGPWR,  SIGSTKFLT};

template <class F>
void each_crash(F f) {
  for (const int signal : kCrashes) f(signal);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) f(signal);
}

// Handlers write the numbers of signals into a pipe. -1: there is no queue.
volatile std::sig_atomic_t pipe_in = -1, pipe_out = -1;
volatile std::sig_atomic_t waiting[NSIG];

void put(int signal) {
  const int before = errno;
  const char byte = static_cast<char>(signal);
  [[maybe_unused]] const ssize_t written = ::write(pipe_in, &byte, 1);
  errno = before;
}

void end(int signal) {
  if (pipe_in >= 0 && !waiting[signal]) {
    waiting[signal] = 1;
    return put(signal);
  }
  restore_terminal();
  // A prompt may be in this line of the terminal; the shell's prompt gets a line of its own.
  if (::isatty(STDERR_FILENO) == 1) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, "\n", 1);
  }
  ::_exit(128 + signal);
}

struct sigaction doing(void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigfillset(&action.sa_mask);
  return action;
}

void set(int signal, const struct sigaction& action) { ::sigaction(signal, &action, nullptr); }

bool is_ignored(int signal) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// The actions for crashes before we changed them: the default, or a sanitizer's report.
struct sigaction before_us[NSIG];

void crash(int signal) {
  restore_terminal();
  set(signal, before_us[signal]);
  ::raise(signal);  // blocked until this handler returns
}

void stop(int signal) {
  restore_terminal();
  set(signal, doing(SIG_DFL));
  sigset_t only, before;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &only, &before);  // stops here
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  set(signal, doing(stop));
  put(SIGCONT);
}

// The stack of a handler after the program's own stack has overflowed.
std::array<char, 1 << 16> spare_stack;

void watch_for_crashes() {
  const stack_t spare{.ss_sp = spare_stack.data(), .ss_flags = 0, .ss_size = spare_stack.size()};
  ::sigaltstack(&spare, nullptr);
  each_crash([](int signal) {
    ::sigaction(signal, nullptr, &before_us[signal]);
    if (!is_ignored(signal)) set(signal, doing(crash, SA_ONSTACK));
  });
}

}  // namespace

void end_on_signals() {
  for (const int signal : {SIGINT, SIGTERM})
    if (!is_ignored(signal)) set(signal, doing(end));
}

SignalQueue::SignalQueue() {
  int ends[2];
  check_system(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "cannot make a pipe: {}");
  for (int& end : ends) {  // never takes the number of a closed standard stream
    const int low = end;
    end = ::fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(low);
  }
  pipe_out = ends[0];
  pipe_in = ends[1];
  if (!is_ignored(SIGHUP)) set(SIGHUP, doing(end));
  if (!is_ignored(SIGTSTP)) set(SIGTSTP, doing(stop));
  for (const int signal : {SIGWINCH, SIGCONT}) set(signal, doing(put));
  watch_for_crashes();
}

SignalQueue::~SignalQueue() {
  each_crash([](int signal) { set(signal, before_us[signal]); });
  for (const int signal : {SIGWINCH, SIGCONT}) set(signal, doing(SIG_DFL));
  for (const int signal : {SIGTSTP, SIGHUP})
    if (!is_ignored(signal)) set(signal, doing(SIG_DFL));
  const int in = pipe_in, out = pipe_out;
  pipe_in = -1;
  pipe_out = -1;
  ::close(in);
  ::close(out);
}

int SignalQueue::fd() const { return pipe_out; }

void SignalQueue::forgive(int signal) { waiting[signal] = 0; }

bool SignalQueue::take() {
  bool draw = false;
  char byte = 0;
  while (::read(pipe_out, &byte, 1) == 1) {
    for (const int signal : kEnding)
      if (byte == signal) throw Interrupted{signal};
    draw = true;
  }
  return draw;
}

}  // namespace glassgrad

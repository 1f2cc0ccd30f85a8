#include "apps/screen/interruptible_run.h"

#include <fmt/core.h>
#include <poll.h>

#include <csignal>

#include "apps/cli/complain.h"
#include "apps/screen/background_work.h"
#include "apps/terminal/signals.h"
#include "engine/core/for_scope.h"

namespace glassgrad {

bool run_interruptible(const std::string& file, const std::function<void()>& run) {
  constexpr int kQuiet = 3000;  // milliseconds
  SignalQueue signals;
  learn::InterruptibleRun program;
  BackgroundWork background;
  background.start([&]() -> BackgroundWork::Continuation {
    const ForScope<learn::InterruptibleRun*> now(learn::interruptible_run, &program);
    run();
    return [] {};
  });
  bool is_ended = false;
  pollfd either[] = {{background.fd(), POLLIN, 0}, {signals.fd(), POLLIN, 0}};
  for (int patience = kQuiet; !background.is_done(0);) {
    const int n = ::poll(either, 2, patience);
    if (n == 0) {
      complain(fmt::format("{}:{} is still running; Ctrl-C ends it and shows its steps", file,
                           program.line.load()));
      patience = -1;
    }
    if (n <= 0) continue;
    try {
      signals.take();
    } catch (const Interrupted& e) {
      if (e.signal != SIGINT) throw;
      program.stop_requested = is_ended = true;
    }
  }
  if (!background.finish()) throw Interrupted{SIGINT};
  return is_ended;
}

}  // namespace glassgrad

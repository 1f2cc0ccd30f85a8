#include "apps/screen/background_work.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <system_error>
#include <utility>

#include "engine/core/device.h"
#include "engine/io/file.h"

namespace glassgrad {
namespace {

// Signals from outside go to the thread that reads the keys; a crash's signal stays with the thread that
// crashed.
class SignalsElsewhere {
 public:
  SignalsElsewhere() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH})
      sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsElsewhere() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsElsewhere(const SignalsElsewhere&) = delete;
  SignalsElsewhere& operator=(const SignalsElsewhere&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

BackgroundWork::BackgroundWork() : done_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  check_system(done_ >= 0, "cannot make an eventfd: {}");
}

BackgroundWork::~BackgroundWork() {
  stop();
  if (thread_.joinable()) thread_.join();
  ::close(done_);
}

void BackgroundWork::start(const Work& work) {
  stop_ = false;
  at_work_ = true;
  try {
    const SignalsElsewhere masked;
    thread_ = std::thread([this, work, device = default_device] {
      const DefaultDevice here(device);
      this->work(work);
    });
  } catch (const std::system_error&) {
    this->work(work);
  }
}

void BackgroundWork::work(const Work& work) {
  try {
    const learn::CancelScope stopped(stop_);
    continuation_ = work();
  } catch (...) {
    error_ = std::current_exception();
  }
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(done_, &one, sizeof one);
}

bool BackgroundWork::is_done(int milliseconds) const {
  pollfd done{done_, POLLIN, 0};
  return ::poll(&done, 1, milliseconds) == 1;
}

bool BackgroundWork::finish() {
  if (thread_.joinable()) thread_.join();
  uint64_t done = 0;
  [[maybe_unused]] const ssize_t n = ::read(done_, &done, sizeof done);
  at_work_ = false;
  const Continuation continuation = std::exchange(continuation_, nullptr);
  if (const std::exception_ptr error = std::exchange(error_, nullptr)) try {
      std::rethrow_exception(error);
    } catch (const learn::Cancelled&) {
      return false;
    }
  if (stop_) return false;
  continuation();
  return true;
}

}  // namespace glassgrad

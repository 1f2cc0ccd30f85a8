#include "apps/train/stop_flag.h"

#include <unistd.h>

#include <csignal>

namespace glassgrad::train {
namespace {

constexpr int kStopping[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t noted = 0;
struct sigaction before_us[NSIG];

void note(int signal) {
  if (noted) ::_exit(128 + signal);
  noted = signal;
}

}  // namespace

StopFlag::StopFlag() {
  noted = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;  // do not interrupt file writes
  sigfillset(&action.sa_mask);
  for (const int signal : kStopping) {
    ::sigaction(signal, nullptr, &before_us[signal]);
    if (before_us[signal].sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

StopFlag::~StopFlag() {
  for (const int signal : kStopping) ::sigaction(signal, &before_us[signal], nullptr);
}

int StopFlag::signal() const { return noted; }

}  // namespace glassgrad::train

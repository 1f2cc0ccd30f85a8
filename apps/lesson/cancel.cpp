#include "apps/lesson/cancel.h"

namespace glassgrad::learn {

static thread_local const std::atomic<bool>* cancel_flag = nullptr;

CancelScope::CancelScope(const std::atomic<bool>& stop) { cancel_flag = &stop; }
CancelScope::~CancelScope() { cancel_flag = nullptr; }

thread_local constinit RunMonitor* run_monitor = nullptr;

void throw_if_cancelled() {
  if ((cancel_flag && *cancel_flag) || (run_monitor && run_monitor->wants_end())) throw Cancelled();
}

thread_local constinit InterruptibleRun* interruptible_run = nullptr;

void throw_if_stop_requested() {
  if (interruptible_run && interruptible_run->stop_requested) throw StopRequested();
}

}  // namespace glassgrad::learn

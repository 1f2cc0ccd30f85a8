#include "apps/lesson/stopped.h"

namespace glassgrad::learn {

static thread_local const std::atomic<bool>* asked_to_stop = nullptr;

StoppedBy::StoppedBy(const std::atomic<bool>& stop) { asked_to_stop = &stop; }
StoppedBy::~StoppedBy() { asked_to_stop = nullptr; }

void end_if_stopped() {
  if (asked_to_stop && *asked_to_stop) throw Stopped();
}

}  // namespace glassgrad::learn

#include "apps/lesson/cancel.h"

namespace glassgrad::learn {

static thread_local const std::atomic<bool>* cancel_flag = nullptr;

CancelScope::CancelScope(const std::atomic<bool>& stop) { cancel_flag = &stop; }
CancelScope::~CancelScope() { cancel_flag = nullptr; }

void throw_if_cancelled() {
  if (cancel_flag && *cancel_flag) throw Cancelled();
}

}  // namespace glassgrad::learn

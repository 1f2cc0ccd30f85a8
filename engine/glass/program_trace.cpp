#include "program_trace.h"

#include <algorithm>

#include "../graph.h"

namespace glassgrad::why {
namespace {

// The existing traces, the oldest first. Whoever holds this lock may take a trace's own, but not the reverse.
std::mutex traces_mutex;
std::vector<ProgramTrace*>& traces() {
  static auto& all = *new std::vector<ProgramTrace*>;  // outlives static tensors
  return all;
}

// This thread's traces, and the observer that each has replaced; the latest is last.
struct Watched {
  Ref<ProgramTrace> trace;
  Observer* before;
  std::unique_ptr<Observers> both;
  Observer* now;
};
thread_local std::vector<Watched> watched;

}  // namespace

void release(ProgramTrace* trace) noexcept {
  if (trace->drop()) delete trace;
}

ProgramTrace::ProgramTrace() {
  const std::lock_guard lock(traces_mutex);
  traces().push_back(this);
  glassgrad::before_any_write = ProgramTrace::before_any_write;
}

void ProgramTrace::watch(const Ref<ProgramTrace>& trace) {
  Watched w{.trace = trace, .before = watching, .both = nullptr, .now = trace.get()};
  if (watching) {
    w.both = std::make_unique<Observers>(std::vector<Observer*>{watching, trace.get()});
    w.now = w.both.get();
  }
  watching = w.now;
  watched.push_back(std::move(w));
}

ProgramTrace::~ProgramTrace() {
  const std::lock_guard lock(traces_mutex);
  std::erase(traces(), this);
  if (traces().empty()) glassgrad::before_any_write = nullptr;
}

std::vector<Ref<ProgramTrace>> ProgramTrace::all() {
  const std::lock_guard lock(traces_mutex);
  std::vector<Ref<ProgramTrace>> all;
  for (auto trace = traces().rbegin(); trace != traces().rend(); ++trace)
    for (uint32_t n = (*trace)->count.load(); n > 0;)  // 0: it is being destroyed
      if ((*trace)->count.compare_exchange_weak(n, n + 1)) {
        all.emplace_back(*trace);
        break;
      }
  return all;
}

// If a newer observer sits on top of this trace, the trace stays in the chain but ignores the ops.
void ProgramTrace::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (watches_) record_.end();
    watches_ = false;
  }
  while (!watched.empty() && !watched.back().trace->watches_ && watching == watched.back().now) {
    watching = watched.back().before;
    const Watched last = std::move(watched.back());  // may destroy the trace
    watched.pop_back();
  }
}

// Handles writes that the trace does not observe: those after stop(), and those by other threads.
void ProgramTrace::before_any_write(const Tensor& x) {
  if (opens_) return;
  const std::lock_guard lock(traces_mutex);
  for (ProgramTrace* const trace : traces()) {
    const bool is_told =
        trace->watches_ &&
        std::any_of(watched.begin(), watched.end(), [&](const Watched& w) { return w.trace.get() == trace; });
    if (is_told) continue;
    const std::lock_guard hold(trace->mutex_);
    trace->record_.before_unseen_write(x);
  }
}

}  // namespace glassgrad::why

#include "apps/lesson/run.h"

#include <new>

#include "apps/cli/clock.h"
#include "apps/cli/memory.h"
#include "apps/lesson/cancel.h"
#include "apps/script/host.h"
#include "apps/script/torch.h"
#include "engine/autograd.h"

namespace glassgrad::learn {
namespace {

constexpr int64_t kMostElements = 1 << 24;  // of one tensor, even if it is a view of few numbers

size_t heap_bytes(const Limits& limits) {
  return limits.bytes ? limits.bytes : static_cast<size_t>(available_memory() / 2);
}

}  // namespace

FreshState::FreshState()
    : random_(default_generator().state()),
      printing_(print_options()),
      grad_mode_(std::exchange(grad_mode, true)),
      dtype_(std::exchange(script::rows::default_dtype(), float32)),
      warnings_(std::exchange(script::warnings(), [](const auto&) {})) {
  default_generator().manual_seed(Generator::kDefaultSeed);
}
FreshState::~FreshState() {
  default_generator().set_state(random_);
  set_printoptions({.precision = printing_.precision,
                    .threshold = printing_.threshold,
                    .edgeitems = printing_.edgeitems,
                    .linewidth = printing_.linewidth,
                    .profile = {},
                    .sci_mode = printing_.sci_mode});
  grad_mode = grad_mode_;
  script::rows::default_dtype() = dtype_;
  script::warnings() = std::move(warnings_);
}

void ProgramRun::Meter::op(const Call& call) {
  run.look();
  if (!run.limits_.bytes) return;
  for (const Tensor& x : call.out)
    if (x && x.numel() > kMostElements) throw std::bad_alloc();
}

ProgramRun::ProgramRun(const Limits& limits, std::function<void(std::string_view)> print,
                       script::Watcher* watcher)
    : limits_(limits),
      end_(seconds_now() + limits.seconds),
      meter_(*this),
      tensors_(limits.bytes ? std::optional<StorageLimit>(std::in_place, limits.bytes) : std::nullopt),
      loops_(loop_watch, {[](const void* run) { static_cast<const ProgramRun*>(run)->look(); }, this}),
      heap_(heap_bytes(limits)),
      in_({.print = std::move(print),
           .interrupted = [this] { step(); },
           .check_interrupt = [this] { look(); },
           .watcher = watcher,
           .stack = stack_for_programs()}) {}

void ProgramRun::step() {
  throw_if_cancelled();
  throw_if_stop_requested();
  if (++steps_ > limits_.steps || (steps_ % 64 == 0 && seconds_now() > end_)) throw EndOfTime();
}
void ProgramRun::look() const {
  throw_if_cancelled();
  throw_if_stop_requested();
  if (seconds_now() > end_) throw EndOfTime();
}

}  // namespace glassgrad::learn

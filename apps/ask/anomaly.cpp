#include "apps/ask/anomaly.h"

#include <fmt/core.h>

#include <cmath>

#include "apps/lesson/address.h"
#include "engine/glass/anomaly.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

// Returns the first cell that is nan and for which `counts` is true; none if there is none.
template <class Counts>
std::optional<Dims> first_nan(const Tensor& x, Counts counts) {
  const char* what = non_finite_kind(x);
  if (!what || what[0] != 'n') return {};
  const std::vector<double> values = x.to_vector<double>();
  for (int64_t i = 0; i < std::ssize(values); ++i)
    if (const Dims cell = index_of(x.shape(), i); std::isnan(values[size_t(i)]) && counts(cell)) return cell;
  return {};
}

bool is_by_hand(const Recorder& trace, const Snapshot& result, const Dims& cell) {
  return !trace.writer(result, cell) && trace.writer_before_hand(result, cell);
}

const Step& step_of(const Recording& recording, size_t call) {
  const Step* found = &recording.steps.front();
  for (const Step& step : recording.steps)
    if (step.first_call <= call) found = &step;
  return *found;
}

std::string node_name(const Recorder& trace, uint64_t seq) {
  for (const RecordedNode& node : trace.nodes())
    if (node.seq == seq) return node.name;
  return "a leaf's gradient";
}

std::string place(const Recording& recording, size_t number) {
  const RecordedCall& call = recording.trace->calls()[number];
  const Step& step = step_of(recording, number);
  const std::string scope = recording.trace->scope_of(call);
  return fmt::format(
      "{}{}{}; step {}, {}", call.op->name, scope.empty() ? "" : " in " + scope,
      call.in_backward ? ", going backward through " + node_name(*recording.trace, call.backward_of) : "",
      step.place(), step.id);
}

[[noreturn]] void tell(const Recording& recording, size_t call, const Snapshot& result, const Dims& cell) {
  const bool by_hand = is_by_hand(*recording.trace, result, cell);
  fail("the first nan is {} {}; cell {} of shape {}", by_hand ? "put by hand into the result of" : "made by",
       place(recording, call), cell_text(cell), result.shape());
}

}  // namespace

void tell_anomaly(const Recording& recording, Output& out) {
  for (const Entry& entry : recording.given.entries)
    if (const auto cell = first_nan(entry.value->tensor(), [](const Dims&) { return true; }))
      fail("the first nan is given: {}{}", entry.name, cell_text(*cell));
  const auto& calls = recording.trace->calls();
  for (size_t i = 0; i < calls.size(); ++i)
    for (const Snapshot& result : calls[i].out) {
      // A view writes nothing: its numbers are new only if they were set by hand.
      const auto is_new = [&](const Dims& cell) {
        return !calls[i].is_view || is_by_hand(*recording.trace, result, cell);
      };
      if (const auto cell = first_nan(result.tensor(), is_new)) tell(recording, i, result, *cell);
    }
  out.write(fmt::format("no nan: {} calls in {} steps, {} backward passes\n", calls.size(),
                        recording.steps.size(), recording.passes.size()));
}

}  // namespace glassgrad::learn

#include "apps/learn/anomaly.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "apps/learn/address.h"
#include "engine/anomaly.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

// The first cell that is nan; none if there is none.
std::optional<Dims> first_nan(const Tensor& x) {
  const char* what = oddity(x);
  if (!what || what[0] != 'n') return {};
  const std::vector<double> values = x.to_vector<double>();
  for (int64_t i = 0;; ++i)
    if (std::isnan(values[size_t(i)])) return index_of(x.shape(), i);
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
  return fmt::format(
      "{}{}{}; step {}, {}", call.op->name, call.scope.empty() ? "" : " in " + call.scope,
      call.in_backward ? ", going backward through " + node_name(*recording.trace, call.backward_of) : "",
      step.number, step.id);
}

[[noreturn]] void tell(const Recording& recording, size_t call, const Snapshot& result, const Dims& cell) {
  const Recorder& trace = *recording.trace;
  const bool by_hand = !trace.writer(result, cell) && trace.writer_before_hand(result, cell);
  fail("the first nan is {} {}; cell {} of shape {}", by_hand ? "put by hand into the result of" : "made by",
       place(recording, call), cell_text(cell), result.shape);
}

}  // namespace

void tell_anomaly(const Recording& recording, Output& out) {
  for (const Entry& entry : recording.given.entries)
    if (const auto cell = first_nan(entry.value->tensor()))
      fail("the first nan is given: {}{}", entry.name, cell_text(*cell));
  const std::vector<RecordedCall>& calls = recording.trace->calls();
  for (size_t i = 0; i < calls.size(); ++i) {
    if (std::string_view(calls[i].op->name).starts_with("empty")) continue;
    for (const Snapshot& result : calls[i].out)
      if (const auto cell = first_nan(result.tensor())) tell(recording, i, result, *cell);
  }
  out.write(fmt::format("no nan: {} calls in {} steps, {} backward passes\n", calls.size(),
                        recording.steps.size(), recording.losses.size()));
}

}  // namespace glassgrad::learn

#include "apps/learn/slope.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "apps/learn/backward.h"
#include "apps/learn/backward_names.h"
#include "engine/double_precision.h"
#include "engine/ops.h"
#include "engine/why.h"

namespace glassgrad::learn {
namespace {

// Ends a run that has answered. No std::exception: nobody on the way may take it for a failure.
struct Answered {};

double& cell_of(const Tensor& x, const Dims& cell) {
  return x.raw().as<double>()[place_of_index(cell, x.strides())];
}

// Gives a view memory of its own, so that what else looks at the old one does not change with it.
void part_from_base(const Tensor& view) {
  const Tensor own = clone(view.detach());
  view->storage = own->storage;
  view->strides = own->strides;
  view->offset = own->offset;
}

}  // namespace

Rerun::Rerun(const Lesson& lesson, const Settings& settings, std::optional<uint64_t> cotangent_seed)
    : lesson_(lesson), settings_(settings), cotangent_seed_(cotangent_seed) {
  const DoublePrecision precise;
  if (settings_.inputs) settings_.inputs = to(settings_.inputs, float64);
  recording_ =
      record(lesson_, settings_, Keep::Backward, {.loss = [this](const Tensor& x) { return number_of(x); }});
}

Tensor Rerun::number_of(const Tensor& x) const {
  if (x.dim() == 0) return x;
  if (!cotangent_seed_) return sum(x);
  Generator g(*cotangent_seed_);
  return sum(x * randn(x.shape(), float64, g));
}

// Calls of losses' passes are not made in a run that only asks for one loss; and how many calls another
// backward pass takes depends on who holds its tensors.
size_t Rerun::count_of(size_t call) const {
  const std::vector<RecordedCall>& calls = recording_.trace->calls();
  size_t count = 0;
  for (size_t c = 0; c < call; ++c) count += !calls[c].in_backward;
  for (const Loss& loss : recording_.losses)
    for (size_t c = loss.first.call; c < loss.last.call && c < call; ++c) count -= !calls[c].in_backward;
  return count;
}

std::optional<Rerun::Place> Rerun::place_of(const Value& x, const Dims& cell) const {
  const std::vector<RecordedCall>& calls = recording_.trace->calls();
  if (x.made_by == 0) {  // a leaf: where its memory was written
    const auto written = recording_.trace->writer(x, cell);
    return written ? std::optional(Place{count_of(written->call), written->out, written->index})
                   : std::nullopt;
  }
  for (size_t c = 0; c < calls.size(); ++c)
    if (calls[c].node == x.made_by && x.nr < calls[c].out.size() && same_elements(calls[c].out[x.nr], x))
      return Place{count_of(c), x.nr, cell};
  return {};
}

bool Rerun::is_input(const Value& x) const {
  return settings_.inputs && x.made_by == 0 && x.buffer->storage == root_storage(settings_.inputs) &&
         x.shape == settings_.inputs.shape() && x.strides == settings_.inputs.strides();
}

double Rerun::loss_at(size_t loss, const std::optional<Place>& place, const Dims& cell, double change) const {
  const DoublePrecision precise;
  Settings settings = settings_;
  if (settings.inputs) settings.inputs = clone(settings_.inputs);
  if (!place) cell_of(settings.inputs, cell) += change;
  size_t calls = 0, losses = 0;
  double answer = 0;
  Guest guest;
  guest.op = [&](const Call& call) {
    if (!place || call.backward_of || calls++ != place->call) return;
    const Tensor& y = call.out[place->out];
    const auto same_memory = [&](const Tensor* x) { return *x && (*x)->storage == y->storage; };
    const bool in_place =
        std::any_of(call.in.begin(), call.in.end(), [&](const Tensor* x) { return x->ref() == y.ref(); });
    if (!in_place && std::any_of(call.in.begin(), call.in.end(), same_memory)) part_from_base(y);
    cell_of(y, place->cell) += change;
  };
  guest.loss = [&](const Tensor& x) {
    if (losses++ != loss) return Tensor();
    answer = number_of(x).item();
    throw Answered();
  };
  try {
    record(lesson_, settings, Keep::Steps, guest);
  } catch (const Answered&) {
    return answer;
  }
  throw std::logic_error("the lesson did not come to its loss again");
}

std::optional<Moved> Rerun::move(size_t loss, const Value& x, const Dims& cell, double step) const {
  const std::optional<Place> place = place_of(x, cell);
  if (!place && !is_input(x)) return {};
  return Moved{loss_at(loss, place, cell, step), loss_at(loss, place, cell, -step), step};
}

CellSlope slope_of(const Lesson& lesson, const Settings& settings, const Recording& forward,
                   const Address& address, double step) {
  check(!forward.losses.empty(), "the lesson {} names no loss that a gradient could be of", lesson.id);
  const auto gradient = gradient_of(forward, *address.entry->value);
  const size_t loss = gradient ? gradient->loss : forward.losses.size() - 1;
  CellSlope slope{.loss = forward.losses[loss].name, .gradient = {}, .precise = {}, .moved = {}};
  if (gradient) slope.gradient = to_double(element(gradient->value.tensor(), address.cell));

  const Rerun rerun(lesson, settings);
  const Address again =
      find_tensor(rerun.recording(), fmt::format("{}:{}", address.step->id, address.entry->name));
  const Value& x = *again.entry->value;
  if (const auto precise = gradient_of(rerun.recording(), x))
    slope.precise = to_double(element(precise->value.tensor(), address.cell));
  slope.moved = rerun.move(loss, x, address.cell, step);
  return slope;
}

}  // namespace glassgrad::learn

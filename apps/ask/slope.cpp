#include "apps/ask/slope.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "apps/ask/backward.h"
#include "engine/core/default_float64.h"
#include "engine/glass/why.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

// Thrown to end a run once its result is known. Not a std::exception, so that no handler in between treats it
// as an error.
struct Answered {};

}  // namespace

Rerun::Rerun(Runner runner, std::optional<uint64_t> cotangent_seed)
    : runner_(std::move(runner)), cotangent_seed_(cotangent_seed) {
  const DefaultFloat64 precise;
  Patch patch;
  patch.sentences = false;
  patch.loss = [this](const Tensor& x) { return number_of(x); };
  recording_ = runner_(Keep::Backward, patch);
}

Tensor Rerun::number_of(const Tensor& x) const {
  if (x.dim() == 0) return x;
  if (!cotangent_seed_) return sum(x);
  Generator g(*cotangent_seed_);
  return sum(x * randn(x.shape(), float64, g));
}

double Rerun::loss_at(size_t loss, const Origin& cell, double change) const {
  const DefaultFloat64 precise;
  Patch patch;
  patch.sentences = false;
  poke(patch, recording_, cell, {.dtype = float64, .real = change}, PokeKind::AddedAlone);
  size_t losses = 0;
  double answer = 0;
  patch.loss = [&](const Tensor& x) {
    if (losses++ != loss) return Tensor();
    answer = number_of(x).item();
    throw Answered();
  };
  try {
    runner_(Keep::Steps, patch);
  } catch (const Answered&) {
    return answer;
  }
  throw std::logic_error("the run did not come to its loss again");
}

std::optional<CentralDifference> Rerun::move(size_t loss, const Value& x, const Dims& cell,
                                             double step) const {
  const std::optional<Origin> at = origin_of_tensor(recording_, x, cell);
  if (!at || x.dtype() != float64) return {};
  return CentralDifference{loss_at(loss, *at, step), loss_at(loss, *at, -step), step};
}

CellSlope slope_of(const Runner& runner, const Recording& forward, const Address& address, double step) {
  check_losses(forward);
  const auto gradient = gradient_of(forward, *address.entry->value);
  const size_t loss = gradient ? gradient->loss : forward.passes.size() - 1;
  CellSlope slope{.loss = forward.passes[loss].name, .gradient = {}, .precise = {}, .moved = {}};
  if (gradient) slope.gradient = to_double(element(gradient->value.tensor(), address.cell));

  const Rerun rerun(runner);
  const Address again =
      find_tensor(rerun.recording(), fmt::format("{}:{}", address.step->id, address.entry->name));
  const Value& x = *again.entry->value;
  if (const auto precise = gradient_of(rerun.recording(), x))
    slope.precise = to_double(element(precise->value.tensor(), address.cell));
  slope.moved = rerun.move(loss, x, address.cell, step);
  return slope;
}

}  // namespace glassgrad::learn

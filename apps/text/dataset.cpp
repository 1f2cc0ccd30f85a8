#include "dataset.h"

#include <vector>

#include "engine/core/error.h"
#include "engine/ops.h"

namespace glassgrad {

Dataset::Dataset(std::unique_ptr<const TokenSequence> tokens, double validation)
    : tokens_(std::move(tokens)) {
  check<ValueError>(validation >= 0 && validation < 1,
                    "the share for validation is at least 0 and below 1, not {}", validation);
  training_ = static_cast<int64_t>(static_cast<double>(tokens_->size()) * (1 - validation));
}

Dataset::Dataset(std::unique_ptr<const TokenSequence> training,
                 std::unique_ptr<const TokenSequence> validation)
    : training_(training->size()) {
  tokens_ = joined(std::move(training), std::move(validation));
}

int64_t Dataset::size(Part part) const {
  return part == Part::Training ? training_ : tokens_->size() - training_;
}

void Dataset::require(Part part, int64_t T) const {
  check<ValueError>(T >= 1, "a context has at least one token, not {}", T);
  const bool training = part == Part::Training;
  check(size(part) > T,
        "the text is too short: its part for {} has {} of its {} tokens, but a context of {} and the target "
        "behind it need {}; take a longer text, a shorter context or a {} share for validation",
        training ? "training" : "validation", size(part), tokens_->size(), T, T + 1,
        training ? "smaller" : "larger");
}

Batch Dataset::batch(Part part, int64_t B, int64_t T, Generator& g) const {
  require(part, T);
  std::vector<int64_t> places;
  {
    const DefaultDevice cpu(kCpu);  // the places are read on the CPU
    places = randint(0, size(part) - T, {B}, g).to_vector<int64_t>();
  }
  return batch_at(part, places, T);
}

Batch Dataset::batch_at(Part part, std::span<const int64_t> places, int64_t T) const {
  require(part, T);
  std::vector<int64_t> row(static_cast<size_t>(T) + 1), inputs, targets;
  for (const int64_t place : places) {
    check<IndexError>(place >= 0 && place < size(part) - T,
                      "a context of {} and its target cannot start at {} of {} tokens", T, place, size(part));
    tokens_->read(place + (part == Part::Training ? 0 : training_), row);
    inputs.insert(inputs.end(), row.begin(), row.end() - 1);
    targets.insert(targets.end(), row.begin() + 1, row.end());
  }
  const Dims shape{std::ssize(places), T};
  return {from_values(inputs, shape), from_values(targets, shape)};
}

}  // namespace glassgrad

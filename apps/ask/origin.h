// Finds where a number of a run comes from, so that the next run can change it there.
#pragma once
#include <optional>
#include <string>

#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

// The call that computed the number, or the input or parameter that holds it.
struct Origin {
  std::optional<CellOfCall> call;  // in the recording's trace
  std::string given;               // without a call: the name of the input or parameter …
  Dims cell = {};                  // … and the number's index in it

  friend bool operator==(const Origin&, const Origin&) = default;
};

// The recording must have kept its calls. Returns none if the number was computed outside the recording, or
// in the backward pass of a loss.
std::optional<Origin> origin(const Recording& recording, const SnapshotElement& cell);
// Returns the origin of the tensor's cell instead of the memory's: for a view, the call that made the view,
// not the call that wrote the memory.
std::optional<Origin> origin_of_tensor(const Recording& recording, const Value& x, const Dims& cell);

// How a poke changes the number.
enum class PokeKind : uint8_t {
  Set,        // replaces the number in every tensor that shares its memory
  AddedAlone  // adds the value in this tensor alone
};
// Makes the patch change the number. Runs with the patch may have different backward passes of losses, or
// none. `value` must have the dtype of the tensor.
void poke(Patch& patch, const Recording& recording, const Origin& origin, const Scalar& value, PokeKind how);

}  // namespace glassgrad::learn

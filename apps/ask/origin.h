// Where a number of a run comes from, for those who want it to be another one in the next run.
#pragma once
#include <optional>
#include <string>

#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

// A call has come to it, or the run was given it.
struct Origin {
  std::optional<CellOfCall> call;  // of the recording's trace
  std::string given;               // without a call: in what the run was given under this name …
  Dims cell = {};                  // … which number

  friend bool operator==(const Origin&, const Origin&) = default;
};

// The recording has kept its calls. none: the number was computed out of its sight, or by the backward pass
// of a loss.
std::optional<Origin> origin(const Recording& recording, const Element& cell);
// Of the tensor x, not of its memory: of a view the call that made it, whoever has written what it looks at.
std::optional<Origin> origin_of_tensor(const Recording& recording, const Value& x, const Dims& cell);

// What a poke does to the number.
enum class PokeKind : uint8_t {
  Set,        // it is the value, and so it is wherever its memory is looked at
  AddedAlone  // the value is added in this tensor alone
};
// Makes the number another one in the runs with this patch, which may make other backward passes of
// losses, or none.
// `value` has the dtype of the tensor.
void poke(Patch& patch, const Recording& recording, const Origin& origin, const Scalar& value, PokeKind how);

}  // namespace glassgrad::learn

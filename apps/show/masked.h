// The cells of a table of queries and keys that a mask has removed: scores that became -inf, and weights that
// are 0 because of that. A weight that dropout made 0 is not masked.
#pragma once
#include <memory>

#include "apps/lesson/recording.h"

namespace glassgrad::learn {

class Masked {
 public:
  // If the recording has no calls, only -inf counts as masked.
  Masked(const Recording& recording, const Entry& entry);

  bool is_possible() const { return is_possible_; }  // floats whose last two axes are query and key
  bool at(const Dims& index) const;

 private:
  std::shared_ptr<const Recorder> trace_;
  Snapshot x_;
  bool is_possible_ = false;
};

// Returns whether its last two dimensions are queries and keys.
bool is_query_by_key(const Entry& entry);

constexpr const char* kMaskedBlock = "\u2591";  // a light shade

}  // namespace glassgrad::learn

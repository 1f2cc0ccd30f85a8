// Counts every allocation of a program: allocations.cpp replaces operator new.
#pragma once
#include <cstdint>

namespace testing {

struct Allocations {
  int64_t refuse_at = -1;         // the allocation to refuse, from now on; -1: none
  int64_t made = 0, asked = 0;    // since the start: number and bytes of all allocations
  int64_t blocks = 0, bytes = 0;  // currently held
  int64_t most_bytes = 0;         // the peak; the reader resets it
};
extern Allocations allocations;

}  // namespace testing

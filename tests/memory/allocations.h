// Every allocation of a program, counted: allocations.cpp replaces operator new.
#pragma once
#include <cstdint>

namespace testing {

struct Allocations {
  int64_t refuse_at = -1;         // the one to refuse, counted from now; -1: none
  int64_t made = 0, asked = 0;    // since the start: how many, and their bytes
  int64_t blocks = 0, bytes = 0;  // at this moment
  int64_t most_bytes = 0;         // at any moment; whoever asks sets it back
};
extern Allocations allocations;

}  // namespace testing

// Generators try a part of their cases, or all of them where GLASSGRAD_THOROUGH is set, as `make test-rest`
// sets it.
#pragma once
#include <cstddef>
#include <cstdlib>

inline bool is_thorough() { return std::getenv("GLASSGRAD_THOROUGH") != nullptr; }

// Of many cases one in n is tried: each of them where all are wanted, fewer with sanitizers.
inline size_t one_in(size_t n) {
#ifdef GLASSGRAD_SANITIZED
  n *= 5;
#endif
  return is_thorough() ? 1 : n;
}

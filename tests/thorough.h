// Generators try a part of their cases, or all of them where GLASSGRAD_THOROUGH is set, as `make test-rest`
// sets it.
#pragma once
#include <cstddef>
#include <cstdlib>

inline bool is_thorough() { return std::getenv("GLASSGRAD_THOROUGH") != nullptr; }

#ifdef GLASSGRAD_SANITIZED
inline constexpr bool kSanitized = true;  // all takes about ten times as long
#else
inline constexpr bool kSanitized = false;
#endif

// Of many cases one in n is tried: each of them where all are wanted, fewer with sanitizers.
inline size_t one_in(size_t n) { return is_thorough() ? 1 : kSanitized ? 5 * n : n; }

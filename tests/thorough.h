// Test generators try only some of their cases, or all if GLASSGRAD_THOROUGH is set, as in `make test-long`.
#pragma once
#include <cstddef>
#include <cstdlib>

inline bool is_thorough() { return std::getenv("GLASSGRAD_THOROUGH") != nullptr; }

#ifdef GLASSGRAD_SANITIZED
inline constexpr bool kSanitized = true;  // all takes about ten times as long
#else
inline constexpr bool kSanitized = false;
#endif

// Returns n to try one case in n; 1 if thorough; 10n with sanitizers.
inline size_t one_in(size_t n) { return is_thorough() ? 1 : kSanitized ? 10 * n : n; }

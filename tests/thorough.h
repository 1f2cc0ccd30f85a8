// Generators try a part of their cases, or all of them if GLASSGRAD_THOROUGH is set, as in `make test-long`.
#pragma once
#include <cstddef>
#include <cstdlib>

inline bool is_thorough() { return std::getenv("GLASSGRAD_THOROUGH") != nullptr; }

#ifdef GLASSGRAD_SANITIZED
inline constexpr bool kSanitized = true;  // all takes about ten times as long
#else
inline constexpr bool kSanitized = false;
#endif

// Try one case in n: every case if thorough, a fifth as many with sanitizers.
inline size_t one_in(size_t n) { return is_thorough() ? 1 : kSanitized ? 5 * n : n; }

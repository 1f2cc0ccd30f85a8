// The number of threads and the instruction set that the engine computes with.
#pragma once

namespace glassgrad {

inline constexpr int kMostThreads = 256;

// The number of threads that share a large op, including the caller's. The default is the environment
// variable GLASSGRAD_THREADS, or else the number of cores that this process may use. It does not change a bit
// of any result. Throws ValueError if GLASSGRAD_THREADS is not an integer from 1 to 256.
int threads();

// Sets the number of threads; with 1, every op runs on its caller's thread alone. Throws ValueError unless 1
// ≤ n ≤ 256. Threads start with the first op that is large enough to need them.
void set_threads(int n);

// Callbacks of the language that calls the engine. They run on the calling thread during long work.
struct HostCallbacks {
  void* (*begin)() noexcept = nullptr;    // before a loop that is long enough to be shared: releases a lock
  void (*end)(void*) noexcept = nullptr;  // after it, with begin's result: takes the lock again
  void (*check_interrupt)() = nullptr;    // between the steps of a backward; throws to end the pass
};
extern constinit HostCallbacks host;  // set once, before the first op

// The thread that calls an op calls `look` between the pieces of its long loops, some ten microseconds apart.
// An exception that `look` throws ends the op and leaves its output unspecified.
struct LoopWatch {
  void (*look)(const void* of) = nullptr;
  const void* of = nullptr;
};
extern thread_local constinit LoopWatch loop_watch;  // empty at first; set for a scope by ForScope

// "avx512", "avx2", "neon" or "portable": the best that both this processor and this build support, or the
// one that the environment variable GLASSGRAD_CPU names. It does not change a bit of any result. Throws
// ValueError if GLASSGRAD_CPU names one that is not available.
const char* instruction_set();

}  // namespace glassgrad

// What the engine computes with: how many threads, which instructions.
#pragma once

namespace glassgrad {

inline constexpr int kMostThreads = 256;

// The number of threads that a large op is shared among, the caller's own included. At first it is that of
// the environment variable GLASSGRAD_THREADS, or else the number of cores this process may use. No result
// depends on it, bit for bit. ValueError if GLASSGRAD_THREADS is no integer from 1 to 256.
int threads();

// Sets it; 1 lets every op run on its caller alone. ValueError unless 1 ≤ n ≤ 256. Threads start with the
// first op that is large enough to need them.
void set_threads(int n);

// What the language that the engine is called from wants done during long work, on the thread that it called
// on.
struct Host {
  void* (*begin)() noexcept = nullptr;    // before a loop long enough to be shared: lets go of a lock …
  void (*end)(void*) noexcept = nullptr;  // … and takes it again after it, given what begin gave
  void (*check_interrupt)() = nullptr;    // between the steps of a backward; throws to end it
};
extern constinit Host host;  // set once, before the first op

// Asked by the thread that calls an op, between the pieces of its long loops, some ten microseconds apart.
// What `look` throws ends the op: it is no result, and what it was to be written to holds anything.
struct LoopWatch {
  void (*look)(const void* of) = nullptr;
  const void* of = nullptr;
};
extern thread_local constinit LoopWatch loop_watch;  // nobody's at first; set for a scope by ForScope

// "avx512", "avx2" or "portable": the best that this processor and this build have, or what the environment
// variable GLASSGRAD_CPU asks for. No result depends on it, bit for bit. ValueError if GLASSGRAD_CPU names
// none that there is here.
const char* instruction_set();

}  // namespace glassgrad

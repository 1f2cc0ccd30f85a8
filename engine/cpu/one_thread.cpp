// Replaces parallel.cpp in a web page, where the program has one thread.
#include "../core/error.h"
#include "../core/threads.h"
#include "parallel.h"

namespace glassgrad {

constinit HostCallbacks host;
thread_local constinit LoopWatch loop_watch;

int threads() { return 1; }

void set_threads(int n) { check<ValueError>(n == 1, "the number of threads must be 1 here, but is {}", n); }

int64_t sharing_threads() { return 1; }

void run_pieces(int64_t n, int64_t piece, const Body& body) {
  for (int64_t at = 0; at < n; at += piece) {
    if (loop_watch.look) loop_watch.look(loop_watch.of);
    body.run(body.self, at, at + piece < n ? at + piece : n);
  }
}

}  // namespace glassgrad

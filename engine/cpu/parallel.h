// Loops cut into fixed pieces, which the threads of one pool share.
#pragma once
#include <cstddef>
#include <cstdint>

#include "../core/types.h"

namespace glassgrad {

// A body called on [first, last).
struct Body {
  void (*run)(const void* self, int64_t first, int64_t last);
  const void* self;
};
void run_pieces(int64_t n, int64_t piece, const Body& body);

// Calls f(first, last) for the pieces of 0 … n−1, `piece` numbers each and the last one what is left, in any
// order and on any threads; returns when all are done. The pieces are the same for any number of threads. One
// piece alone runs on the caller. So does everything inside a piece and, while another caller's pieces run,
// everything a second one brings. Of the exceptions that pieces throw, the caller gets that of the first
// piece.
template <class F>
GG_INLINE void parallel(int64_t n, int64_t piece, const F& f) {
  if (n > piece)
    run_pieces(
        n, piece,
        {[](const void* self, int64_t first, int64_t last) { (*static_cast<const F*>(self))(first, last); },
         &f});
  else if (n > 0)
    f(int64_t{0}, n);
}

struct Range {
  int64_t first, last;

  int64_t size() const { return last - first; }
};
// Part i of 0 … n−1, which are cut into `parts` as even as whole units can be.
GG_INLINE Range part_of(int64_t i, int64_t parts, int64_t n, int64_t unit) {
  if (parts == 1) return {0, n};
  const int64_t units = (n + unit - 1) / unit, last = units * (i + 1) / parts * unit;
  return {units * i / parts * unit, last < n ? last : n};
}

// How many threads would share pieces now, where they may be cut as it suits: 1 inside a piece.
int64_t sharing_threads();

// How many items of so much work each make a piece that is worth a thread's attention; an item's work is
// counted in numbers that are read, or some such simple steps.
GG_INLINE int64_t piece_of(int64_t work_per_item) {
  constexpr int64_t kWorthwhile = 16384;
  return work_per_item < kWorthwhile ? kWorthwhile / (work_per_item > 0 ? work_per_item : 1) : 1;
}

// ---- memory of a thread (scratch.cpp)
// At least so many bytes that are the calling thread's for as long as it lives, aligned to 64; what another
// call for the same use has put there may be overwritten. Outside the *.isa.cpp files, so that all
// instruction sets share one.
enum class ScratchFor : uint8_t { Panels, Scores };
void* thread_scratch(size_t bytes, ScratchFor use);

// A number that no other packing has, by which a thread knows what it has packed.
uint64_t new_packing();

}  // namespace glassgrad

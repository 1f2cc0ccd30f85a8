// Cuts loops into fixed pieces, which the threads of one pool share.
#pragma once
#include <cstddef>
#include <cstdint>

#include "../core/types.h"

namespace glassgrad {

// A function to call on [first, last), with its closure.
struct Body {
  void (*run)(const void* self, int64_t first, int64_t last);
  const void* self;
};
void run_pieces(int64_t n, int64_t piece, const Body& body);

// Calls f(first, last) for the pieces of 0 … n−1, `piece` numbers each (the last may be shorter), in any
// order and on any threads; returns when all are done. The number of threads does not change the pieces. All
// pieces run on the caller's thread if there is only one, if the caller is itself inside a piece, or while
// the pool works for a different caller. If pieces throw, the caller gets the exception of the first of them.
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
// Returns part i of 0 … n−1, cut into `parts` parts that are as even as whole units allow.
GG_INLINE Range part_of(int64_t i, int64_t parts, int64_t n, int64_t unit) {
  if (parts == 1) return {0, n};
  const int64_t units = (n + unit - 1) / unit, last = units * (i + 1) / parts * unit;
  return {units * i / parts * unit, last < n ? last : n};
}

// How many threads would share pieces now (1 inside a piece), for callers that choose their cuts accordingly.
int64_t sharing_threads();

// Returns how many items make a piece that is worth a thread, given the work per item: numbers read, or steps
// of similar cost.
GG_INLINE int64_t piece_of(int64_t work_per_item) {
  constexpr int64_t kWorthwhile = 16384;
  return work_per_item < kWorthwhile ? kWorthwhile / (work_per_item > 0 ? work_per_item : 1) : 1;
}

// ---- memory of a thread (scratch.cpp)
// Returns at least this many bytes, aligned to 64, which the calling thread owns as long as it lives. The
// next call for the same use returns the same memory. Defined outside the *.isa.cpp files, so that all
// instruction sets share it.
enum class ScratchFor : uint8_t { Panels, Scores };
void* thread_scratch(size_t bytes, ScratchFor use);

// Returns a new number that identifies a packing, so that a thread recognises panels it has already packed.
uint64_t new_packing();

}  // namespace glassgrad

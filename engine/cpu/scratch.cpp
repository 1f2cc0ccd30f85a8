// Scratch memory of each thread, for packed panels and for scores.
#include "parallel.h"

#include <atomic>
#include <new>

namespace glassgrad {
namespace {

constexpr std::align_val_t kAligned{64};

struct Scratch {
  void* data = nullptr;
  size_t bytes = 0;

  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { ::operator delete(data, kAligned); }
};

}  // namespace

void* thread_scratch(size_t bytes, ScratchFor use) {
  thread_local Scratch scratches[2];
  Scratch& scratch = scratches[int(use)];
  constexpr size_t kUnit = size_t{1} << 20;  // growth in small steps would fragment the heap
  if (bytes > scratch.bytes) {
    bytes = (bytes + kUnit - 1) / kUnit * kUnit;
    ::operator delete(scratch.data, kAligned);
    scratch.data = nullptr, scratch.bytes = 0;
    scratch.data = ::operator new(bytes, kAligned);
    scratch.bytes = bytes;
  }
  return scratch.data;
}

uint64_t new_packing() {
  static std::atomic<uint64_t> packings = 0;
  return ++packings;
}

}  // namespace glassgrad

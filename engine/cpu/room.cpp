#include "room.h"

#include <atomic>
#include <new>

namespace glassgrad {
namespace {

constexpr std::align_val_t kAligned{64};

struct Room {
  void* data = nullptr;
  size_t bytes = 0;

  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { ::operator delete(data, kAligned); }
};

}  // namespace

void* room_of_thread(size_t bytes) {
  thread_local Room room;
  if (bytes > room.bytes) {
    ::operator delete(room.data, kAligned);
    room.data = nullptr, room.bytes = 0;
    room.data = ::operator new(bytes, kAligned);
    room.bytes = bytes;
  }
  return room.data;
}

uint64_t new_packing() {
  static std::atomic<uint64_t> packings = 0;
  return ++packings;
}

}  // namespace glassgrad

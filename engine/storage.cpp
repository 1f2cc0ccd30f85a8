#include "storage.h"

#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define GG_POOL 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GG_POOL 0
#endif
#endif
#ifndef GG_POOL
#define GG_POOL 1
#endif

namespace glassgrad {
namespace {

constexpr size_t kStep = 64, kLargest = 2048;
constexpr std::align_val_t kAlign{64};

std::atomic<uint64_t> storage_ids{0};
std::atomic<int64_t> storages_alive{0};

#if GG_POOL
struct FreeBlock {
  FreeBlock* next;
};

// Free lists by size. `closed` guards blocks that static tensors give back after the thread's lists are gone.
struct Pool {
  FreeBlock* lists[kLargest / kStep + 1] = {};
  bool closed = false;
};
thread_local constinit Pool pool;

// Returns the lists to the system when the thread ends.
struct PoolCloser {
  ~PoolCloser() {
    pool.closed = true;
    for (auto& list : pool.lists)
      while (FreeBlock* block = list) {
        list = block->next;
        ::operator delete(block, kAlign);
      }
  }
};
#endif

constexpr size_t size_class(size_t bytes) { return (bytes + kStep - 1) / kStep; }

}  // namespace

void* take_block(size_t bytes) {
  const size_t c = size_class(bytes);
#if GG_POOL
  if (c <= kLargest / kStep) [[likely]] {
    if (FreeBlock* block = pool.lists[c]) [[likely]] {
      pool.lists[c] = block->next;
      return block;
    }
    thread_local PoolCloser closer;
    (void)closer;
  }
#endif
  return ::operator new(c* kStep, kAlign);
}

void give_block(void* block, size_t bytes) noexcept {
#if GG_POOL
  const size_t c = size_class(bytes);
  if (c <= kLargest / kStep && !pool.closed) [[likely]] {
    pool.lists[c] = new (block) FreeBlock{pool.lists[c]};
    return;
  }
#else
  (void)bytes;
#endif
  ::operator delete(block, kAlign);
}

namespace {

constexpr size_t kHeader = 64;  // padded, so that the bytes behind it stay aligned
static_assert(sizeof(Storage) <= kHeader);

Ref<Storage> make_storage(void* block, size_t bytes, void* data, Device device) {
  auto* s = new (block) Storage;
  s->device = device;
  s->id = 1 + storage_ids.fetch_add(1, std::memory_order_relaxed);
  s->bytes = bytes;
  s->data = data;
  storages_alive.fetch_add(1, std::memory_order_relaxed);
  return Ref<Storage>(s);
}

}  // namespace

int64_t Storage::alive() { return storages_alive.load(std::memory_order_relaxed); }

Ref<Storage> new_storage(size_t bytes, Device device) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  char* block = static_cast<char*>(take_block(kHeader + bytes));
  return make_storage(block, bytes, block + kHeader, device);
}

Ref<Storage> alias_storage(const Ref<Storage>& storage) {
  Ref<Storage> s = make_storage(take_block(kHeader), storage->bytes, storage->data, storage->device);
  s->owner = storage->owner ? storage->owner : storage;
  return s;
}

void release(Storage* s) noexcept {
  if (!s->drop()) return;
  storages_alive.fetch_sub(1, std::memory_order_relaxed);
  const size_t bytes = kHeader + (s->owner ? 0 : s->bytes);
  s->~Storage();
  give_block(s, bytes);
}

}  // namespace glassgrad

#include "storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>

#include "gpu.h"

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

thread_local constinit bool inference_mode = false;
namespace {

constexpr size_t kStep = 64;
constexpr std::align_val_t kAlign{64};

// The counts that a new storage updates. Each thread has its own, so that no locked instruction is needed. A
// thread takes storage ids a range at a time, and adds `alive` to the total when it ends.
struct Counts {
  uint64_t next_id = 0, end_of_ids = 0;
  int64_t alive = 0;
  int64_t left = INT64_MAX;  // bytes left under a StorageLimit; not counted without one
};
thread_local constinit Counts counts;
std::atomic<uint64_t> ids_taken{0};
std::atomic<int64_t> alive_of_ended_threads{0};

struct CountsCloser {
  ~CountsCloser() { alive_of_ended_threads += std::exchange(counts.alive, 0); }
};
void add_up_at_end() {
  thread_local CountsCloser closer;
  (void)closer;
}

uint64_t next_id() {
  constexpr uint64_t kRange = 1 << 16;
  if (counts.next_id == counts.end_of_ids) [[unlikely]] {
    add_up_at_end();
    counts.next_id = ids_taken.fetch_add(kRange, std::memory_order_relaxed);
    counts.end_of_ids = counts.next_id + kRange;
  }
  return 1 + counts.next_id++;
}

#if GG_POOL
constexpr size_t kLargestSmall = 2048;

struct FreeBlock {
  FreeBlock* next;
};
template <class F>
void empty(FreeBlock*& list, F release) noexcept {
  while (FreeBlock* const block = list) {
    list = block->next;
    release(block);
  }
}

// Free lists by size. `closed` is for static tensors that free blocks after the thread's lists are gone.
struct Pool {
  FreeBlock* lists[kLargestSmall / kStep + 1] = {};
  bool closed = false;
};
thread_local constinit Pool pool;

// Returns the lists to the system when the thread ends.
struct PoolCloser {
  ~PoolCloser() {
    pool.closed = true;
    for (auto& list : pool.lists) empty(list, [](void* block) { ::operator delete(block, kAlign); });
  }
};

// Large blocks, shared by all threads, in four sizes per doubling. Free blocks are kept, because the system
// is slow to hand out pages and each training step needs the same blocks. At most 1 GiB is kept, or the most
// bytes that were in use at a time if that is more; all are freed when the system runs out. The largest
// blocks use huge pages, to save TLB misses in products that walk down a matrix's columns. Each of these is a
// separate mapping: heap memory would keep the huge-page advice after the block is freed.
class LargeBlocks {
 public:
  void* take(size_t bytes) {
    const Size size(bytes);
    {
      const std::lock_guard lock(mutex_);
      if (FreeBlock* const block = lists_[size.index]) {
        lists_[size.index] = block->next;
        kept_ -= size.bytes;
        note_use(size.bytes);
        return block;
      }
    }
    void* block = from_system(size);
    const std::lock_guard lock(mutex_);
    if (!block) {
      give_all_back();
      block = from_system(size);
    }
    if (!block) throw std::bad_alloc();
    note_use(size.bytes);
    return block;
  }

  void give(void* block, size_t bytes) noexcept {
    const Size size(bytes);
    const std::lock_guard lock(mutex_);
    used_ -= size.bytes;
    const size_t most_kept = std::max(kAlwaysKept, most_used_);
    if (size.bytes > most_kept) return to_system(block, size);
    if (kept_ + size.bytes > most_kept) give_all_back();
    lists_[size.index] = new (block) FreeBlock{lists_[size.index]};
    kept_ += size.bytes;
  }

  void give_back_kept() noexcept {
    const std::lock_guard lock(mutex_);
    give_all_back();
  }

 private:
  static constexpr size_t kAlwaysKept = size_t{1} << 30, kHugePage = size_t{1} << 21;

  // The smallest size that holds `wanted` bytes. Sizes are 5 … 8 times a power of two.
  struct Size {
    size_t bytes, index;
    explicit Size(size_t wanted) {
      const auto unit = size_t(std::bit_width(wanted - 1)) - 3;
      const size_t units = ((wanted - 1) >> unit) + 1;
      bytes = units << unit;
      index = unit * 4 + units - 5;
    }
#ifdef __EMSCRIPTEN__  // cannot unmap a part of a mapping
    bool huge() const { return false; }
#else
    bool huge() const { return bytes >= 2 * kHugePage; }
#endif
  };

  void note_use(size_t bytes) noexcept {
    used_ += bytes;
    most_used_ = std::max(most_used_, used_);
  }

  // Returns null if the system has no more memory. A system without huge pages uses small ones.
  static void* from_system(const Size& size) noexcept {
    if (!size.huge()) return ::operator new(size.bytes, kAlign, std::nothrow);
    const size_t room = size.bytes + kHugePage;
    void* const mapped = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    char* const begin = static_cast<char*>(mapped);
    const size_t before = -reinterpret_cast<uintptr_t>(begin) % kHugePage;
    if (before > 0) munmap(begin, before);
    munmap(begin + before + size.bytes, kHugePage - before);
    madvise(begin + before, size.bytes, MADV_HUGEPAGE);
    return begin + before;
  }
  static void to_system(void* block, const Size& size) noexcept {
    size.huge() ? void(munmap(block, size.bytes)) : ::operator delete(block, kAlign);
  }

  void give_all_back() noexcept {
    for (size_t i = 0; i < kLists; ++i)
      empty(lists_[i], [i](void* block) { to_system(block, Size((i % 4 + 5) << (i / 4))); });
    kept_ = 0;
  }

  static constexpr size_t kLists = 64 * 4;

  std::mutex mutex_;
  FreeBlock* lists_[kLists] = {};
  size_t kept_ = 0, used_ = 0, most_used_ = 0;
};
constinit LargeBlocks large_blocks;  // has no destructor, because static tensors may outlive it
#endif

constexpr size_t size_class(size_t bytes) { return (bytes + kStep - 1) / kStep; }

}  // namespace

#if GG_POOL
void* take_block(size_t bytes) {
  if (bytes > kLargestSmall) return large_blocks.take(bytes);
  const size_t c = size_class(bytes);
  if (FreeBlock* block = pool.lists[c]) [[likely]] {
    pool.lists[c] = block->next;
    return block;
  }
  thread_local PoolCloser closer;
  (void)closer;
  return ::operator new(c* kStep, kAlign);
}

void give_block(void* block, size_t bytes) noexcept {
  if (bytes > kLargestSmall) return large_blocks.give(block, bytes);
  if (pool.closed) return ::operator delete(block, kAlign);
  const size_t c = size_class(bytes);
  pool.lists[c] = new (block) FreeBlock{pool.lists[c]};
}

void give_back_kept_memory() noexcept { large_blocks.give_back_kept(); }
#else
void give_back_kept_memory() noexcept {}
void* take_block(size_t bytes) { return ::operator new(size_class(bytes) * kStep, kAlign); }
void give_block(void* block, size_t) noexcept { ::operator delete(block, kAlign); }
#endif

namespace {

constexpr size_t kHeader = 64;  // padded, so that the bytes after it stay aligned
static_assert(sizeof(Storage) <= kHeader);

Ref<Storage> make_storage(void* block, size_t bytes, void* data, Device device) {
  auto* s = new (block) Storage;
  s->device = device;
  s->id = next_id();
  s->bytes = bytes;
  s->data = data;
  s->for_inference = inference_mode;
  ++counts.alive;
  return Ref<Storage>(s);
}

}  // namespace

int64_t Storage::alive() { return counts.alive + alive_of_ended_threads.load(std::memory_order_relaxed); }

StorageLimit::StorageLimit(size_t bytes) noexcept : ForScope(counts.left, int64_t(bytes)) {}

namespace {

// Storages on Meta have no memory, but addresses of their own, where nothing lies: so overlaps are found.
Ref<Storage> meta_storage(size_t bytes) {
  static std::atomic<uintptr_t> next = ~uintptr_t{0} / 4;
  const uintptr_t at = next.fetch_add(bytes, std::memory_order_relaxed);
  return make_storage(take_block(kHeader), bytes, reinterpret_cast<void*>(at), kMeta);
}

}  // namespace

Ref<Storage> new_storage(size_t bytes, Device device) {
  // No process can have more, so the system is not asked. With 32 bits this still fits when rounded up.
  constexpr uint64_t kMostBytes = sizeof(size_t) == 4 ? 0x7000'0000 : 0x4000'0000'0000;
  if (bytes > kMostBytes) throw std::bad_alloc();
  if (device == kMeta) return meta_storage(bytes);
  if (int64_t(bytes) > counts.left) throw std::bad_alloc();
  if (is_cuda(device)) {
    void* const header = take_block(kHeader);
    try {
      return make_storage(header, bytes, gpu::take(bytes, device.index), device);
    } catch (...) {
      give_block(header, kHeader);
      throw;
    }
  }
  char* block = static_cast<char*>(take_block(kHeader + bytes));
  if (counts.left != INT64_MAX) counts.left -= int64_t(bytes);
#ifndef NDEBUG  // fills with nan, or -1, to reveal reads of uninitialised memory
  std::memset(block + kHeader, 0xff, bytes);
#endif
  return make_storage(block, bytes, block + kHeader, device);
}

Ref<Storage> foreign_storage(void* data, size_t bytes, const ForeignMemory& memory) {
  const Ref<Storage> owner = new_storage(sizeof memory);
  *static_cast<ForeignMemory*>(owner->data) = memory;
  owner->foreign = true;
  Ref<Storage> s = alias_storage(owner);
  s->bytes = bytes;
  s->data = data;
  return s;
}

Ref<Storage> alias_storage(const Ref<Storage>& storage) {
  Ref<Storage> s = make_storage(take_block(kHeader), storage->bytes, storage->data, storage->device);
  s->owner = storage->owner ? storage->owner : storage;
  s->for_inference = storage->for_inference;
  return s;
}

void release(Storage* s) noexcept {
  if (!s->drop()) return;
  if (--counts.alive < 0) [[unlikely]]
    add_up_at_end();  // a thread that only releases storages has not registered yet
  if (s->foreign) {
    const auto* memory = static_cast<const ForeignMemory*>(s->data);
    memory->give_back(memory->keeper);
  }
  if (counts.left != INT64_MAX && !s->owner && s->device != kMeta) counts.left += int64_t(s->bytes);
  if (is_cuda(s->device) && !s->owner) gpu::give(s->data, s->bytes, s->device.index);
  const size_t bytes = kHeader + (s->owner || s->device != kCpu ? 0 : s->bytes);
  s->~Storage();
  give_block(s, bytes);
}

}  // namespace glassgrad

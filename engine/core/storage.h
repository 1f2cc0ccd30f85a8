// Storages, and the reference counts and memory blocks of everything in the engine.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "device.h"

namespace glassgrad {

// Memory for the engine's own blocks, aligned to 64 bytes: small ones come from the thread's free lists,
// large ones from lists that all threads share, or from the system. take_block throws std::bad_alloc. Under
// AddressSanitizer every block comes from the system.
void* take_block(size_t bytes);
void give_block(void* block, size_t bytes) noexcept;

// The base of every reference-counted object. The count is atomic, but a sole owner frees without a locked
// instruction.
struct Counted {
  std::atomic<uint32_t> count{1};

  void retain() noexcept { count.fetch_add(1, std::memory_order_relaxed); }
  // Drops one owner; true when it was the last.
  bool drop() noexcept {
    return count.load(std::memory_order_acquire) == 1 || count.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  bool unique() const noexcept { return count.load(std::memory_order_acquire) == 1; }
};

// A counted reference to T. `release(T*)` drops one owner and destroys T with the last.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* owned) noexcept : p_(owned) {}  // takes over the reference that `owned` was created with
  Ref(const Ref& o) noexcept : p_(o.p_) {
    if (p_) p_->retain();
  }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_) release(p_);
  }
  // Adds an owner to an object that is known to be alive.
  static Ref share(T* p) noexcept {
    if (p) p->retain();
    return Ref(p);
  }

  T* get() const noexcept { return p_; }
  T* operator->() const noexcept { return p_; }
  T& operator*() const noexcept { return *p_; }
  explicit operator bool() const noexcept { return p_ != nullptr; }
  friend bool operator==(const Ref&, const Ref&) = default;

 private:
  T* p_ = nullptr;
};

// torch.inference_mode: storages that this thread makes while it is on are for inference only.
extern thread_local constinit bool inference_mode;

// A buffer. Header and bytes lie in one block, or `data` points into a block that `owner` keeps alive
// (a parameter arena, `.data`, another library's array).
struct Storage : Counted {
  uint32_t version = 0;  // +1 by every in-place op on any view of this storage
  Device device;
  bool foreign = false;        // the bytes hold a ForeignMemory
  bool for_inference = false;  // no node may save it, and only inference_mode may write it
  uint64_t id = 0;             // never reused: the trace identifies a value by (id, version, geometry)
  size_t bytes = 0;
  void* data = nullptr;                // on a GPU, an address that only kernels and copies can use
  const char* rewritten_by = nullptr;  // the node of the last recorded in-place op, for error texts
  Ref<Storage> owner;

  // How many storages this thread and the threads that have ended still hold. For tests.
  static int64_t alive();
};
void release(Storage*) noexcept;

// While the scope lives, this thread's buffers may take at most `bytes` in total. Freed bytes become
// available again. Beyond the limit, new_storage throws std::bad_alloc.
struct StorageLimit : ForScope<int64_t> {
  explicit StorageLimit(size_t bytes) noexcept;
};

// An uninitialised buffer. Throws std::bad_alloc; on a GPU, Error `CUDA out of memory. …`.
Ref<Storage> new_storage(size_t bytes, Device device = {});
// A buffer over foreign memory: calls give_back(keeper) when the last tensor releases it.
struct ForeignMemory {
  void (*give_back)(void* keeper) noexcept;
  void* keeper;
};
Ref<Storage> foreign_storage(void* data, size_t bytes, const ForeignMemory& memory);
// Returns a storage with the same bytes and a separate version counter.
Ref<Storage> alias_storage(const Ref<Storage>& storage);

// Returns unused large blocks to the system. The engine otherwise keeps them for the next training step.
void give_back_kept_memory() noexcept;

}  // namespace glassgrad

#include "tests/memory/allocations.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

testing::Allocations testing::allocations;

namespace {

using testing::Allocations, testing::allocations;

void* allocate(size_t size, size_t alignment) noexcept {
  Allocations& a = allocations;
  ++a.made;
  a.asked += static_cast<int64_t>(size);
  if (a.refuse_at >= 0 && a.refuse_at-- == 0) return nullptr;
  void* const p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (p) ++a.blocks, a.bytes += static_cast<int64_t>(malloc_usable_size(p));
  a.most_bytes = std::max(a.most_bytes, a.bytes);
  return p;
}
void* allocate_or_throw(size_t size, size_t alignment) {
  if (void* const p = allocate(size, alignment)) return p;
  throw std::bad_alloc();
}
void give_back(void* p) noexcept {
  if (!p) return;
  --allocations.blocks, allocations.bytes -= static_cast<int64_t>(malloc_usable_size(p));
  std::free(p);
}
constexpr size_t kPlain = alignof(std::max_align_t);

}  // namespace

void* operator new(size_t n) { return allocate_or_throw(n, kPlain); }
void* operator new[](size_t n) { return allocate_or_throw(n, kPlain); }
void* operator new(size_t n, const std::nothrow_t&) noexcept { return allocate(n, kPlain); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept { return allocate(n, kPlain); }
void* operator new(size_t n, std::align_val_t a) { return allocate_or_throw(n, size_t(a)); }
void* operator new(size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, size_t(a));
}
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, size_t) noexcept { give_back(p); }
void operator delete[](void* p, size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { give_back(p); }

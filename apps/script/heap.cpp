// Memory for objects, and the end of a run.
#include "apps/script/heap.h"

#include <algorithm>
#include <mutex>

#include "apps/script/types.h"

namespace glassgrad::script {

constinit thread_local Heap* current_heap = nullptr;

std::array<Heap*, kMostHeaps> heaps;

namespace {

std::mutex one_at_a_time;  // guards the places in `heaps`

uint16_t place_of(Heap* heap) {
  const std::scoped_lock lock(one_at_a_time);
  auto* const free = std::find(heaps.begin(), heaps.end(), nullptr);
  glassgrad::check(free != heaps.end(), "{} programs run already", kMostHeaps);
  *free = heap;
  return static_cast<uint16_t>(free - heaps.begin());
}

constexpr size_t kChunk = size_t{1} << 14, kChunksAtOnce = 16;

// Stands in for an object that has been freed, when the heap's last objects are destroyed.
constexpr auto kNothing = static_cast<Kind>(255);

}  // namespace

// Blocks of one size, which stand behind this header, at a multiple of kChunk. New objects come from one
// chunk as long as it has room, and in order if all before them are gone, so that neighbours are used
// together.
struct alignas(64) Heap::Chunk {
  struct Free {
    Free* next;
  };
  Chunk* later;  // the next in the list of open chunks
  Free* free;
  char* next;              // the blocks from here on have never been used, or are free again
  size_t bytes, used = 0;  // of a block; how many are in use
  bool open = true;

  char* first() { return reinterpret_cast<char*>(this + 1); }
  bool full() const { return !free && next + bytes > reinterpret_cast<const char*>(this) + kChunk; }
  static Chunk& of(void* block) {
    return *reinterpret_cast<Chunk*>(static_cast<char*>(block) - reinterpret_cast<uintptr_t>(block) % kChunk);
  }
};

Heap::Heap(size_t budget) : budget_(budget), id_(place_of(this)), outer_(std::exchange(current_heap, this)) {}

template <class F>
void Heap::each_object(F f) {
  const auto visit = [&](void* block) {
    auto* const x = static_cast<Object*>(block);
    ++x->count;
    f(x);
    return x;
  };
  for (size_t c = 0; c < taken_; ++c)
    for (char* block = chunks_[c]->first(); block != chunks_[c]->next; block += chunks_[c]->bytes)
      if (Object* const x = visit(block); --x->count == 0) release(x);
  for (Alone* a = alone_.after; a != &alone_;) {
    Object* const x = visit(a + 1);
    a = a->after;
    if (--x->count == 0) release(x);
  }
}

Heap::~Heap() {
  interpreter = nullptr;
  types_.reset();
  ending_ = true;
  for (size_t c = 0; c < taken_; ++c)
    while (Chunk::Free* const x = chunks_[c]->free) {
      chunks_[c]->free = x->next;
      ::new (x) Object(kNothing);
    }
  // Break reference cycles: each object drops its references while its count keeps it alive.
  each_object([](Object* x) { x->clear(); });
  each_object([](Object* x) { x->count = 1; });
  for (size_t c = 0; c < chunks_.size(); c += kChunksAtOnce)
    ::operator delete(chunks_[c], std::align_val_t(kChunk));
  current_heap = outer_;
  const std::scoped_lock lock(one_at_a_time);
  heaps[id_] = nullptr;
}

void Heap::check_interrupt() {
  work_ = 0;
  if (interpreter) interpreter->check_interrupt();
}

void Heap::charge(size_t bytes) {
  count_work(bytes);
  if (bytes > budget_ || used_ > budget_ - bytes) {
    // Making the error needs memory too.
    const size_t budget = std::exchange(budget_, budget_ + used_ + (1 << 16));
    Value error = new_exception(types().find("MemoryError")->object(), {});
    if (interpreter) interpreter->remember(static_cast<Exception&>(*error.object()));
    budget_ = budget;
    throw Raised{std::move(error)};
  }
  used_ += bytes;
}

// With AddressSanitizer, blocks are freed at once, so that it sees a use after free.
#if defined(__has_feature)
#define GG_HAS_FEATURE(x) __has_feature(x)
#else
#define GG_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || GG_HAS_FEATURE(address_sanitizer)
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif

void* Heap::allocate(size_t bytes) {
  const size_t units = (bytes + kUnit - 1) / kUnit;
  if (units > kUnits || !kKeepsBlocks) {
    auto* const a = new (::operator new(sizeof(Alone) + bytes)) Alone{&alone_, alone_.after};
    alone_.after = a->after->before = a;
    return a + 1;
  }
  Chunk* const c = open_[units] ? open_[units] : new_chunk(units);
  void* const block = c->free ? c->free : static_cast<void*>(c->next);
  if (c->free)
    c->free = c->free->next;
  else
    c->next += c->bytes;
  ++c->used;
  if (c->full()) {
    open_[units] = c->later;
    c->open = false;
  }
  return block;
}

Heap::Chunk* Heap::new_chunk(size_t units) {
  if (chunks_.size() == taken_) {
    auto* const memory = static_cast<char*>(::operator new(kChunksAtOnce* kChunk, std::align_val_t(kChunk)));
    for (size_t k = 0; k < kChunksAtOnce; ++k)
      chunks_.push_back(reinterpret_cast<Chunk*>(memory + k * kChunk));
  }
  Chunk* const c = new (chunks_[taken_]) Chunk{nullptr, nullptr, nullptr, units * kUnit};
  c->next = c->first();
  ++taken_;
  return open_[units] = c;
}

void Heap::free(void* block, size_t bytes) noexcept {
  const size_t units = (bytes + kUnit - 1) / kUnit;
  if (units > kUnits || !kKeepsBlocks) {
    Alone* const a = static_cast<Alone*>(block) - 1;
    a->before->after = a->after;
    a->after->before = a->before;
    return ::operator delete(a);
  }
  if (ending_) return void(::new (block) Object(kNothing));
  Chunk& c = Chunk::of(block);
  c.free = new (block) Chunk::Free{c.free};
  if (--c.used == 0) {
    c.free = nullptr;
    c.next = c.first();
  }
  if (c.open) return;
  c.open = true;
  c.later = std::exchange(open_[units], &c);
}

Types& Heap::types() {
  if (!types_) types_ = std::make_unique<Types>();
  return *types_;
}

void release(Object* x) noexcept {
  constexpr int kDeepest = 50;
  Heap& heap = x->heap();
  if (heap.releasing_ == kDeepest) return heap.doomed_.push_back(x);
  Heap* const outer = std::exchange(current_heap, &heap);
  ++heap.releasing_;
  delete x;
  if (heap.releasing_ == 1) {
    while (!heap.doomed_.empty()) {
      Object* const doomed = heap.doomed_.back();
      heap.doomed_.pop_back();
      delete doomed;
    }
  }
  --heap.releasing_;
  current_heap = outer;
}

}  // namespace glassgrad::script

// The memory of a run: its objects, and how much they may take.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace glassgrad::script {

struct Object;
struct Types;  // the builtin classes: types.h
class Heap;
class Interpreter;

enum class Kind : uint8_t {
  Str,
  Tuple,
  List,
  Dict,
  Set,
  Slice,
  Range,
  Iterator,
  Cell,
  Function,
  Builtin,
  BoundMethod,
  Class,
  Instance,
  Namespace,
  Tensor,
  DType,
  Device,
  Generator,
  DictView,
  Super,
  Descriptor,
};

extern constinit thread_local Heap* current_heap;  // the heap of the run in this thread

// Owns all objects of a run and limits their memory. Each run has one, the thread's current one meanwhile.
class Heap {
 public:
  explicit Heap(size_t budget);
  ~Heap();  // breaks reference cycles, then destroys all objects
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // Throws MemoryError beyond the budget. Tensors' storages come from the engine and are not counted here.
  void charge(size_t bytes);
  void refund(size_t bytes) { used_ -= bytes; }
  // Throws MemoryError if `bytes` do not fit: call it before making something large.
  void check(size_t bytes) {
    charge(bytes);
    refund(bytes);
  }
  // Counts the items, characters and bytes that one statement processes. After every 2^14 of them, checks
  // whether the run may continue, and throws if not.
  void count_work(size_t n) {
    if ((work_ += n) >= size_t{1} << 14) check_interrupt();
  }
  size_t used() const { return used_; }
  static Heap& current() { return *current_heap; }
  bool is_full() const { return used_ > budget_; }
  // A block for an object, which does not count against the budget; freed blocks are reused for the same
  // size.
  void* allocate(size_t bytes);
  void free(void* block, size_t bytes) noexcept;
  // Grows whenever a class or module gains or loses a name, or the instances of a class gain one. Cached
  // places from earlier epochs are invalid.
  uint64_t epoch = 1;
  Types& types();  // made at first use

  Interpreter* interpreter = nullptr;  // calls the __eq__ of keys; may be null

 private:
  friend struct Object;
  friend void release(Object*) noexcept;
  void check_interrupt();
  template <class F>
  void each_object(F f);  // f may release objects
  size_t used_ = 0, budget_, work_ = 0;
  int releasing_ = 0;            // how many objects are being destroyed, one within the other
  std::vector<Object*> doomed_;  // objects that are to be destroyed once that many are fewer
  bool ending_ = false;
  const uint16_t id_;
  Heap* outer_;
  std::unique_ptr<Types> types_;

  static constexpr size_t kUnit = 16, kUnits = 16;  // blocks of up to kUnit * kUnits bytes share chunks
  struct Chunk;
  Chunk* new_chunk(size_t units);
  // Stands before a block that shares no chunk.
  struct alignas(16) Alone {
    Alone *before, *after;
  };
  std::array<Chunk*, kUnits + 1> open_{};  // the chunks that have room, by the size of their blocks in units
  std::vector<Chunk*> chunks_;             // the first `taken_` have been begun
  size_t taken_ = 0;
  Alone alone_{&alone_, &alone_};
};
constexpr size_t kMostHeaps = 1 << 12;
extern std::array<Heap*, kMostHeaps> heaps;  // all that live, by Object::heap_id
// Destroys an object without references, and everything that only it kept alive. A list of a million nodes
// needs no deep stack.
void release(Object* x) noexcept;

struct Object {
  explicit inline Object(Kind of);
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual inline ~Object();
  virtual void clear() {}  // drops all references
  static void* operator new(size_t bytes) { return Heap::current().allocate(bytes); }
  static void operator delete(void* block, size_t bytes) { Heap::current().free(block, bytes); }
  Heap& heap() const { return *heaps[heap_id]; }

  static constexpr size_t kBytes = 104;  // a rough size for any object; never refused
  const Kind kind;
  const uint16_t heap_id;  // not a pointer: two cache lines hold an instance with five attributes
  uint32_t count = 0;
};

inline Object::Object(Kind of) : kind(of), heap_id(current_heap->id_) { current_heap->used_ += kBytes; }
inline Object::~Object() { heap().used_ -= kBytes; }

}  // namespace glassgrad::script

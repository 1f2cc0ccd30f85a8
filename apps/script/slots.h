// A stack of slots for the arguments and local names of running calls. A call's slots follow its caller's.
#pragma once
#include "apps/script/value.h"

namespace glassgrad::script {

class SlotStack {
 public:
  // Pushes n values, all absent.
  Value* push(size_t n) {
    if (static_cast<size_t>(end_ - next_) < n) push_chunk(n);
    return std::exchange(next_, next_ + n);
  }
  // Pops the last n values.
  void pop(Value* first, size_t n) noexcept {
    if (n == 0) return;
    for (Value* x = first; x != first + n; ++x) *x = Value();
    next_ = first;
    if (first == begin_ && at_ > 0) pop_chunk();
  }

 private:
  struct Chunk {
    std::unique_ptr<Value[]> values;
    size_t size = 0;
    Value* next = nullptr;  // where to continue here when later chunks are free again
  };
  void push_chunk(size_t n);
  void pop_chunk() noexcept;
  std::vector<Chunk> chunks_;
  size_t at_ = 0;  // the chunk in use; begin_, next_ and end_ point into it
  Value *begin_ = nullptr, *next_ = nullptr, *end_ = nullptr;
};

// Slots that are taken until the end of the scope.
class Slots {
 public:
  Slots(SlotStack& stack, size_t n) : stack_(stack), size_(n), first_(stack.push(n)) {}
  ~Slots() { stack_.pop(first_, size_); }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  size_t size() const { return size_; }
  Value& operator[](size_t k) { return first_[k]; }
  std::span<Value> part(size_t from, size_t n) { return {first_ + from, n}; }

 private:
  SlotStack& stack_;
  const size_t size_;
  Value* const first_;
};

}  // namespace glassgrad::script

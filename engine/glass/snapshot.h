// Tensors as they were at one moment. A snapshot keeps the storage itself where nobody writes, a copy where
// somebody does: looking back costs nothing until something changes.
#pragma once
#include <memory>
#include <unordered_map>

#include "../tensor.h"

namespace glassgrad {

// Bytes that several snapshots look at: a storage from one write to the next. They are the tensor's own until
// somebody is about to write them.
struct Buffer {
  Ref<Storage> storage;
  // The same bytes where the CPU can read them: of a storage on a GPU, a copy made when first asked for.
  const Ref<Storage>& on_host();

 private:
  Ref<Storage> host_;
};

struct Snapshot {
  std::shared_ptr<Buffer> buffer;
  int64_t offset = 0;  // of the first element, in elements
  Dims shape, strides;
  DType dtype = float32;
  bool is_number = false;

  explicit operator bool() const { return bool(buffer); }  // false: of an undefined tensor
  Tensor tensor() const;        // the numbers alone, without a graph, on the CPU …
  Tensor tensor_there() const;  // … and where they lie
  // Where an element lies in the buffer, in elements of this dtype.
  int64_t place(const Dims& index) const { return offset + offset_of_index(index, strides); }
};

class Snapshots {
 public:
  // Of an undefined tensor, an empty one.
  Snapshot take(const Tensor& x);
  // Somebody is about to write x's storage: those taken so far keep the bytes as they are. Gives the buffer
  // that they look at, null if there is none.
  std::shared_ptr<Buffer> before_write(const Tensor& x);

 private:
  std::unordered_map<uint64_t, std::shared_ptr<Buffer>> live_;  // by the id of the storage
};

// The storage that owns the bytes: `.data` and arenas look at a part of another's.
const Ref<Storage>& root_storage(const Tensor& x);

}  // namespace glassgrad

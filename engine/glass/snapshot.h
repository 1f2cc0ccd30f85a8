// Tensors as they were at one moment. A snapshot keeps the storage itself where nobody writes. Of what
// somebody writes it keeps a copy, or only the few elements that were overwritten: looking back costs nothing
// until something changes, and then what has changed.
#pragma once
#include <memory>
#include <unordered_map>

#include "../tensor.h"

namespace glassgrad {

// How a snapshot looks at its bytes. Many share one.
struct Geometry : Counted {
  Dims shape, strides;
  DType dtype;
  bool is_number;
};
void release(Geometry*) noexcept;

// Bytes that several snapshots look at: a storage from one write to the next.
class Buffer {
 public:
  explicit Buffer(Ref<Storage> live) : storage_(std::move(live)), bytes_(storage_->bytes) {}
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  size_t bytes() const { return bytes_; }

 private:
  friend struct Snapshot;
  friend class Snapshots;
  friend class Archive;

  Buffer() = default;  // an archive fills it

  // What a write has overwritten: the elements of a view.
  struct Overwritten {
    Ref<Geometry> geometry;
    size_t begin;                      // of the first element, in bytes
    std::unique_ptr<std::byte[]> old;  // one after the other, the last dimension fastest
  };
  static std::unique_ptr<Overwritten> overwritten(const Tensor& x, Ref<Geometry> geometry);

  const Ref<Storage>& on_host();
  // A storage of the bytes from begin to end alone.
  Ref<Storage> part(size_t begin, size_t end) const;

  Ref<Storage> storage_;  // null: the bytes are those of later_, but for overwritten_
  Ref<Storage> host_;     // of a storage on a GPU, a copy made when first asked for
  std::shared_ptr<Buffer> later_;
  std::unique_ptr<Overwritten> overwritten_;
  size_t bytes_ = 0;
  size_t leaning_ = 0;  // so many buffers before this one, each by the next, hold on to its bytes …
  size_t kept_ = 0;     // … and have kept so many bytes of their own
};

// A recording holds several for each number that a loop writes: as few bytes as can be.
struct Snapshot {
  std::shared_ptr<Buffer> buffer;
  int64_t offset = 0;  // of the first element, in elements
  Ref<Geometry> geometry;

  explicit operator bool() const { return bool(buffer); }  // false: of an undefined tensor
  // Only of a defined one.
  const Dims& shape() const { return geometry->shape; }
  const Dims& strides() const { return geometry->strides; }
  int64_t numel() const { return geometry->shape.numel(); }
  DType dtype() const { return geometry->dtype; }
  bool is_number() const { return geometry->is_number; }
  Tensor tensor() const;        // the numbers alone, without a graph, on the CPU …
  Tensor tensor_there() const;  // … and where they lie
  // Where an element lies in the buffer, in elements of this dtype.
  int64_t place(const Dims& index) const { return offset + offset_of_index(index, strides()); }
};

// Do they show the same elements of the same memory, unchanged in between?
bool same_elements(const Snapshot& a, const Snapshot& b);

class Snapshots {
 public:
  // Of an undefined tensor, an empty one.
  Snapshot take(const Tensor& x);
  // Somebody is about to write x's elements: the snapshots taken so far keep the bytes as they are. Gives the
  // buffer that they look at, null if there is none.
  std::shared_ptr<Buffer> before_write(const Tensor& x);
  // Lets go of memory that nobody else holds, and no snapshot looks at.
  void forget_unused();

 private:
  Ref<Geometry> geometry_of(const Tensor& x);

  std::unordered_map<uint64_t, std::shared_ptr<Buffer>> live_;   // by the id of the storage
  std::unordered_multimap<uint64_t, Ref<Geometry>> geometries_;  // by a hash
};

// The storage that owns the bytes: `.data` and arenas look at a part of another's.
const Ref<Storage>& root_storage(const Tensor& x);

}  // namespace glassgrad

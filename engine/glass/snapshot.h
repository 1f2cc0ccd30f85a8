// Tensors as they were at one moment. A snapshot shares the storage until something writes to it. Then the
// snapshot keeps a copy, or only the elements that were overwritten. So its memory grows only with the
// changes.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "../tensor.h"
#include "id_map.h"

namespace glassgrad {

// The shape, strides and dtype with which a snapshot reads its bytes. Many snapshots share one.
struct Geometry : Counted {
  Dims shape, strides;
  DType dtype;
  bool is_number;
};
void release(Geometry*) noexcept;

// Bytes that several snapshots share: a storage between two writes.
class Buffer {
 public:
  explicit Buffer(Ref<Storage> live) : storage_(std::move(live)), bytes_(storage_->bytes) {}
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  size_t bytes() const { return bytes_; }

  // The call that wrote this buffer, and as which result. `before`: the buffer before an in-place write,
  // which has the elements that the write left unchanged. Set by the recorder, which keeps `before` alive.
  struct Writer {
    static constexpr size_t kNobody = SIZE_MAX;
    size_t call = kNobody, out = 0;
    const Buffer* before = nullptr;
  };
  Writer writer;

 private:
  friend struct Snapshot;
  friend class Snapshots;
  friend class Archive;

  Buffer() = default;  // an archive fills it

  // The elements of a view before a write.
  struct Overwritten {
    Ref<Geometry> geometry;
    size_t begin;                      // of the first element, in bytes
    std::unique_ptr<std::byte[]> old;  // contiguous, the last dimension fastest
  };
  static std::unique_ptr<Overwritten> overwritten(const Tensor& x, Ref<Geometry> geometry);

  const Ref<Storage>& on_host();
  // Returns a storage with only the bytes from begin to end.
  Ref<Storage> part(size_t begin, size_t end) const;

  // Fields that few buffers need.
  struct RareFields {
    Ref<Storage> host;  // CPU copy of a storage on a GPU, made when first requested
    std::shared_ptr<Buffer> later;
    std::unique_ptr<Overwritten> overwritten;
    size_t chain_length = 0;  // number of earlier buffers that read their bytes through this one …
    size_t saved_bytes = 0;   // … and the bytes that they have saved
  };
  RareFields& rare() { return *(rare_ ? rare_ : rare_ = std::make_unique<RareFields>()); }
  size_t chain_length() const { return rare_ ? rare_->chain_length : 0; }
  size_t saved_bytes() const { return rare_ ? rare_->saved_bytes : 0; }

  Ref<Storage> storage_;  // null: the bytes are the later buffer's, except for the overwritten ones
  size_t bytes_ = 0;
  std::unique_ptr<RareFields> rare_;
};

// Kept small, because a recording holds several snapshots for each number that a loop writes.
struct Snapshot {
  std::shared_ptr<Buffer> buffer;
  int64_t offset = 0;  // of the first element, in elements
  Ref<Geometry> geometry;

  explicit operator bool() const { return bool(buffer); }  // false for an undefined tensor
  // Only for a defined tensor.
  const Dims& shape() const { return geometry->shape; }
  const Dims& strides() const { return geometry->strides; }
  int64_t numel() const { return geometry->shape.numel(); }
  DType dtype() const { return geometry->dtype; }
  bool is_number() const { return geometry->is_number; }
  Tensor tensor() const;        // the numbers without a graph, on the CPU …
  Tensor tensor_there() const;  // … and on their own device, unless partly overwritten
  // Where an element lies in the buffer, in elements of this dtype.
  int64_t place(const Dims& index) const { return offset + offset_of_index(index, strides()); }
};

// One number of a run: an element of a tensor as it was at one moment.
struct SnapshotElement {
  Snapshot x;
  Dims index;
};
// Returns the index of x's element that is this number, if there is one.
std::optional<Dims> index_in(const Snapshot& x, const SnapshotElement& number);

// The cell as part of an address: "[2,1]"; empty for a 0-d tensor.
std::string cell_text(const Dims& cell);

// True if both show the same elements of the same memory, unchanged in between.
bool same_elements(const Snapshot& a, const Snapshot& b);

// An in-place write that an op has announced. The op may still refuse it.
struct AnnouncedWrite {
  Ref<Storage> storage;
  uint32_t version = 0;  // the storage's version at that time
  std::shared_ptr<Buffer>
      before;  // the buffer that snapshots of the present bytes share; null: there are none

  bool has_happened() const { return storage->version != version; }
};

class Snapshots {
 public:
  // Returns an empty snapshot for an undefined tensor.
  Snapshot take(const Tensor& x);
  // Like take, but returns an empty snapshot if no snapshot of its current memory was taken before.
  Snapshot find(const Tensor& x);
  // The buffer that snapshots of this root storage share now.
  const std::shared_ptr<Buffer>& buffer_of(const Ref<Storage>& root);
  // Stops tracking writes to this memory. Returns false if it was written since.
  bool forget(const Buffer* buffer);
  // Call it before a write to x's elements: existing snapshots keep the current bytes.
  AnnouncedWrite before_write(const Tensor& x);
  // Undoes before_write for a write that did not happen: snapshots share the same memory as before it.
  // Returns false if a snapshot was taken since.
  bool undo_write(const AnnouncedWrite& write);
  // Drops memory that only this object holds and no snapshot uses.
  void forget_unused();

 private:
  Ref<Geometry> geometry_of(const Tensor& x);
  Snapshot number(const Tensor& x);

  IdMap<std::shared_ptr<Buffer>> live_;                    // by storage id
  std::array<Ref<Geometry>, 256> geometries_;              // the latest of each hash
  std::array<std::pair<uint64_t, Snapshot>, 64> numbers_;  // the latest numbers, with their bits
};

// Returns the storage that owns the bytes: `.data` and arenas are parts of a different storage.
const Ref<Storage>& root_of(const Ref<Storage>& storage);
inline const Ref<Storage>& root_storage(const Tensor& x) { return root_of(x->storage); }

}  // namespace glassgrad

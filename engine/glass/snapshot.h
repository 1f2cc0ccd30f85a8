// Tensors as they were at one moment. A snapshot keeps the storage itself where nobody writes. Of what
// somebody writes it keeps a copy, or only the few elements that were overwritten: looking back costs nothing
// until something changes, and then what has changed.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "../tensor.h"
#include "id_map.h"

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

  // Which result of which call has written it, and what it was before: of an in-place write, the part that
  // was not written. The recorder's, which keeps `before` alive.
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

  // Of few buffers.
  struct More {
    Ref<Storage> host;  // of a storage on a GPU, a copy made when first asked for
    std::shared_ptr<Buffer> later;
    std::unique_ptr<Overwritten> overwritten;
    size_t leaning = 0;  // so many buffers before this one, each by the next, hold on to its bytes …
    size_t kept = 0;     // … and have kept so many bytes of their own
  };
  More& more() { return *(more_ ? more_ : more_ = std::make_unique<More>()); }
  size_t leaning() const { return more_ ? more_->leaning : 0; }
  size_t kept() const { return more_ ? more_->kept : 0; }

  Ref<Storage> storage_;  // null: the bytes are those of the later buffer, but for the overwritten ones
  size_t bytes_ = 0;
  std::unique_ptr<More> more_;
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

// One number of a run: an element of a tensor as it was at one moment.
struct Element {
  Snapshot x;
  Dims index;
};
// Which element of x lies where the number does; none if none does.
std::optional<Dims> index_in(const Snapshot& x, const Element& number);

// What an address says of a cell: "[2,1]"; of a 0-d tensor nothing.
std::string cell_text(const Dims& cell);

// Do they show the same elements of the same memory, unchanged in between?
bool same_elements(const Snapshot& a, const Snapshot& b);

class Snapshots {
 public:
  // Of an undefined tensor, an empty one.
  Snapshot take(const Tensor& x);
  // The same if a snapshot of its memory as it is now was taken before, else an empty one.
  Snapshot find(const Tensor& x);
  // What snapshots of a storage that owns its bytes look at now.
  const std::shared_ptr<Buffer>& buffer_of(const Ref<Storage>& root);
  // Nobody wants to know of further writes to this memory; false if somebody has written it since.
  bool forget(const Buffer* buffer);
  // Somebody is about to write x's elements: the snapshots taken so far keep the bytes as they are. Gives the
  // buffer that they look at, null if there is none.
  std::shared_ptr<Buffer> before_write(const Tensor& x);
  // The write did not happen: snapshots look again at what they looked at before it. false: one has been
  // taken since. `before` is what before_write gave.
  bool undo_write(const std::shared_ptr<Buffer>& before, const Ref<Storage>& root);
  // Lets go of memory that nobody else holds, and no snapshot looks at.
  void forget_unused();

 private:
  Ref<Geometry> geometry_of(const Tensor& x);
  Snapshot number(const Tensor& x);

  IdMap<std::shared_ptr<Buffer>> live_;                          // by the id of the storage
  std::unordered_multimap<uint64_t, Ref<Geometry>> geometries_;  // by a hash
  std::array<Ref<Geometry>, 64> met_;                            // the last ones of each hash
  std::array<std::pair<uint64_t, Snapshot>, 64> numbers_;        // the same, with their bits
};

// The storage that owns the bytes: `.data` and arenas look at a part of another's.
const Ref<Storage>& root_storage(const Tensor& x);

}  // namespace glassgrad

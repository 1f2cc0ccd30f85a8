#include "snapshot.h"

#include <fmt/core.h>

#include <cstring>
#include <utility>
#include <vector>

#include "../core/joined.h"

namespace glassgrad {

const Ref<Storage>& root_of(const Ref<Storage>& storage) {
  const Ref<Storage>* s = &storage;
  while ((*s)->owner) s = &(*s)->owner;
  return *s;
}

namespace {

// A write of at most 1/kSmallPart of a storage saves only the old elements; a larger write copies the
// storage. A small write copies it too if the chain to an old byte would become too long, or the saved
// elements too many bytes.
constexpr size_t kSmallPart = 8, kMaxChainLength = 4096;

Ref<Storage> copied(const Storage& from, Device device) {
  Ref<Storage> copy = new_storage(from.bytes, device);
  copy_bytes(copy->data, device, from.data, from.device, from.bytes);
  return copy;
}

Tensor tensor_of(const Geometry& g, const Ref<Storage>& storage, int64_t offset) {
  Ref<Impl> impl = new_impl();
  impl->dtype = g.dtype;
  impl->is_number = g.is_number;
  impl->offset = offset;
  impl->shape = g.shape;
  impl->strides = g.strides;
  impl->storage = storage;
  return Tensor(std::move(impl));
}

// The number of bytes from the start of the root storage to x's first element.
size_t byte_offset(const Tensor& x) {
  return size_t(static_cast<std::byte*>(x.raw().data) - static_cast<std::byte*>(root_storage(x)->data));
}

}  // namespace

void release(Geometry* g) noexcept {
  if (g->drop()) delete g;
}

// Iterates instead of recursing: a loop over the elements of a matrix makes a long chain.
Buffer::~Buffer() {
  if (!rare_) return;
  for (std::shared_ptr<Buffer> next = std::move(rare_->later); next && next.use_count() == 1;)
    next = next->rare_ ? std::exchange(next->rare_->later, nullptr) : nullptr;
}

std::unique_ptr<Buffer::Overwritten> Buffer::overwritten(const Tensor& x, Ref<Geometry> geometry) {
  const int64_t item = item_size(x.dtype());
  auto old = std::make_unique<std::byte[]>(size_t(x.numel() * item));
  const auto* const from = static_cast<const std::byte*>(x.raw().data);
  for (int64_t i = 0; i < x.numel(); ++i)
    std::memcpy(&old[size_t(i * item)], from + offset_of_index(index_of(x.shape(), i), x.strides()) * item,
                size_t(item));
  return std::make_unique<Overwritten>(Overwritten{std::move(geometry), byte_offset(x), std::move(old)});
}

const Ref<Storage>& Buffer::on_host() {
  if (storage_->device == kCpu) return storage_;
  if (!rare().host) rare().host = copied(*storage_, kCpu);
  return rare().host;
}

Ref<Storage> Buffer::part(size_t begin, size_t end) const {
  std::vector<const Buffer*> leaning;  // each depends on the next one, the last on `whole`
  const Buffer* whole = this;
  for (; !whole->storage_; whole = whole->rare_->later.get()) leaning.push_back(whole);
  Ref<Storage> part = new_storage(end - begin);
  auto* const data = static_cast<std::byte*>(part->data);
  std::memcpy(data, static_cast<const std::byte*>(whole->storage_->data) + begin, end - begin);
  for (; !leaning.empty(); leaning.pop_back()) {
    const Overwritten& o = *leaning.back()->rare_->overwritten;
    const Geometry& g = *o.geometry;
    const int64_t item = item_size(g.dtype);
    if (o.begin >= end || o.begin + size_t(extent(g.shape, g.strides) * item) <= begin) continue;
    for (int64_t i = 0; i < g.shape.numel(); ++i) {
      const size_t at = o.begin + size_t(offset_of_index(index_of(g.shape, i), g.strides) * item);
      if (at >= begin && at < end) std::memcpy(data + (at - begin), &o.old[size_t(i * item)], size_t(item));
    }
  }
  return part;
}

Tensor Snapshot::tensor() const {
  if (!buffer) return {};
  if (buffer->storage_) return tensor_of(*geometry, buffer->on_host(), offset);
  const int64_t item = item_size(dtype()), end = offset + extent(shape(), strides());
  return tensor_of(*geometry, buffer->part(size_t(offset * item), size_t(end * item)), 0);
}

Tensor Snapshot::tensor_there() const {
  return buffer && buffer->storage_ ? tensor_of(*geometry, buffer->storage_, offset) : tensor();
}

Snapshot Snapshots::take(const Tensor& x) {
  if (!x) return {};
  if (x->is_number) return number(x);
  const Ref<Storage>& root = root_storage(x);
  const std::shared_ptr<Buffer>& buffer = buffer_of(root);
  const bool is_all = x->offset == 0 && x->storage->data == root->data;
  return {buffer, is_all ? 0 : int64_t(byte_offset(x)) / item_size(x.dtype()), geometry_of(x)};
}

// A number beside a tensor is never written, so equal numbers, such as the 2 of x * 2, share one snapshot.
Snapshot Snapshots::number(const Tensor& x) {
  uint64_t bits = 0;
  std::memcpy(&bits, x.raw().data, size_t(item_size(x.dtype())));
  auto& [known, snapshot] = numbers_[(bits * 0x9e3779b97f4a7c15 >> 32) % numbers_.size()];
  if (!snapshot || known != bits || snapshot.dtype() != x.dtype()) {
    known = bits;
    snapshot = {std::make_shared<Buffer>(x->storage), x->offset, geometry_of(x)};
  }
  return snapshot;
}

const std::shared_ptr<Buffer>& Snapshots::buffer_of(const Ref<Storage>& root) {
  std::shared_ptr<Buffer>& buffer = live_[root->id];
  if (!buffer) buffer = std::make_shared<Buffer>(root);
  return buffer;
}

Snapshot Snapshots::find(const Tensor& x) {
  if (!x || !live_.find(root_storage(x)->id)) return {};
  return take(x);
}

bool Snapshots::forget(const Buffer* buffer) {
  if (!buffer->storage_) return false;
  auto* const live = live_.find(buffer->storage_->id);
  if (!live || live->get() != buffer) return false;
  *live = nullptr;
  return true;
}

Ref<Geometry> Snapshots::geometry_of(const Tensor& x) {
  uint64_t hash = uint64_t(x.dtype()) + uint64_t(x->is_number) * 16;
  for (const Dims* d : {&x.shape(), &x.strides()})
    for (const int64_t n : *d) hash = (hash ^ uint64_t(n)) * 0x9e3779b97f4a7c15;
  Ref<Geometry>& g = geometries_[(hash >> 32) % geometries_.size()];
  const bool known = g && g->shape == x.shape() && g->strides == x.strides() && g->dtype == x.dtype() &&
                     g->is_number == x->is_number;
  if (!known) g = Ref<Geometry>(new Geometry{{}, x.shape(), x.strides(), x.dtype(), x->is_number});
  return g;
}

AnnouncedWrite Snapshots::before_write(const Tensor& x) {
  AnnouncedWrite write{x->storage, x.version(), nullptr};
  std::shared_ptr<Buffer>* const found = live_.find(root_storage(x)->id);
  if (!found) return write;
  const std::shared_ptr<Buffer>& before = write.before = std::exchange(*found, nullptr);
  const Ref<Storage> live = before->storage_;
  const size_t written = size_t(x.numel() * item_size(x.dtype()));
  const bool few = live->device == kCpu && written <= live->bytes / kSmallPart &&
                   before->saved_bytes() + written <= live->bytes && before->chain_length() < kMaxChainLength;
  if (!few) {
    before->storage_ = copied(*live, live->device);
    return write;
  }
  const auto after = std::make_shared<Buffer>(live);
  after->rare().chain_length = before->chain_length() + 1;
  after->rare().saved_bytes = before->saved_bytes() + written;
  before->rare().overwritten = Buffer::overwritten(x, geometry_of(x));
  before->rare().later = *found = after;
  before->storage_ = {};
  return write;
}

bool Snapshots::undo_write(const AnnouncedWrite& write) {
  const std::shared_ptr<Buffer>& before = write.before;
  const Ref<Storage>& root = root_of(write.storage);
  std::shared_ptr<Buffer>& live = live_[root->id];
  if (!before->storage_) {
    constexpr long kOurs = 2;  // references: live, and before's
    if (live != before->rare().later || live.use_count() > kOurs) return false;
    before->rare().later = nullptr;
    before->rare().overwritten = nullptr;
  } else if (live && live.use_count() > 1) {
    return false;
  }
  before->storage_ = root;
  live = before;
  return true;
}

std::optional<Dims> index_in(const Snapshot& x, const SnapshotElement& number) {
  if (x.buffer != number.x.buffer || x.dtype() != number.x.dtype()) return {};
  return index_of_offset(x.shape(), x.strides(), number.x.place(number.index) - x.offset);
}

std::string cell_text(const Dims& cell) {
  return cell.n ? fmt::format("[{}]", joined(cell, ",")) : std::string();
}

bool same_elements(const Snapshot& a, const Snapshot& b) {
  return a.buffer && a.buffer == b.buffer && a.offset == b.offset && a.shape() == b.shape() &&
         a.strides() == b.strides();
}

}  // namespace glassgrad

#include "snapshot.h"

#include <cstring>
#include <utility>
#include <vector>

namespace glassgrad {

const Ref<Storage>& root_storage(const Tensor& x) {
  const Ref<Storage>* s = &x->storage;
  while ((*s)->owner) s = &(*s)->owner;
  return *s;
}

namespace {

// A write of at most this part of a storage has its old elements kept, a greater one has all copied. So has
// every write after which finding an old byte would take too many steps, or the old elements too many bytes.
constexpr size_t kSmallPart = 8, kMostLeaning = 4096;

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

// How many bytes lie between the first of the root storage and x's first element.
size_t byte_offset(const Tensor& x) {
  return size_t(static_cast<std::byte*>(x.raw().data) - static_cast<std::byte*>(root_storage(x)->data));
}

}  // namespace

void release(Geometry* g) noexcept {
  if (g->drop()) delete g;
}

// Without recursion, for a loop over the elements of a matrix makes a long chain.
Buffer::~Buffer() {
  for (std::shared_ptr<Buffer> next = std::move(later_); next && next.use_count() == 1;)
    next = std::exchange(next->later_, nullptr);
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
  if (!host_) host_ = copied(*storage_, kCpu);
  return host_;
}

Ref<Storage> Buffer::part(size_t begin, size_t end) const {
  std::vector<const Buffer*> leaning;  // on the next in this list, the last on `whole`
  const Buffer* whole = this;
  for (; !whole->storage_; whole = whole->later_.get()) leaning.push_back(whole);
  Ref<Storage> part = new_storage(end - begin);
  auto* const data = static_cast<std::byte*>(part->data);
  std::memcpy(data, static_cast<const std::byte*>(whole->storage_->data) + begin, end - begin);
  for (; !leaning.empty(); leaning.pop_back()) {
    const Overwritten& o = *leaning.back()->overwritten_;
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
  const Ref<Storage>& root = root_storage(x);
  std::shared_ptr<Buffer>& buffer = live_[root->id];
  if (!buffer) buffer = std::make_shared<Buffer>(root);
  return {buffer, int64_t(byte_offset(x)) / item_size(x.dtype()), geometry_of(x)};
}

Ref<Geometry> Snapshots::geometry_of(const Tensor& x) {
  uint64_t hash = uint64_t(x.dtype()) + x->is_number * 16u;
  for (const Dims* d : {&x.shape(), &x.strides()})
    for (const int64_t n : *d) hash = (hash ^ uint64_t(n)) * 0x9e3779b97f4a7c15;
  const auto [first, last] = geometries_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const Geometry& g = *known->second;
    if (g.shape == x.shape() && g.strides == x.strides() && g.dtype == x.dtype() &&
        g.is_number == x->is_number)
      return known->second;
  }
  const Ref<Geometry> geometry(new Geometry{{}, x.shape(), x.strides(), x.dtype(), x->is_number});
  return geometries_.emplace(hash, geometry)->second;
}

std::shared_ptr<Buffer> Snapshots::before_write(const Tensor& x) {
  const auto found = live_.find(root_storage(x)->id);
  if (found == live_.end()) return nullptr;
  const std::shared_ptr<Buffer> before = std::move(found->second);
  const Ref<Storage> live = before->storage_;
  const size_t written = size_t(x.numel() * item_size(x.dtype()));
  const bool few = live->device == kCpu && written <= live->bytes / kSmallPart &&
                   before->kept_ + written <= live->bytes && before->leaning_ < kMostLeaning;
  if (!few) {
    live_.erase(found);
    before->storage_ = copied(*live, live->device);
    return before;
  }
  const auto after = std::make_shared<Buffer>(live);
  after->leaning_ = before->leaning_ + 1;
  after->kept_ = before->kept_ + written;
  before->overwritten_ = Buffer::overwritten(x, geometry_of(x));
  before->later_ = found->second = after;
  before->storage_ = {};
  return before;
}

bool same_elements(const Snapshot& a, const Snapshot& b) {
  return a.buffer && a.buffer == b.buffer && a.offset == b.offset && a.shape() == b.shape() &&
         a.strides() == b.strides();
}

}  // namespace glassgrad

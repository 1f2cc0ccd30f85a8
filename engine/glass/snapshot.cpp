#include "snapshot.h"

namespace glassgrad {

const Ref<Storage>& root_storage(const Tensor& x) {
  const Ref<Storage>* s = &x->storage;
  while ((*s)->owner) s = &(*s)->owner;
  return *s;
}

static Ref<Storage> copied(const Storage& from, Device device) {
  Ref<Storage> copy = new_storage(from.bytes, device);
  copy_bytes(copy->data, device, from.data, from.device, from.bytes);
  return copy;
}

const Ref<Storage>& Buffer::on_host() {
  if (storage->device == kCpu) return storage;
  if (!host_) host_ = copied(*storage, kCpu);
  return host_;
}

static Tensor tensor_of(const Snapshot& s, const Ref<Storage>& storage) {
  Ref<Impl> impl = new_impl();
  impl->dtype = s.dtype;
  impl->is_number = s.is_number;
  impl->offset = s.offset;
  impl->shape = s.shape;
  impl->strides = s.strides;
  impl->storage = storage;
  return Tensor(std::move(impl));
}

Tensor Snapshot::tensor() const { return buffer ? tensor_of(*this, buffer->on_host()) : Tensor(); }
Tensor Snapshot::tensor_there() const { return buffer ? tensor_of(*this, buffer->storage) : Tensor(); }

Snapshot Snapshots::take(const Tensor& x) {
  if (!x) return {};
  const Ref<Storage>& root = root_storage(x);
  std::shared_ptr<Buffer>& buffer = live_[root->id];
  if (!buffer) {
    buffer = std::make_shared<Buffer>();
    buffer->storage = root;
  }
  return {
      .buffer = buffer,
      .offset = (static_cast<char*>(x.raw().data) - static_cast<char*>(root->data)) / item_size(x.dtype()),
      .shape = x.shape(),
      .strides = x.strides(),
      .dtype = x.dtype(),
      .is_number = x->is_number};
}

std::shared_ptr<Buffer> Snapshots::before_write(const Tensor& x) {
  const auto found = live_.find(root_storage(x)->id);
  if (found == live_.end()) return nullptr;
  const std::shared_ptr<Buffer> buffer = std::move(found->second);
  live_.erase(found);
  buffer->storage = copied(*buffer->storage, buffer->storage->device);
  return buffer;
}

}  // namespace glassgrad

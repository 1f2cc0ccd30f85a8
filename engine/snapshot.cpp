#include "snapshot.h"

#include <cstring>

namespace glassgrad {

const Ref<Storage>& root_storage(const Tensor& x) {
  const Ref<Storage>* s = &x->storage;
  while ((*s)->owner) s = &(*s)->owner;
  return *s;
}

Tensor Snapshot::tensor() const {
  if (!buffer) return {};
  Ref<Impl> impl = new_impl();
  impl->dtype = dtype;
  impl->is_number = is_number;
  impl->offset = offset;
  impl->shape = shape;
  impl->strides = strides;
  impl->storage = buffer->storage;
  return Tensor(std::move(impl));
}

Snapshot Snapshots::take(const Tensor& x) {
  if (!x) return {};
  const Ref<Storage>& root = root_storage(x);
  std::shared_ptr<Buffer>& buffer = live_[root->id];
  if (!buffer) buffer = std::make_shared<Buffer>(Buffer{root});
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
  const Ref<Storage> copy = new_storage(buffer->storage->bytes);
  std::memcpy(copy->data, buffer->storage->data, copy->bytes);
  buffer->storage = copy;
  return buffer;
}

}  // namespace glassgrad

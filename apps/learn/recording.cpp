#include "apps/learn/recording.h"

#include <cstring>

namespace glassgrad::learn {
namespace {

// The storage that owns the bytes: `.data` and arenas look at a part of another's.
const Ref<Storage>& root_storage(const Tensor& x) {
  const Ref<Storage>* s = &x->storage;
  while ((*s)->owner) s = &(*s)->owner;
  return *s;
}

}  // namespace

Tensor Value::tensor() const {
  Ref<Impl> impl = new_impl();
  impl->dtype = dtype;
  impl->offset = offset;
  impl->shape = shape;
  impl->strides = strides;
  impl->storage = buffer->storage;
  return Tensor(std::move(impl));
}

std::string Value::repr() const {
  return glassgrad::repr(
      tensor().raw(),
      {.device = {}, .grad_fn = grad_fn, .requires_grad = requires_grad, .parameter = is_parameter});
}

Value Snapshots::take(const Tensor& x) {
  const Ref<Storage>& root = root_storage(x);
  std::shared_ptr<Buffer>& buffer = live_[root->id];
  if (!buffer) buffer = std::make_shared<Buffer>(Buffer{root});
  const char* grad_fn = x.grad_fn_name();
  return {
      .buffer = buffer,
      .offset = (static_cast<char*>(x.raw().data) - static_cast<char*>(root->data)) / item_size(x.dtype()),
      .shape = x.shape(),
      .strides = x.strides(),
      .dtype = x.dtype(),
      .grad_fn = grad_fn ? grad_fn : "",
      .requires_grad = x.requires_grad(),
      .is_parameter = x->is_parameter};
}

void Snapshots::before_write(const Tensor& x) {
  const auto found = live_.find(root_storage(x)->id);
  if (found == live_.end()) return;
  Ref<Storage>& storage = found->second->storage;
  const Ref<Storage> copy = new_storage(storage->bytes);
  std::memcpy(copy->data, storage->data, storage->bytes);
  storage = copy;
  live_.erase(found);
}

std::string Entry::print_text() const {
  if (!value) return label;
  return label.empty() ? value->repr() : label + " " + value->repr();
}

}  // namespace glassgrad::learn

#include "archive.h"

#include <cstring>

namespace glassgrad {

void Archive::too_short() { fail("a recording has come that ends too soon"); }

void Archive::bytes(void* x, size_t n) {
  if (writes_) {
    written_.append(static_cast<const char*>(x), n);
    return;
  }
  if (n > from_.size()) too_short();
  if (n > 0) std::memcpy(x, from_.data(), n);
  from_.remove_prefix(n);
}

void Archive::operator()(std::string& x) {
  size_t n = x.size();
  (*this)(n);
  if (!writes_) {
    if (n > from_.size()) too_short();
    x.resize(n);
  }
  bytes(x.data(), n);
}

// ---- snapshots
void Archive::geometry(Ref<Geometry>& x) {
  Geometry made = writes_ ? Geometry{{}, x->shape, x->strides, x->dtype, x->is_number}
                          : Geometry{{}, Dims(), Dims(), float32, false};
  (*this)(made.shape), (*this)(made.strides), (*this)(made.dtype), (*this)(made.is_number);
  if (!writes_) x = Ref<Geometry>(new Geometry{{}, made.shape, made.strides, made.dtype, made.is_number});
}

void Archive::storage(Ref<Storage>& x) {
  size_t n = writes_ ? x->bytes : 0;
  (*this)(n);
  if (!writes_) {
    if (n > from_.size()) too_short();
    x = new_storage(n);
  }
  bytes(x->data, n);
}

// Returns false if the bytes are those of the later buffer, except for the overwritten ones.
bool Archive::content(Buffer& x) {
  size_t chain_length = x.chain_length(), saved_bytes = x.saved_bytes();
  (*this)(x.bytes_), (*this)(chain_length), (*this)(saved_bytes);
  if (!writes_ && chain_length > 0) x.rare().chain_length = chain_length, x.rare().saved_bytes = saved_bytes;
  bool is_whole = bool(x.storage_);
  (*this)(is_whole);
  if (is_whole) {
    Ref<Storage> host = writes_ ? x.on_host() : Ref<Storage>();
    storage(host);
    if (!writes_) x.storage_ = std::move(host);
    return true;
  }
  if (!writes_) x.rare().overwritten = std::make_unique<Buffer::Overwritten>();
  Buffer::Overwritten& o = *x.rare().overwritten;
  geometry(o.geometry);
  (*this)(o.begin);
  const auto n = size_t(o.geometry->shape.numel() * item_size(o.geometry->dtype));
  if (!writes_) {
    if (n > from_.size()) too_short();
    o.old = std::make_unique<std::byte[]>(n);
  }
  bytes(o.old.get(), n);
  return false;
}

// Iterates instead of recursing: a loop over the elements of a matrix makes a long chain.
void Archive::buffer(std::shared_ptr<Buffer>& first) {
  std::shared_ptr<Buffer>* next = &first;
  while (true) {
    size_t place = 0;  // 0: null; else the index in buffers_ plus 1
    bool is_new = false;
    if (writes_ && *next) {
      const auto [at, fresh] = places_.emplace(next->get(), places_.size() + 1);
      place = at->second, is_new = fresh;
      if (fresh) buffers_.push_back(*next);
    }
    (*this)(place), (*this)(is_new);
    if (!writes_ && place > 0) {
      if (is_new) buffers_.push_back(std::shared_ptr<Buffer>(new Buffer()));
      if (place > buffers_.size()) too_short();
      *next = buffers_[place - 1];
    }
    if (!is_new) return;
    Buffer& made = **next;
    if (content(made)) return;
    next = &made.rare().later;
  }
}

// Archives the writer of each buffer, once all buffers are known.
void Archive::writers() {
  for (const std::shared_ptr<Buffer>& made : buffers_) {
    Buffer::Writer& writer = made->writer;
    (*this)(writer.call), (*this)(writer.out);
    const auto known = writes_ ? places_.find(writer.before) : places_.end();
    size_t before = known == places_.end() ? 0 : known->second;
    (*this)(before);
    if (writes_) continue;
    if (before > buffers_.size()) too_short();
    writer.before = before > 0 ? buffers_[before - 1].get() : nullptr;
  }
}

void Archive::operator()(Snapshot& x) {
  bool has = bool(x);
  (*this)(has);
  if (!has) return;
  buffer(x.buffer);
  (*this)(x.offset);
  geometry(x.geometry);
}

// ---- what was recorded
void Archive::operator()(RecordedNode& x) {
  (*this)(x.seq), (*this)(x.name), (*this)(x.shape), (*this)(x.to), (*this)(x.call), (*this)(x.leaf);
}

void Archive::operator()(RecordedBackwardStep& x) {
  (*this)(x.node), (*this)(x.name), (*this)(x.grads), (*this)(x.out), (*this)(x.to);
  (*this)(x.first_call), (*this)(x.last_call);
}

void Archive::recorder(Recorder& r, const Op& (*find_op)(const std::string& name)) {
  size_t n = r.calls_.size();
  (*this)(n);
  for (size_t i = 0; i < n; ++i) {
    if (!writes_)
      r.calls_.push_back({.op = nullptr, .attr = Attr(NoAttr()), .in = {}, .out = {}, .part_of = {}});
    RecordedCall& c = r.calls_[i];
    bool is_python = writes_ && c.op->formula == std::string_view("what Python computes");
    (*this)(is_python);
    if (is_python) {
      std::string name = writes_ ? c.op->name : "";
      (*this)(name);
      if (!writes_) c.op = &find_op(name);
    } else {
      (*this)(c.op);
    }
    std::string attr = writes_ ? std::string(static_cast<const char*>(c.attr.data()), c.attr.size()) : "";
    (*this)(c.attr), (*this)(attr);
    if (!writes_) c.attr = c.attr.kept_at(r.kept(*c.op, Attr(c.attr).kept_at(attr.data())));
    size_t in = c.in.size(), out = c.out.size();
    (*this)(in), (*this)(out);
    if (!writes_) {
      if (in + out > from_.size()) too_short();
      const std::span<Snapshot> values = r.values_.add(in + out);
      c.in = values.first(in), c.out = values.subspan(in);
    }
    for (const std::span<const Snapshot> values : {c.in, c.out})
      for (const Snapshot& x : values) (*this)(const_cast<Snapshot&>(x));  // owned by r.values_
    (*this)(c.node), (*this)(c.backward_of), (*this)(c.part_of), (*this)(c.is_view), (*this)(c.in_backward);
  }
  (*this)(r.backwards_), (*this)(r.gradients_), (*this)(r.scopes_), (*this)(r.nodes_), (*this)(r.by_hand_);
  n = r.befores_.size();
  (*this)(n);
  if (!writes_) r.befores_.resize(n);
  for (std::shared_ptr<Buffer>& before : r.befores_) buffer(before);
  n = r.failed_.size();
  (*this)(n);
  if (!writes_) r.failed_.resize(n);
  for (std::shared_ptr<Buffer>& before : r.failed_) buffer(before);
  writers();
}

}  // namespace glassgrad

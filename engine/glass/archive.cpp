#include "archive.h"

#include <cstring>

namespace glassgrad {
namespace {

void check_length(bool is_enough) { check(is_enough, "a recording has come that ends too soon"); }

}  // namespace

void Archive::bytes(void* x, size_t n) {
  if (writes_) {
    written_.append(static_cast<const char*>(x), n);
    return;
  }
  check_length(n <= from_.size());
  if (n > 0) std::memcpy(x, from_.data(), n);
  from_.remove_prefix(n);
}

size_t Archive::count(size_t n) {
  (*this)(n);
  check_length(writes_ || n <= from_.size());
  return n;
}

void Archive::operator()(std::string& x) {
  x.resize(count(x.size()));
  bytes(x.data(), x.size());
}

// ---- snapshots
void Archive::operator()(Ref<Geometry>& x) {
  if (!writes_) x = Ref<Geometry>(new Geometry{{}, Dims(), Dims(), float32, false});
  (*this)(x->shape, x->strides, x->dtype, x->is_number);
}

// Returns false if the bytes are those of the later buffer, except for the overwritten ones.
bool Archive::content(Buffer& x) {
  size_t chain_length = x.chain_length(), saved_bytes = x.saved_bytes();
  bool is_whole = bool(x.storage_);
  (*this)(x.bytes_, chain_length, saved_bytes, is_whole);
  if (!writes_ && chain_length > 0) x.rare().chain_length = chain_length, x.rare().saved_bytes = saved_bytes;
  if (is_whole) {
    const Ref<Storage> host = writes_ ? x.on_host() : Ref<Storage>();
    const size_t n = count(host ? host->bytes : 0);
    if (!writes_) x.storage_ = new_storage(n);
    bytes((writes_ ? host : x.storage_)->data, n);
    return true;
  }
  if (!writes_) x.rare().overwritten = std::make_unique<Buffer::Overwritten>();
  Buffer::Overwritten& o = *x.rare().overwritten;
  (*this)(o.geometry, o.begin);
  const size_t n = count(size_t(o.geometry->shape.numel() * item_size(o.geometry->dtype)));
  if (!writes_) o.old = std::make_unique<std::byte[]>(n);
  bytes(o.old.get(), n);
  return false;
}

// Iterates instead of recursing: a loop over the elements of a matrix makes a long chain.
void Archive::operator()(std::shared_ptr<Buffer>& first) {
  std::shared_ptr<Buffer>* next = &first;
  while (true) {
    size_t place = 0;  // 0: null; else the index in buffers_ plus 1
    bool is_new = false;
    if (writes_ && *next) {
      const auto [at, fresh] = places_.emplace(next->get(), places_.size() + 1);
      place = at->second, is_new = fresh;
      if (fresh) buffers_.push_back(*next);
    }
    (*this)(place, is_new);
    if (!writes_ && place > 0) {
      if (is_new) buffers_.push_back(std::shared_ptr<Buffer>(new Buffer()));
      check_length(place <= buffers_.size());
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
    const auto known = writes_ ? places_.find(writer.before) : places_.end();
    size_t before = known == places_.end() ? 0 : known->second;
    (*this)(writer.call, writer.out, before);
    if (writes_) continue;
    check_length(before <= buffers_.size());
    writer.before = before > 0 ? buffers_[before - 1].get() : nullptr;
  }
}

void Archive::operator()(Snapshot& x) {
  bool has = bool(x);
  (*this)(has);
  if (has) (*this)(x.buffer, x.offset, x.geometry);
}

// ---- what was recorded
void Archive::recorder(Recorder& r, const Op& (*find_op)(const std::string& name)) {
  r.calls_.resize(count(r.calls_.size()),
                  {.op = nullptr, .attr = Attr(NoAttr()), .in = {}, .out = {}, .part_of = {}});
  for (RecordedCall& c : r.calls_) {
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
    (*this)(c.attr, attr);
    if (!writes_) c.attr = c.attr.kept_at(r.kept(*c.op, Attr(c.attr).kept_at(attr.data())));
    const size_t in = count(c.in.size()), out = count(c.out.size());
    if (!writes_) {
      const std::span<Snapshot> values = r.values_.add(in + out);
      c.in = values.first(in), c.out = values.subspan(in);
    }
    for (const std::span<const Snapshot> values : {c.in, c.out})
      for (const Snapshot& x : values) (*this)(const_cast<Snapshot&>(x));  // owned by r.values_
    (*this)(c.node, c.backward_of, c.part_of, c.is_view, c.in_backward);
  }
  (*this)(r.backwards_, r.gradients_, r.scopes_, r.nodes_, r.by_hand_);
  r.overwritten_.resize(count(r.overwritten_.size()));
  for (auto& [call, before] : r.overwritten_) (*this)(call, before);
  writers();
}

}  // namespace glassgrad

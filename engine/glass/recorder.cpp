#include "recorder.h"

#include <algorithm>
#include <cstring>

#include "../graph.h"

namespace glassgrad {

void Recorder::before_write(const Tensor& x) {
  const auto same_memory = [&](const AnnouncedWrite& a) { return root_of(a.storage) == root_storage(x); };
  if (std::any_of(announced_.begin(), announced_.end(), same_memory)) drop_failed_writes();
  snapshots_.take(x);  // registers a tensor that was not seen so far
  announced_.push_back(snapshots_.before_write(x));
}

// Returns null unless this call has announced a write to x's memory.
AnnouncedWrite* Recorder::announced(const Tensor& x) {
  if (announced_.empty()) [[likely]]
    return nullptr;
  for (auto a = announced_.rbegin(); a != announced_.rend(); ++a)
    if (a->before && root_of(a->storage) == root_storage(x)) return &*a;
  return nullptr;
}

// If an op fails after it has announced a write, the version is unchanged and so are the numbers.
void Recorder::drop_failed_writes() {
  std::erase_if(announced_, [&](AnnouncedWrite& a) {
    if (a.has_happened()) return false;
    if (!a.before || snapshots_.undo_write(a)) return true;
    snapshots_.buffer_of(root_of(a.storage))->writer.before = a.before.get();
    overwritten_.push_back({Buffer::Writer::kNobody, std::move(a.before)});
    return true;
  });
}

void Recorder::scope(const char* name, bool enter) {
  if (!enter && open_scopes_.empty()) return;  // entered before the recording began
  if (!enter) return open_scopes_.pop_back();
  std::optional<uint32_t> outer;
  if (!open_scopes_.empty()) outer = open_scopes_.back();
  open_scopes_.push_back(uint32_t(scopes_.size()));
  scopes_.push_back({name, outer});
}

void Recorder::module_scope(const char* name, bool enter) {
  Recorder::scope(name, enter);
  if (enter) scopes_.back().is_module = true;
}

Snapshot Recorder::leaf_of(const Node& sink) {
  const Ref<Impl> leaf = lock_weak(sink.leaf);
  return leaf ? snapshots_.take(Tensor(leaf)) : Snapshot();
}

// A leaf that was written since its last node gets a new node.
size_t Recorder::note_leaf(const Node& sink) {
  const Snapshot value = leaf_of(sink);
  const auto known = leaves_.find(&sink);
  if (known != leaves_.end() && nodes_[known->second].leaf.buffer == value.buffer) return known->second;
  nodes_.push_back({.seq = 0,
                    .name = sink.name(),
                    .shape = value ? value.shape() : Dims(),
                    .to = {},
                    .call = {},
                    .leaf = value});
  return leaves_[&sink] = nodes_.size() - 1;
}

// Iterates instead of recursing, because graphs are long: a node is noted after all nodes that it leads to.
size_t Recorder::note(const Node& last) {
  std::vector<const Node*> open{&last};
  while (!open.empty()) {
    const Node& node = *open.back();
    const size_t before = open.size();
    const bool known = inner_nodes_.contains(node.seq);
    if (!known)
      for (const Edge& e : node.inputs())
        if (e.node && e.node->run && !inner_nodes_.contains(e.node->seq)) open.push_back(e.node.get());
    if (open.size() > before) continue;
    open.pop_back();
    if (known) continue;
    RecordedNode noted{.seq = node.seq, .name = node.name(), .shape = {}, .to = {}, .call = {}, .leaf = {}};
    if (node.n_outputs > 0) noted.shape = node.outputs[0].shape;
    for (const Edge& e : node.inputs())
      noted.to.push_back(!e.node       ? RecordedNode::kNowhere
                         : e.node->run ? inner_nodes_.at(e.node->seq)
                                       : note_leaf(*e.node));
    inner_nodes_[node.seq] = nodes_.size();
    nodes_.push_back(std::move(noted));
  }
  return inner_nodes_.at(last.seq);
}

std::optional<size_t> Recorder::node_of(const Tensor& x) {
  if (!x || has_invalid_fn(x) || !grad_fn(x)) return {};
  return note(*grad_fn(x));
}

// Returns the kept bytes of a call's attributes. Equal bytes of the op's previous call are shared.
const void* Recorder::kept(const Op& op, const Attr& attr) {
  const auto* const bytes = static_cast<const std::byte*>(attr.data());
  const size_t n = attr.size();
  std::span<std::byte>& last = last_attrs_[(reinterpret_cast<uintptr_t>(&op) >> 4) % last_attrs_.size()];
  if (last.size() != n || std::memcmp(last.data(), bytes, n) != 0) {
    constexpr size_t kAlign = alignof(std::max_align_t);
    last = attrs_.add((n + kAlign - 1) / kAlign * kAlign).first(n);
    std::memcpy(last.data(), bytes, n);
  }
  return last.data();
}

void Recorder::op(const Call& call) {
  if (!announced_.empty()) drop_failed_writes();
  const std::span<Snapshot> values = values_.add(call.in.size() + call.out.size());
  const std::span<Snapshot> in = values.first(call.in.size()), out = values.subspan(call.in.size());
  for (size_t k = 0; k < in.size(); ++k) {
    const Tensor& x = *call.in[k];
    in[k] = snapshots_.take(x);
    if (const AnnouncedWrite* const a = x ? announced(x) : nullptr) in[k].buffer = a->before;
  }
  for (size_t k = 0; k < out.size(); ++k) out[k] = snapshots_.take(call.out[k]);

  RecordedCall c{.op = &call.op,
                 .attr = call.attr.kept_at(kept(call.op, call.attr)),
                 .in = in,
                 .out = out,
                 .part_of = {}};
  for (size_t k = 0; k < c.out.size(); ++k) {
    if (!c.out[k]) continue;
    Buffer::Writer& writer = c.out[k].buffer->writer;
    if (AnnouncedWrite* const a = announced(call.out[k])) {
      writer = {calls_.size(), k, a->before.get()};
      overwritten_.push_back({calls_.size(), std::move(a->before)});
      continue;
    }
    const auto same_memory = [&](const Snapshot& x) { return x.buffer == c.out[k].buffer; };
    if (std::any_of(c.in.begin(), c.in.end(), same_memory))
      c.is_view = true;
    else
      writer = {calls_.size(), k, nullptr};
  }
  announced_.clear();
  if (!call.backward_of && !call.out.empty() && call.out[0] && call.out[0]->fn) c.node = call.out[0]->fn->seq;
  c.in_backward = call.backward_of != nullptr;
  if (c.in_backward) c.backward_of = call.backward_of->seq;
  if (!open_scopes_.empty()) c.part_of = open_scopes_.back();
  if (with_graph_ && c.node && !inner_nodes_.contains(c.node))
    nodes_[note(*call.out[0]->fn)].call = calls_.size();
  calls_.push_back(c);
}

std::string Recorder::scope_of(const RecordedCall& call) const {
  return call.part_of ? scopes_[*call.part_of].name : "";
}

std::string Recorder::path_of(std::optional<uint32_t> scope) const {
  if (!scope) return "";
  std::string path = scopes_[*scope].name;
  for (auto outer = scopes_[*scope].part_of; outer; outer = scopes_[*outer].part_of)
    if (scopes_[*outer].part_of) path.insert(0, scopes_[*outer].name + ".");
  return path;
}

std::string Recorder::open_path(size_t left) const {
  std::string path;
  for (size_t i = 1; i + left < open_scopes_.size(); ++i) path += scopes_[open_scopes_[i]].name + ".";
  return path;
}

RecordedEdge Recorder::recorded(const Edge& e) {
  if (!e.node) return {};
  if (e.node->run) return {e.node->seq, e.nr, {}};
  return {0, 0, leaf_of(*e.node)};
}

void Recorder::backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) {
  if (!with_graph_) return;
  RecordedBackwardStep b{.node = node.seq, .name = node.name(), .grads = {}, .out = {}, .to = {}};
  for (const Tensor& g : grads) b.grads.push_back(snapshots_.take(g));
  for (const Tensor& g : out) b.out.push_back(snapshots_.take(g));
  for (const Edge& e : node.inputs()) b.to.push_back(recorded(e));
  b.first_call = calls_seen_by_backward_;
  while (b.first_call < calls_.size() && calls_[b.first_call].backward_of != node.seq) ++b.first_call;
  b.last_call = calls_seen_by_backward_ = calls_.size();
  backwards_.push_back(std::move(b));
}

void Recorder::leaf_gradient(const Tensor& leaf, const Tensor& grad) {
  gradients_.push_back({snapshots_.take(leaf), snapshots_.take(grad)});
}

std::optional<CellOfCall> Recorder::writer(const Snapshot& x, const Dims& index) const {
  const auto cell = writer_before_hand(x, index);
  const bool by_hand = cell && std::find(by_hand_.begin(), by_hand_.end(), *cell) != by_hand_.end();
  return by_hand ? std::nullopt : cell;
}

std::optional<CellOfCall> Recorder::writer(const Snapshot& x) const {
  return x.shape().numel() == 0 ? std::nullopt : writer(x, index_of(x.shape(), 0));
}

std::optional<CellOfCall> Recorder::writer_before_hand(const Snapshot& x, const Dims& index) const {
  const int64_t place = x.place(index);
  for (const Buffer* buffer = x.buffer.get(); buffer; buffer = buffer->writer.before) {
    const auto& [call, out, before] = buffer->writer;
    if (call == Buffer::Writer::kNobody) continue;
    const Snapshot& written = calls_[call].out[out];
    if (const auto at = index_of_offset(written.shape(), written.strides(), place - written.offset))
      return CellOfCall{call, out, *at};
  }
  return {};
}

Opened Recorder::open(const CellOfCall& cell) const {
  const RecordedCall& c = calls_[cell.call];
  std::vector<Tensor> in, out;
  std::vector<const Tensor*> pointers;
  for (const Snapshot& s : c.in) in.push_back(s.tensor());
  for (const Tensor& x : in) pointers.push_back(&x);
  for (const Snapshot& s : c.out) out.push_back(s.tensor());
  return glassgrad::open({{*c.op, c.attr, pointers, out, nullptr}, cell.out, cell.index});
}

}  // namespace glassgrad

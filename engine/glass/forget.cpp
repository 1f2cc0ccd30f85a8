// Drops the start of a long recording, so that the last rounds of a loop take no more memory than they need.
#include <algorithm>

#include "recorder.h"

namespace glassgrad {

RecordedSize Recorder::size() const {
  return {calls_.size(), backwards_.size(), gradients_.size(), nodes_.size(), scopes_.size()};
}

void Recorder::forget(const RecordedSize& gone) {
  const size_t calls = gone.calls, nodes = gone.nodes;
  const auto drop = [](auto& list, size_t n) { list.erase(list.begin(), list.begin() + std::ptrdiff_t(n)); };
  // A buffer that a call has written is a result of that call.
  for (size_t c = 0; c < calls_.size(); ++c)
    for (size_t k = 0; k < calls_[c].out.size(); ++k) {
      if (!calls_[c].out[k]) continue;
      Buffer::Writer& writer = calls_[c].out[k].buffer->writer;
      if (writer.call != c || writer.out != k) continue;
      if (c < calls)
        writer = {};
      else
        writer.call -= calls;
    }
  std::erase_if(overwritten_, [&](const Overwritten& o) { return o.call < calls; });
  for (Overwritten& o : overwritten_)
    if (o.call != Buffer::Writer::kNobody) o.call -= calls;
  for (size_t c = 0; c < calls; ++c)
    for (const std::span<const Snapshot> values : {calls_[c].in, calls_[c].out})
      for (const Snapshot& x : values) const_cast<Snapshot&>(x) = {};  // owned by values_
  drop(calls_, calls);
  const auto has_values = [](const RecordedCall& c) { return !c.in.empty() || !c.out.empty(); };
  const auto first = std::find_if(calls_.begin(), calls_.end(), has_values);
  values_.forget_before(first == calls_.end() ? nullptr
                        : first->in.empty()   ? first->out.data()
                                              : first->in.data());
  drop(backwards_, gone.backwards);
  for (RecordedBackwardStep& b : backwards_) b.first_call -= calls, b.last_call -= calls;
  drop(gradients_, gone.gradients);

  drop(nodes_, nodes);
  for (RecordedNode& n : nodes_) {
    for (size_t& to : n.to)
      if (to != RecordedNode::kNowhere) to = to < nodes ? RecordedNode::kNowhere : to - nodes;
    if (n.call) n.call = *n.call < calls ? std::nullopt : std::optional(*n.call - calls);
  }
  const auto follow = [nodes](auto& places) {
    std::erase_if(places, [&](const auto& p) { return p.second < nodes; });
    for (auto& p : places) p.second -= nodes;
  };
  follow(inner_nodes_);
  follow(leaves_);

  const Arena<std::byte> attrs = std::move(attrs_);  // the calls still point into its bytes
  attrs_ = {};
  last_attrs_ = {};
  for (RecordedCall& c : calls_) c.attr = c.attr.kept_at(kept(*c.op, c.attr));
  std::erase_if(by_hand_, [&](const CellOfCall& c) { return c.call < calls; });
  for (CellOfCall& c : by_hand_) c.call -= calls;
  calls_seen_by_backward_ -= std::min(calls_seen_by_backward_, calls);
  if (open_scopes_.empty()) {
    drop(scopes_, gone.scopes);
    for (RecordedCall& c : calls_)
      if (c.part_of) *c.part_of -= uint32_t(gone.scopes);
    for (RecordedScope& s : scopes_)
      if (s.part_of) *s.part_of -= uint32_t(gone.scopes);
  }
  snapshots_.forget_unused();
}

// Drops memory that only these snapshots still hold.
void Snapshots::forget_unused() {
  live_.erase_if([](const std::shared_ptr<Buffer>& buffer) {
    return buffer.use_count() == 1 && buffer->storage_ && buffer->storage_->unique();
  });
}

}  // namespace glassgrad

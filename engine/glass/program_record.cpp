// Names the tensors of a program under glass: as the program did, or after the op that made them.
#include "program_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "../graph.h"

namespace glassgrad::why {

// ---- names that the program gave
std::string GivenNames::Name::text() const { return turn == 1 ? name : fmt::format("{}#{}", name, turn); }

void GivenNames::index() {
  for (Name& one : std::exchange(new_, {})) {
    std::vector<Name>& all = all_[one.x.buffer.get()];
    const auto same = [&](const Name& n) { return n.name == one.name && same_elements(n.x, one.x); };
    if (const auto known = std::find_if(all.begin(), all.end(), same); known != all.end()) {
      known->is_own = known->is_own || one.is_own;
      if (known->where.empty()) known->where = one.where;
      continue;
    }
    one.turn = ++turns_[one.name];
    all.push_back(std::move(one));
  }
}

void GivenNames::forget_unused(Snapshots& snapshots) {
  std::unordered_map<const Buffer*, long> held;
  for (const Name& n : new_) ++held[n.x.buffer.get()];
  std::erase_if(new_, [&](const Name& n) {  // the + 1 is the reference of snapshots
    long& names = held.at(n.x.buffer.get());
    if (names < 0) return true;
    if (n.x.buffer.use_count() > names + 1 || !snapshots.forget(n.x.buffer.get())) return false;
    names = -1;
    return true;
  });
}

// ---- calls
void CallIndex::index(const std::deque<RecordedCall>& calls) {
  for (size_t i = turns.size(); i < calls.size(); ++i) {
    const RecordedCall& c = calls[i];
    turns.push_back(++calls_of_op_[c.op]);
    if (c.node) call_of_node.emplace(c.node, i);
    for (const Snapshot& x : c.in) {
      if (!x || x.is_number()) continue;
      Uses& of_x = uses[x.buffer.get()];
      if (of_x.readers.empty() || of_x.readers.back() != i) of_x.readers.push_back(i);
      if (!of_x.given && !Recorder::is_written(x)) of_x.given = ++given_;
    }
    for (size_t k = 0; k < c.out.size(); ++k)
      if (c.out[k]) uses[c.out[k].buffer.get()].makers.emplace_back(i, k);
  }
}

// ---- gradients
void Gradients::index(const CallIndex& index, const std::deque<RecordedCall>& calls) {
  for (Gradient& g : std::exchange(new_, {})) {
    if (const auto call = index.call_of_node.find(g.node); call != index.call_of_node.end())
      if (const auto& out = calls[call->second].out; g.out < out.size()) g.of = out[g.out];
    if (g.of && g.grad) all_[g.grad.buffer.get()].push_back(std::move(g));
  }
}

// ---- writes that were not watched
void UnseenWrites::announce(const Tensor& x, Snapshots& snapshots) {
  drop_refused(snapshots);
  if (!snapshots.find(x)) return;
  AnnouncedWrite write = snapshots.before_write(x);
  const Buffer* const after = snapshots.take(x).buffer.get();
  written_.insert(after);
  latest_.emplace(std::this_thread::get_id(), std::pair(std::move(write), after));
}

void UnseenWrites::drop_refused(Snapshots& snapshots) {
  const auto last = latest_.extract(std::this_thread::get_id());
  if (last.empty() || last.mapped().first.has_happened()) return;
  if (snapshots.undo_write(last.mapped().first)) written_.erase(last.mapped().second);
}

// ---- the record
void ProgramRecord::name(const Tensor& x, const std::string& name, const Naming& how) {
  if (x)
    names_.add({snapshots().take(x), how.is_own ? name : open_path(how.left) + name, how.where, how.is_own});
}
void ProgramRecord::named(const Tensor& x, const char* name) { this->name(x, name, {.is_own = false}); }
void ProgramRecord::backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor>) {
  for (size_t k = 0; k < grads.size(); ++k)
    if (grads[k]) gradients_.add({.grad = snapshots().take(grads[k]), .of = {}, .node = node.seq, .out = k});
}
void ProgramRecord::leaf_gradient(const Tensor& leaf, const Tensor& grad) {
  gradients_.add({.grad = snapshots().take(grad), .of = snapshots().take(leaf)});
}

void ProgramRecord::index() {
  names_.index();
  index_.index(calls());
  gradients_.index(index_, calls());
}

Snapshot ProgramRecord::seen(const Tensor& x) {
  unseen_.drop_refused(snapshots());
  return snapshots().find(x);
}

Snapshot ProgramRecord::known(const Tensor& x) {
  check<ValueError>(bool(x), "no tensor, so no number to open");
  Snapshot s = seen(x);
  check<ValueError>(bool(s), "nothing under this glass has computed or read this tensor");
  return s;
}

// ---- names of all tensors
std::string ProgramRecord::name_of_call(size_t call, size_t out) const {
  const std::string name = fmt::format("{} {}", calls()[call].op->name, index_.turns[call]);
  return out == 0 ? name : fmt::format("{}.{}", name, out);
}

std::string ProgramRecord::place_of(const RecordedCall& call) const {
  if (call.in_backward) return ", going backward";
  const std::string path = path_of(call.part_of);
  return path.empty() ? "" : " in " + path;
}

// Prefers, in this order: a name of exactly the same elements, a name that the program itself gave (not a
// function it calls), contiguous rows, the newest name.
const GivenNames::Name* ProgramRecord::best_name(const SnapshotElement& number) const {
  const GivenNames::Name* best = nullptr;
  std::array<bool, 3> best_rank{};
  for (const GivenNames::Name& n : names_.of(number.x)) {
    if (!index_in(n.x, number)) continue;
    const int last = n.x.shape().n - 1;
    const bool has_rows = last < 0 || n.x.shape()[last] <= 1 || n.x.strides()[last] == 1;
    const std::array<bool, 3> rank{same_elements(n.x, number.x), n.is_own, has_rows};
    if (!best || rank >= best_rank) best = &n, best_rank = rank;
  }
  return best;
}

// Returns the name of x if x is the gradient of a named tensor; leaves come first.
std::optional<std::string> ProgramRecord::gradient_name(const Snapshot& x) const {
  for (const bool of_leaf : {true, false})
    for (const Gradients::Gradient& g : gradients_.of(x))
      if ((g.node == 0) == of_leaf && same_elements(g.grad, x) && !names_.of(g.of).empty())
        return names_of(g.of).front() + ".grad";
  return {};
}

bool ProgramRecord::is_named(const SnapshotElement& number) const {
  return best_name(number) || gradient_name(number.x);
}

// Names a tensor that no call has computed and the program has not named, by its turn among such tensors.
std::string ProgramRecord::given_name(const Snapshot& x) const {
  const size_t turn = index_.uses.of(x).given;
  return turn ? fmt::format("given {}", turn) : "given";
}

std::string ProgramRecord::name_of(const SnapshotElement& number) const {
  if (const auto* n = best_name(number)) return n->text() + cell_text(*index_in(n->x, number));
  if (const auto name = gradient_name(number.x)) return *name + cell_text(number.index);
  if (const auto writer = this->writer(number.x, number.index))
    return name_of_call(writer->call, writer->out) + cell_text(writer->index);
  return given_name(number.x) + cell_text(number.index);
}

std::vector<std::string> ProgramRecord::names_of(const Snapshot& x) const {
  std::vector<std::string> names;
  for (const bool own : {true, false})
    for (const GivenNames::Name& n : names_.of(x))
      if (n.is_own == own && same_elements(n.x, x)) names.push_back(n.text());
  if (!names.empty()) return names;
  if (const auto name = gradient_name(x)) return {*name};
  for (const auto& [call, out] : index_.uses.of(x).makers)
    if (same_elements(calls()[call].out[out], x)) return {name_of_call(call, out)};
  return {given_name(x)};
}

}  // namespace glassgrad::why

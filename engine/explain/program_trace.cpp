#include "program_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "../graph.h"

namespace glassgrad::why {
namespace {

// The existing traces, the oldest first.
std::mutex traces_mutex;
std::vector<ProgramTrace*>& traces() {
  static auto& all = *new std::vector<ProgramTrace*>;  // outlives static tensors
  return all;
}

// This thread's traces, and the observer that each has replaced; the latest is last.
struct Watched {
  Ref<ProgramTrace> trace;
  Observer* before;
  std::unique_ptr<Observers> both;
  Observer* now;
};
thread_local std::vector<Watched> watched;

}  // namespace

void release(ProgramTrace* trace) noexcept {
  if (trace->drop()) delete trace;
}

ProgramTrace::ProgramTrace() : Recorder(false) {
  const std::lock_guard lock(traces_mutex);
  traces().push_back(this);
  glassgrad::before_any_write = ProgramTrace::before_any_write;
}

void ProgramTrace::watch(const Ref<ProgramTrace>& trace) {
  Watched w{.trace = trace, .before = watching, .both = nullptr, .now = trace.get()};
  if (watching) {
    w.both = std::make_unique<Observers>(std::vector<Observer*>{watching, trace.get()});
    w.now = w.both.get();
  }
  watching = w.now;
  watched.push_back(std::move(w));
}

ProgramTrace::~ProgramTrace() {
  const std::lock_guard lock(traces_mutex);
  std::erase(traces(), this);
  if (traces().empty()) glassgrad::before_any_write = nullptr;
}

std::vector<Ref<ProgramTrace>> ProgramTrace::all() {
  const std::lock_guard lock(traces_mutex);
  std::vector<Ref<ProgramTrace>> all;
  for (auto trace = traces().rbegin(); trace != traces().rend(); ++trace)
    for (uint32_t n = (*trace)->count.load(); n > 0;)  // 0: it is being destroyed
      if ((*trace)->count.compare_exchange_weak(n, n + 1)) {
        all.emplace_back(*trace);
        break;
      }
  return all;
}

// If a newer observer sits on top of this trace, the trace stays in the chain but ignores the ops.
void ProgramTrace::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (watches_) forget_unused_names();
    watches_ = false;
  }
  while (!watched.empty() && !watched.back().trace->watches_ && watching == watched.back().now) {
    watching = watched.back().before;
    const Watched last = std::move(watched.back());  // may destroy the trace
    watched.pop_back();
  }
}

// ---- what is watched
void ProgramTrace::op(const Call& call) {
  const std::lock_guard lock(mutex_);
  if (watches_) Recorder::op(call);
}
void ProgramTrace::before_write(const Tensor& x) {
  const std::lock_guard lock(mutex_);
  if (watches_) Recorder::before_write(x);
}
void ProgramTrace::scope(const char* name, bool enter) {
  const std::lock_guard lock(mutex_);
  if (watches_ && (enter || !open_scopes().empty())) Recorder::scope(name, enter);
}
void ProgramTrace::module_scope(const char* name, bool enter) {
  const std::lock_guard lock(mutex_);
  if (watches_ && (enter || !open_scopes().empty())) Recorder::module_scope(name, enter);
}
void ProgramTrace::named(const Tensor& x, const char* name) {
  const std::lock_guard lock(mutex_);
  if (watches_) this->name(x, qualified(name), {.is_own = false});
}
void ProgramTrace::backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor>) {
  const std::lock_guard lock(mutex_);
  if (!watches_) return;
  for (size_t k = 0; k < grads.size(); ++k)
    if (grads[k]) gradients_of_nodes_.push_back({node.seq, k, snapshots().take(grads[k])});
}
void ProgramTrace::leaf_gradient(const Tensor& leaf, const Tensor& grad) {
  const std::lock_guard lock(mutex_);
  if (watches_) Recorder::leaf_gradient(leaf, grad);
}

// Handles writes that the trace does not observe: those after stop(), and those by other threads.
void ProgramTrace::before_any_write(const Tensor& x) {
  const std::lock_guard lock(traces_mutex);
  for (ProgramTrace* const trace : traces()) {
    const bool is_told =
        trace->watches_ &&
        std::any_of(watched.begin(), watched.end(), [&](const Watched& w) { return w.trace.get() == trace; });
    if (is_told) continue;
    const std::lock_guard hold(trace->mutex_);
    trace->drop_refused_write();
    if (!trace->snapshots().find(x)) continue;
    Unseen write{std::this_thread::get_id(),         x->storage, root_storage(x), x.version(),
                 trace->snapshots().before_write(x), nullptr};
    write.after = trace->snapshots().take(x).buffer.get();
    trace->written_unseen_.insert(write.after);
    trace->unseen_.push_back(std::move(write));
  }
}

// Checks this thread's announced write, of which there is at most one. If the storage's version has not
// grown, the op refused the write, and the snapshots share the memory again.
void ProgramTrace::drop_refused_write() {
  const auto last = std::find_if(unseen_.begin(), unseen_.end(),
                                 [](const Unseen& w) { return w.thread == std::this_thread::get_id(); });
  if (last == unseen_.end()) return;
  const Unseen write = std::move(*last);
  unseen_.erase(last);
  if (write.storage->version == write.version && snapshots().undo_write(write.before, write.root))
    written_unseen_.erase(write.after);
}

// ---- tensors
Snapshot ProgramTrace::seen(const Tensor& x) {
  const std::lock_guard lock(mutex_);
  drop_refused_write();
  return snapshots().find(x);
}

Snapshot ProgramTrace::known(const Tensor& x) {
  check<ValueError>(bool(x), "no tensor, so no number to open");
  Snapshot s = seen(x);
  check<ValueError>(bool(s), "nothing under this glass has computed or read this tensor");
  return s;
}

// ---- names
std::string ProgramTrace::qualified(const std::string& name, size_t left) const {
  const std::lock_guard lock(mutex_);
  std::string path;
  for (size_t i = 1; i + left < open_scopes().size(); ++i)  // the outermost is the module that was called
    path += scopes()[open_scopes()[i]].name + ".";
  return path + name;
}

void ProgramTrace::name(const Tensor& x, const std::string& name, const Naming& how) {
  const std::lock_guard lock(mutex_);
  if (!x) return;
  notes_.push_back(
      {snapshots().take(x), &*texts_.insert(name).first, &*texts_.insert(how.where).first, how.is_own});
}

// Drops names of variables that the program never used under glass.
void ProgramTrace::forget_unused_names() {
  std::unordered_map<const Buffer*, long> held;
  for (const Note& n : notes_) ++held[n.x.buffer.get()];
  std::erase_if(notes_, [&](const Note& n) {  // the + 1 is the reference of snapshots()
    long& notes = held.at(n.x.buffer.get());
    if (notes < 0) return true;
    if (n.x.buffer.use_count() > notes + 1 || !snapshots().forget(n.x.buffer.get())) return false;
    notes = -1;
    return true;
  });
}

void ProgramTrace::index_names() {
  for (; notes_seen_ < notes_.size(); ++notes_seen_) {
    const Note& note = notes_[notes_seen_];
    std::vector<Named>& all = names_[note.x.buffer.get()];
    const auto same = [&](const Named& n) { return n.name == note.name && same_elements(n.x, note.x); };
    if (const auto known = std::find_if(all.begin(), all.end(), same); known != all.end()) {
      known->is_own = known->is_own || note.is_own;
      if (known->where->empty()) known->where = note.where;
      continue;
    }
    const int turn = ++turns_[note.name];
    all.push_back({note.x, turn == 1 ? *note.name : fmt::format("{}#{}", *note.name, turn), note.name,
                   note.where, note.is_own});
  }
}

void ProgramTrace::index() {
  index_names();
  for (; gradients_seen_ < gradients().size(); ++gradients_seen_) {
    const RecordedGradient& g = gradients()[gradients_seen_];
    if (g.leaf && g.grad) leaves_[g.grad.buffer.get()].emplace_back(g.grad, g.leaf);
  }
  for (; node_gradients_seen_ < gradients_of_nodes_.size(); ++node_gradients_seen_)
    nodes_[gradients_of_nodes_[node_gradients_seen_].grad.buffer.get()].push_back(node_gradients_seen_);
  for (; indexed_ < calls().size(); ++indexed_) {
    const RecordedCall& c = calls()[indexed_];
    call_turns_.push_back(++op_turns_[c.op]);
    if (c.node) call_of_node_.emplace(c.node, indexed_);
    for (const Snapshot& x : c.in) {
      if (!x || x.is_number()) continue;
      std::vector<size_t>& readers = readers_[x.buffer.get()];
      if (readers.empty() || readers.back() != indexed_) readers.push_back(indexed_);
      if (!is_written(x)) given_turns_.try_emplace(x.buffer.get(), given_turns_.size() + 1);
    }
    for (size_t k = 0; k < c.out.size(); ++k)
      if (c.out[k]) makers_[c.out[k].buffer.get()].emplace_back(indexed_, k);
  }
}

std::string ProgramTrace::path_of(const RecordedCall& call) const {
  std::string path;
  for (std::optional<uint32_t> at = call.part_of; at; at = scopes()[*at].part_of) {
    const RecordedScope& scope = scopes()[*at];
    if (path.empty())
      path = scope.name;
    else if (scope.part_of)  // the outermost is the module that was called
      path.insert(0, scope.name + ".");
  }
  return path;
}

std::string ProgramTrace::name_of_call(size_t call, size_t out) {
  const std::lock_guard lock(mutex_);
  index();
  const std::string name = fmt::format("{} {}", calls()[call].op->name, call_turns_[call]);
  return out == 0 ? name : fmt::format("{}.{}", name, out);
}

// Prefers, in this order: a name of exactly the same elements, a name that the program itself gave (not a
// function it calls), contiguous rows, the newest name.
const ProgramTrace::Named* ProgramTrace::best_name(const SnapshotElement& number) const {
  const auto found = names_.find(number.x.buffer.get());
  if (found == names_.end()) return nullptr;
  const Named* best = nullptr;
  std::array<bool, 3> best_rank{};
  for (const Named& n : found->second) {
    if (!index_in(n.x, number)) continue;
    const int last = n.x.shape().n - 1;
    const bool has_rows = last < 0 || n.x.shape()[last] <= 1 || n.x.strides()[last] == 1;
    const std::array<bool, 3> rank{same_elements(n.x, number.x), n.is_own, has_rows};
    if (!best || rank >= best_rank) best = &n, best_rank = rank;
  }
  return best;
}

// Returns the name of x if x is the gradient of a named tensor.
std::optional<std::string> ProgramTrace::gradient_name(const Snapshot& x) {
  if (const auto found = leaves_.find(x.buffer.get()); found != leaves_.end())
    for (const auto& [grad, leaf] : found->second)
      if (same_elements(grad, x) && names_.contains(leaf.buffer.get())) return name_of(leaf) + ".grad";
  if (const auto found = nodes_.find(x.buffer.get()); found != nodes_.end())
    for (const size_t g : found->second) {
      const auto& [node, k, grad] = gradients_of_nodes_[g];
      const auto call = call_of_node_.find(node);
      if (!same_elements(grad, x) || call == call_of_node_.end()) continue;
      const auto& out = calls()[call->second].out;
      if (k < out.size() && out[k] && names_.contains(out[k].buffer.get())) return name_of(out[k]) + ".grad";
    }
  return {};
}

// Names a tensor that no call has computed and the program has not named, by its turn among such tensors.
std::string ProgramTrace::given_name(const Snapshot& x) {
  const auto turn = given_turns_.find(x.buffer.get());
  return turn == given_turns_.end() ? "given" : fmt::format("given {}", turn->second);
}

std::string ProgramTrace::name_of(const SnapshotElement& number) {
  const std::lock_guard lock(mutex_);
  index();
  if (const Named* n = best_name(number)) return n->text + cell_text(*index_in(n->x, number));
  if (const auto name = gradient_name(number.x)) return *name + cell_text(number.index);
  if (const auto writer = this->writer(number.x, number.index))
    return name_of_call(writer->call, writer->out) + cell_text(writer->index);
  return given_name(number.x) + cell_text(number.index);
}

std::vector<std::string> ProgramTrace::names_of(const Snapshot& x) {
  const std::lock_guard lock(mutex_);
  index();
  std::vector<std::string> names;
  if (const auto found = names_.find(x.buffer.get()); found != names_.end())
    for (const bool own : {true, false})
      for (const Named& n : found->second)
        if (n.is_own == own && same_elements(n.x, x)) names.push_back(n.text);
  if (!names.empty()) return names;
  if (const auto name = gradient_name(x)) return {*name};
  if (const auto found = makers_.find(x.buffer.get()); found != makers_.end())
    for (const auto& [c, k] : found->second)
      if (same_elements(calls()[c].out[k], x)) return {name_of_call(c, k)};
  return {given_name(x)};
}

}  // namespace glassgrad::why

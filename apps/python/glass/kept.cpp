// Receives the engine's events for a LineWatcher, and limits how much is kept.
#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/memory.h"
#include "apps/lesson/phrases.h"
#include "apps/python/host/host.h"
#include "watch.h"

namespace glassgrad::python {
namespace {

constexpr uint64_t kOften = 512;  // calls between two checks of the limits

}  // namespace

// ---- events of the engine
void LineWatcher::op(const Call& call) {
  poking_.op(call);
  ++calls_;
  recorder_->op(call);
  for (const Tensor& x : call.out)
    if (x && !x->base) bytes_ += double(x->storage->bytes);
  if (calls_ % kOften == 0) check_room();
}
void LineWatcher::before_write(const Tensor& x) {
  ++writes_;
  recorder_->before_write(x);
}
void LineWatcher::scope(const char* name, bool enter) { recorder_->scope(name, enter); }
void LineWatcher::module_scope(const char* name, bool enter) { recorder_->module_scope(name, enter); }
void LineWatcher::backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) {
  recorder_->backward(node, grads, out);
}
void LineWatcher::leaf_gradient(const Tensor& leaf, const Tensor& grad) {
  ++writes_;
  recorder_->leaf_gradient(leaf, grad);
}

void LineWatcher::pass_begins(const Tensor& from) {
  RunBackwardPass& pass = open_passes_.emplace_back();
  if (!on_ || !from) return;
  const Watch nobody(nullptr);
  pass.from = learn::value_of(from, recorder_->snapshots().take(from));
  pass.from.node = recorder_->node_of(from);
  pass.first = {recorder_->calls().size(), recorder_->backwards().size(), recorder_->gradients().size()};
  for (size_t k = frames_.size(); k-- > 0;) {
    Frame& f = frames_[k];
    const int loop = f.info->file->at(line_at(f, f.instruction)).loop;
    if (loop) return choose_loop(f, loop, /*goes_backward=*/true);
  }
}

void LineWatcher::pass_ended() {
  RunBackwardPass pass = std::move(open_passes_.back());
  open_passes_.pop_back();
  if (!on_ || !pass.from) return;
  pass.last = {recorder_->calls().size(), recorder_->backwards().size(), recorder_->gradients().size()};
  if (pass.last.backward > pass.first.backward) line_passes_.push_back(std::move(pass));
}

// ---- how much is kept
void LineWatcher::check_room() {
  const size_t calls = recorder_->calls().size();
  if (calls > options_.most_calls)
    return cut(fmt::format("{} calls are recorded, the most that are kept", calls));
  // Ask the system now and then: small tensors take more memory than their numbers do.
  constexpr uint64_t kSeldom = 8 * kOften;
  const bool asks = calls_ % kSeldom == 0;
  if (bytes_ > options_.most_bytes || (asks && available_memory() < options_.most_bytes))
    cut(fmt::format("half of the memory that was free, {:.1f} GB, is taken", options_.most_bytes / 1e9));
}

// Ends the recording; the program goes on as without glass.
void LineWatcher::cut(std::string why) {
  if (!on_) return;
  on_ = false;
  watching = nullptr;
  std::string where;
  if (!frames_.empty()) {
    Frame& f = frames_.back();
    where = fmt::format(" at line {} of {}", line_at(f, f.instruction), f.info->file->name);
  }
  run_.remarks.push_back(fmt::format(
      "The recording ends{}: {}. --keep 3 keeps the last 3 rounds of the loop instead, --keep 1..3 the first.",
      where, why));
}

void LineWatcher::choose_loop(const Frame& f, int loop, bool goes_backward) {
  const auto depth = size_t(&f - frames_.data());
  if (kept_loop_.code && (kept_loop_.goes_backward || (!goes_backward && depth >= kept_loop_.depth))) return;
  const auto ended = f.rounds.find(loop);
  kept_loop_ = {.code = f.code,
                .loop = loop,
                .depth = depth,
                .goes_backward = goes_backward,
                .round = ended == f.rounds.end() ? 1 : ended->second + 1};
  round_starts_.clear();
}

void LineWatcher::round_ends(const Frame& f, int loop) {
  choose_loop(f, loop, /*goes_backward=*/false);
  if (f.code != kept_loop_.code || loop != kept_loop_.loop) return;
  ++kept_loop_.round;
  const KeptRounds& keep = options_.keep;
  if (keep.all()) return;
  RoundStart start{
      .round = kept_loop_.round, .size = recorder_->size(), .bytes = bytes_, .names = names_now()};
  if (keep.last > 0) {
    round_starts_.push_back(std::move(start));
    while (round_starts_.size() > keep.last + 1) round_starts_.pop_front();
    if (kept_loop_.round > keep.last + 1) forget_before(round_starts_.front());
  } else if (kept_loop_.round <= keep.first) {
    forget_before(start);
  } else if (keep.end > 0 && kept_loop_.round > keep.end) {
    on_ = false;
    watching = nullptr;
  }
}

void LineWatcher::forget_before(RoundStart& start) {
  run_.first_round = start.round;
  const RecordedSize gone = std::exchange(start.size, {});
  const size_t call = gone.calls;
  const double bytes = std::exchange(start.bytes, 0);
  bytes_ -= bytes;
  for (RoundStart& later : round_starts_) {
    if (&later == &start) continue;
    later.bytes -= bytes;
    later.size = {later.size.calls - gone.calls, later.size.backwards - gone.backwards,
                  later.size.gradients - gone.gradients, later.size.nodes - gone.nodes,
                  later.size.scopes - gone.scopes};
  }
  for (size_t c = 0; c < call; ++c)
    (recorder_->calls()[c].in_backward ? run_.before.backward : run_.before.forward) += 1;
  recorder_->forget(gone);
  const auto follow = [&](learn::Value& v) {
    if (v.node) v.node = *v.node >= gone.nodes ? std::optional(*v.node - gone.nodes) : std::nullopt;
  };
  size_t lines = 0;  // a line's calls end where the next line's begin
  while (lines < run_.lines.size() && run_.lines[lines].end_call <= call) ++lines;
  run_.lines.erase(run_.lines.begin(), run_.lines.begin() + std::ptrdiff_t(lines));
  for (RunLine& l : run_.lines) {
    l.first_call -= std::min(l.first_call, call), l.end_call -= call;
    for (NamedValue& v : l.values) follow(v.value);
  }
  assigned_calls_ -= std::min(assigned_calls_, call);
  std::erase_if(run_.passes, [&](const RunBackwardPass& p) { return p.line < lines || p.first.call < call; });
  for (RunBackwardPass& p : run_.passes) {
    p.line -= lines;
    follow(p.from);
    for (learn::TracePosition* at : {&p.first, &p.last})
      at->call -= call, at->backward -= gone.backwards, at->gradient -= gone.gradients;
  }
  // The given values are now the program's tensors when the round began, then the constants that came later.
  std::vector<learn::Entry> given;
  given_.clear();
  for (const NamedValue& v : start.names) {
    given_.emplace(v.value.buffer.get(), v.value.buffer);
    given.push_back({.name = v.name, .value = v.value, .label = {}});
    follow(*given.back().value);
  }
  std::vector<size_t> at(given.size(), 0);
  for (size_t k = 0; k < run_.given.size(); ++k) {
    if (given_at_[k] < call || given_.contains(run_.given[k].value->buffer.get())) continue;
    given_.emplace(run_.given[k].value->buffer.get(), run_.given[k].value->buffer);
    given.push_back(std::move(run_.given[k]));
    at.push_back(given_at_[k] - call);
  }
  run_.given = std::move(given);
  given_at_ = std::move(at);
  if (options_.keep.last == 0 && start.round == options_.keep.first)
    for (const NamedValue& v : start.names) change(v.name, v.value.tensor_there());
}

// Returns all tensors that the program has now, under all their names.
std::vector<NamedValue> LineWatcher::names_now() {
  const auto shown = std::exchange(shown_, {});
  std::vector<NamedValue> found;
  collects_ = true;
  for (Frame& f : frames_) {
    const pybind11::object locals = locals_of(f.frame);
    if (!locals) continue;
    const auto names = std::exchange(f.names, {});
    look(f, locals.ptr(), /*deep=*/true, found);
    f.names = names;
  }
  collects_ = false;
  shown_ = shown;
  return found;
}

// Writes the requested changes for the given value `name` into x.
void LineWatcher::change(const std::string& name, const Tensor& x) const {
  for (const learn::InputPoke& poke : options_.change.given)
    if (poke.name == name) write_element(x, poke.index, poke.value, poke.adds);
}

}  // namespace glassgrad::python

#include "apps/lesson/lesson.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "apps/cli/arguments.h"
#include "apps/cli/memory.h"
#include "apps/lesson/call_filter.h"
#include "apps/lesson/cancel.h"
#include "apps/lesson/costs.h"
#include "apps/lesson/program.h"
#include "engine/autograd.h"
#include "engine/core/default_float64.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn {
namespace {

constexpr const char* kInputs = "inputs";

}  // namespace

const Lesson& find_lesson(std::string_view id) {
  if (const Lesson* lesson = lesson_called(id)) return *lesson;
  std::vector<std::string> ids;
  for (const Lesson* lesson : lessons()) ids.emplace_back(lesson->id);
  fail<UsageError>("there is no lesson '{}': did you mean {}? `glassgrad learn` lists the lessons", id,
                   nearest(id, ids));
}

namespace {

std::string memory_text(double bytes) {
  constexpr double kMiB = 1 << 20, kGiB = 1 << 30;
  return bytes < kGiB ? fmt::format("{:.0f} MiB", bytes / kMiB) : fmt::format("{:.1f} GiB", bytes / kGiB);
}

// Returns the names, and x5, x6, … for rows without one.
std::vector<std::string> names_for(std::vector<std::string> names, const Tensor& inputs) {
  while (inputs.dim() >= 2 && std::ssize(names) < inputs.size(-2))
    names.push_back(fmt::format("x{}", names.size() + 1));
  return names;
}

// Returns advice for using less memory: ": give fewer rows, or a smaller --d-out or --heads".
std::string smaller(const Lesson& lesson) {
  std::string sizes;
  for (const SettingSpec& p : lesson.setting_specs)
    if (p.kind == SettingSpec::Kind::Integer)
      sizes += fmt::format("{}{}", sizes.empty() ? "" : " or ", p.flag);
  if (sizes.empty()) return lesson.inputs ? ": give fewer rows" : "";
  return fmt::format(": give {}a smaller {}", lesson.inputs ? "fewer rows, or " : "", sizes);
}

}  // namespace

void check_memory(double numbers, std::string_view advice, std::string_view lesson) {
  double bytes = numbers * double(item_size(scope_dtype(float32)));
  constexpr double kBeside = 1 << 26;  // bytes for texts and pages; smaller runs are not checked
  if (bytes <= kBeside) return;
  bytes += kBeside;
  const double available = available_memory();
  check(bytes <= available, "{} would take about {} of memory, and {} are available: give {}", lesson,
        memory_text(bytes), memory_text(available), advice);
}

Recording record(const Lesson& lesson, const Settings& settings, Keep keep, const Patch& patch) {
  Settings now = settings;
  std::optional<Document> changed;
  if (!patch.lines.empty()) changed = patched(*lesson.document, patch.lines);
  if (changed && now.inputs && !now.own_inputs) {
    now.inputs = default_inputs(*changed, values_of(*changed, settings));
    now.tokens = names_for(now.tokens, now.inputs);
  }
  if (now.inputs) now.inputs = patch.poked(kInputs, to(now.inputs, scope_dtype(now.inputs.dtype())));
  const auto tell = [&](StepBuilder& builder) {
    builder.document_ = changed ? &*changed : lesson.document;
    builder.weights_ = now.weights;
    if (now.inputs) builder.given(kInputs, now.inputs);
    lesson.tell(builder, now);
    builder.check_weights_used();
  };
  try {
    return record(lesson, now.tokens, tell, keep, patch);
  } catch (const std::bad_alloc&) {
    fail("{} takes more than the {} of memory that are available{}", lesson.id,
         memory_text(available_memory()), smaller(lesson));
  }
}

Runner runner(const Lesson& lesson, const Settings& settings) {
  return [&lesson, settings](Keep keep, const Patch& patch) { return record(lesson, settings, keep, patch); };
}

Recording record(const Runner& runner, std::string flags, Keep keep) {
  Recording recording = runner(keep, {});
  recording.flags = std::move(flags);
  return recording;
}

Tensor Patch::poked(const std::string& name, const Tensor& x) const {
  Tensor changed = x;
  for (const InputPoke& poke : given) {
    if (poke.name != name) continue;
    if (changed.ref() == x.ref()) changed = clone(x.detach());
    write_element(changed, poke.index, poke.value, poke.adds);
  }
  return changed;
}

namespace {

// Copies the axes of the given tensors from the first step that shows the same numbers, because a lesson
// names axes only after the tensor was given.
void name_axes_of_given(Recording& recording) {
  for (Entry& given : recording.given.entries) {
    const auto shows = [&](const Entry& e) {
      return e.value && !e.axes.empty() && same_elements(*e.value, *given.value);
    };
    for (auto step = recording.steps.begin(); step != recording.steps.end() && given.axes.empty(); ++step)
      if (const auto e = std::find_if(step->entries.begin(), step->entries.end(), shows);
          e != step->entries.end())
        given.axes = e->axes, given.row_sums = e->row_sums;
  }
}

}  // namespace

Recording record(const Lesson& lesson, std::vector<std::string> tokens,
                 const std::function<void(StepBuilder&)>& tell, Keep keep, const Patch& patch) {
  StepBuilder builder(keep, patch);
  builder.recording_.lesson = &lesson;
  builder.recording_.tokens = std::move(tokens);
  {
    const auto note = [calls = builder.calls_](size_t out, const Dims& index) {
      if (calls) calls->set_by_hand({calls->calls().size(), out, index});
    };
    Poking poking(patch.pokes, note);
    Observers all({&poking, &builder.observers_});
    CallFilter filter(all, builder.snapshots_);
    builder.call_filter_ = &filter;
    const Watch watch(&filter);
    tell(builder);
    builder.recording_.has_skipped_calls = filter.has_skipped_calls();
    builder.recording_.multiplications = filter.multiplications();
  }
  if (!builder.pending_values_.empty())
    throw std::logic_error("no step shows " + builder.pending_values_.begin()->first);
  name_axes_of_given(builder.recording_);
  return std::move(builder.recording_);
}

void StepBuilder::step(const char* id, const char* section, std::string title, bool inside) {
  for (const Step& s : recording_.steps)
    if (s.id == id) throw std::logic_error("two steps are called " + s.id);
  const bool is_first = recording_.steps.empty();
  const int main_number = is_first ? 0 : recording_.steps.back().main_number,
            sub_number = is_first ? 0 : recording_.steps.back().sub_number;
  Step& s = recording_.steps.emplace_back();
  s.id = id;
  s.number = static_cast<int>(recording_.steps.size());
  s.main_number = inside ? main_number : main_number + 1;
  s.sub_number = inside ? sub_number + 1 : 0;
  s.section = section;
  s.first_call = recorded_so_far().call;
  s.title = std::move(title);
}

void StepBuilder::formula(std::string text, std::string latex) {
  current().formulas.push_back({std::move(text), std::move(latex)});
}

void StepBuilder::code(const std::vector<std::string>& lines, CodeBlock block) {
  Step& s = current();
  block.first = s.code.size();
  block.count = lines.size();
  s.code_blocks.push_back(std::move(block));
  s.code.insert(s.code.end(), lines.begin(), lines.end());
}

void StepBuilder::apply_weights(const std::string& name, const Tensor& parameter) {
  const bool has_a_name = std::any_of(parameters_.begin(), parameters_.end(),
                                      [&](const auto& p) { return p.second.ref() == parameter.ref(); });
  if (has_a_name && name.find('[') != std::string::npos) return;  // an item of a list
  if (std::find(offered_.begin(), offered_.end(), name) == offered_.end()) offered_.push_back(name);
  parameters_.emplace_back(name, parameter);
  const std::string as = unused_name(name);
  const auto found = weights_.find(name);
  if (found == weights_.end()) {
    poke(as, parameter);
    return given(as, parameter);
  }
  found->second.used = true;
  const auto& [path, values, used] = found->second;
  const bool is_row = parameter.dim() == 1 && values.dim() == 2 && values.size(0) == 1;  // a bias in a .csv
  const Tensor own = is_row ? values[0] : values;
  check(own.shape() == parameter.shape(),
        "{} holds an array of shape {}, but {} is {}: save one of that shape", path,
        to_string(values.shape()), name, to_string(parameter.shape()));
  {
    const NoGrad off;
    const Watch nobody(nullptr);  // no call has computed these numbers
    look_at(parameter, clone(to(to(own, parameter.dtype()), parameter.device())));
  }
  poke(as, parameter);
  given(as, parameter);
}

void StepBuilder::backward_begins() { call_filter_->backward_begins(); }
void StepBuilder::statement_ended() { call_filter_->statement_ended(); }

void StepBuilder::leaf(const std::string& name, const Tensor& x) {
  if (calls_) recording_.leaves.push_back({.name = name, .value = take(x), .label = {}});
}

void StepBuilder::constant(const std::string& name, const Tensor& x) {
  if (call_filter_->last_statement_skipped()) return;  // a call that was left out may have written it
  const std::string as = unused_name(name);
  poke(as, x);
  if (!calls_ || x.numel() == 0) return;
  const Snapshot now = snapshots_.take(x);
  Dims first = x.shape();
  for (int d = 0; d < first.n; ++d) first[d] = 0;
  const auto& known = recording_.given.entries;
  const bool is_known =
      std::any_of(known.begin(), known.end(), [&](const Entry& e) { return e.value->buffer == now.buffer; });
  if (!is_known && !calls_->writer_before_hand(now, first)) given(as, x);
}

// Lists a parameter again among the given tensors, as W#2, if the program has changed it since.
void StepBuilder::give_again(const Tensor& leaf) {
  const auto bound = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const auto& p) { return p.second.ref() == leaf.ref(); });
  if (!calls_ || bound == parameters_.end()) return;
  const Snapshot now = snapshots_.take(leaf);
  const auto& known = recording_.given.entries;
  if (std::none_of(known.begin(), known.end(), [&](const Entry& e) { return e.value->buffer == now.buffer; }))
    given(unused_name(bound->first), leaf);
}

// Returns W, or W#2 … for a name that is bound again.
std::string StepBuilder::unused_name(const std::string& name) {
  const int n = ++bound_[name];
  return n == 1 ? name : fmt::format("{}#{}", name, n);
}

void StepBuilder::poke(const std::string& name, const Tensor& x) const {
  for (const InputPoke& poke : patch_.given)
    if (poke.name == name) write_element(x, poke.index, poke.value, poke.adds);
}

void StepBuilder::given(const std::string& name, const Tensor& x) {
  if (!calls_) return;
  Entry entry{.name = name, .value = take(x), .label = {}};
  find_axes(recording_.given, entry);
  recording_.given.entries.push_back(std::move(entry));
}

void StepBuilder::given(const std::string& name, const nn::Module& module) {
  for (const auto& [part, parameter] : module.named_parameters())
    given(fmt::format("{}.{}", name, part), parameter);
}

void StepBuilder::apply_weights(const std::string& name, const nn::Module& module) {
  for (const auto& [part, parameter] : module.named_parameters())
    apply_weights(fmt::format("{}.{}", name, part), parameter);
}

void StepBuilder::check_weights_used() const {
  const auto unused =
      std::find_if(weights_.begin(), weights_.end(), [](const auto& w) { return !w.second.used; });
  if (unused == weights_.end()) return;
  check<UsageError>(!offered_.empty(), "the lesson {} has no weights to give", recording_.lesson->id);
  fail<UsageError>("the lesson {} has no weights '{}': did you mean {}? It has {}", recording_.lesson->id,
                   unused->first, nearest(unused->first, offered_), joined(offered_, ", "));
}

const Tensor& StepBuilder::show(const std::string& name, const Tensor& x) {
  add({.name = name, .value = take(x), .label = {}});
  return x;
}

Tensor StepBuilder::show_next(const std::string& name, const std::string& shown_as) {
  Value value = take_pending(name);
  const Tensor x = value.tensor_there();
  add({.name = shown_as.empty() ? name : shown_as, .value = std::move(value), .label = {}});
  return x;
}

Value StepBuilder::take(const Tensor& x) {
  Value value = value_of(x, snapshots_.take(x));
  if (calls_) value.node = calls_->node_of(x);
  return value;
}

Value StepBuilder::take_pending(const std::string& name) {
  const auto found = pending_values_.find(name);
  if (found == pending_values_.end()) throw std::logic_error("no call has named " + name);
  Value value = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) pending_values_.erase(found);
  return value;
}

// ---- backward
namespace {

// Counts the multiplications of a backward pass, and passes its calls on to the other observers.
struct CountedPass : Observers {
  CountedPass(Observer& to, int64_t& total) : Observers({&to}), total_(total) {}
  void op(const Call& call) override {
    total_ += followed_multiplications(call);
    Observers::op(call);
  }

 private:
  int64_t& total_;
};

}  // namespace

void StepBuilder::loss(const std::string& name, const Tensor& x) {
  if (calls_)
    for (const Tensor& leaf : leaves_of(x)) give_again(leaf);
  if (patch_.loss || backward_) go_backward(name, x);
}

void StepBuilder::go_backward(const std::string& name, const Tensor& x) {
  CountedPass counted(observers_, recording_.backward_multiplications);
  const Watch past_pokes(&counted);
  const TracePosition first = recorded_so_far();
  const Tensor number = patch_.loss ? patch_.loss(x) : x.dim() > 0 ? sum(x) : x;
  if (number) {
    std::vector<Tensor> with_grad = leaves_of(number);
    for (Tensor& t : retaining_grad(number)) with_grad.push_back(std::move(t));
    std::vector<Tensor> before;
    for (const Tensor& t : with_grad) before.push_back(t.grad()), t.set_grad({});
    const auto put_back = [&] {
      for (size_t i = 0; i < with_grad.size(); ++i) with_grad[i].set_grad(before[i]);
    };
    try {
      number.backward({}, /*retain_graph=*/true);  // the lesson itself may call backward() later
    } catch (...) {
      put_back();
      throw;
    }
    put_back();
    recording_.passes.push_back({.name = x.dim() > 0 ? fmt::format("sum({})", name) : name,
                                 .sum_of = x.dim() > 0 ? name : "",
                                 .step = recording_.steps.size() - 1,
                                 .value = take(number),
                                 .first = first,
                                 .last = recorded_so_far()});
  }
}

TracePosition StepBuilder::recorded_so_far() const {
  if (!calls_) return {};
  return {calls_->calls().size(), calls_->backwards().size(), calls_->gradients().size()};
}

// ---- the observer
StepBuilder::StepBuilder(Keep keep, const Patch& patch)
    : calls_(keep == Keep::Steps ? nullptr : std::make_shared<Recorder>()),
      snapshots_(calls_ ? calls_->snapshots() : own_snapshots_),
      observers_(calls_ ? std::vector<Observer*>{calls_.get(), this} : std::vector<Observer*>{this}),
      patch_(patch),
      backward_(keep == Keep::Backward) {
  recording_.trace = calls_;
  recording_.given.id = "given";
}

void StepBuilder::op(const Call&) { throw_if_cancelled(); }

void StepBuilder::before_write(const Tensor& x) {
  if (!calls_) snapshots_.before_write(x);
}

void StepBuilder::scope(const char* name, bool enter) {
  if (enter)
    scopes_.emplace_back(name);
  else
    scopes_.pop_back();
}

void StepBuilder::named(const Tensor& x, const char* name) {
  if (!keeps_pending_) return;
  std::string qualified;  // skip the outermost scope: the module that was called
  for (size_t i = 1; i < scopes_.size(); ++i) qualified += fmt::format("{}.", scopes_[i]);
  pending_values_[qualified + name].push_back(take(x));
}

Step& StepBuilder::current() {
  if (recording_.steps.empty()) throw std::logic_error("a lesson begins with a step");
  return recording_.steps.back();
}

void StepBuilder::add(Entry entry) {
  Step& step = current();
  for (const Entry& e : step.entries)
    if (!entry.name.empty() && e.name == entry.name)
      throw std::logic_error("step " + step.id + " shows two tensors called " + e.name);
  if (entry.value && entry.axes.empty()) find_axes(step, entry);
  step.entries.push_back(std::move(entry));
}

// Looks the axes up in tables. A lesson from a file has none: there, the statement that made a value names
// its axes.
void StepBuilder::find_axes(const Step& step, Entry& entry) const {
  if (recording_.lesson->axes.empty()) return;
  const std::span<const AxisRule> tables[] = {recording_.lesson->axes, kSharedAxes};
  entry.axes = axes_of(tables, step.id, entry.name, entry.value->shape().n, entry.row_sums);
}

}  // namespace glassgrad::learn

#include "nn/module.h"

#include <fmt/core.h>

#include <unordered_map>
#include <unordered_set>

#include "engine/autograd.h"
#include "engine/core/joined.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/module_walk_hook.h"
#include "nn/optim.h"

namespace glassgrad::nn {

thread_local constinit ModuleWalkHook* walk_hook = nullptr;

// Reports to the walk hook that a walk enters and leaves a module. Every recursion over modules creates one.
class Module::Step {
 public:
  Step() {
    if (walk_hook) walk_hook->enter();
  }
  ~Step() {
    if (walk_hook) walk_hook->leave();
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
};

Parameter::Parameter(const Tensor& data, bool requires_grad) : Tensor(data.detach()) {
  check(!requires_grad || is_floating(data.dtype()),
        "Only Tensors of floating point and complex dtype can require gradients");
  (*this)->requires_grad = requires_grad;
  (*this)->is_parameter = true;
}

// ---- calls
Tensor Module::operator()(const Tensor& x) const {
  const Traced call(*this);
  return forward(x);
}

Tensor Module::forward(const Tensor&) const {
  fail<NotImplementedError>("Module [{}] is missing the required \"forward\" function", class_name_);
}

Module::Traced::Traced(const Module& module)
    : name_(watching ? module.trace_name() : std::string()), scope_(name_.c_str(), &Observer::module_scope) {
  if (!watching) return;
  for (const auto* slots : {&module.parameters_, &module.buffers_})
    for (const Slot& slot : *slots)
      if (*slot.tensor) named(*slot.tensor, slot.name.c_str());
}

std::string Module::trace_name() const {
  constexpr int kMost = 64;  // bounds the nesting, because a list may hold itself
  const auto own = [](const Module& m) { return m.parent_ ? m.name_ : std::string(m.class_name_); };
  std::string name = own(*this);
  const Module* list = parent_;
  for (int k = 0; list && list->names_children() && k < kMost; ++k, list = list->parent_)
    name.insert(0, own(*list) + ".");
  return name;
}

// ---- the tree
namespace {

// Replaces the entry with the same name, or appends.
template <class T>
void put(std::vector<T>& all, T one) {
  for (T& known : all)
    if (known.name == one.name) {
      known = std::move(one);
      return;
    }
  all.push_back(std::move(one));
}

}  // namespace

void Module::register_parameter(std::string name, Parameter& parameter) {
  put(parameters_, {std::move(name), &parameter});
}

void Module::register_buffer(std::string name, Tensor& buffer, bool persistent) {
  put(buffers_, {std::move(name), &buffer, persistent});
}

void Module::register_module(std::string name, Module& child) {
  child.name_ = name;
  child.parent_ = this;
  put(children_, {std::move(name), &child});
}

void Module::unregister(std::string_view name) {
  const auto is_it = [&](const auto& known) { return known.name == name; };
  std::erase_if(parameters_, is_it);
  std::erase_if(buffers_, is_it);
  std::erase_if(children_, is_it);
}

Tensor* Module::own(std::string_view name) const {
  for (const auto* slots : {&parameters_, &buffers_})
    for (const Slot& slot : *slots)
      if (slot.name == name) return slot.tensor;
  return nullptr;
}

struct Module::Collect {
  std::vector<Slots> kinds;
  bool state = false;  // true: persistent tensors under all their names; false: each tensor and module once
  std::vector<NamedTensor> found = {};
  size_t bytes = 0;  // held by `found`
  std::unordered_set<const Module*> modules = {};
};

void Module::collect(Collect& into, const std::string& prefix) const {
  if (!into.state && !into.modules.insert(this).second) return;
  const Step step;
  for (const Slots slots : into.kinds)
    for (const Slot& slot : this->*slots) {
      if (!*slot.tensor || (into.state && !slot.persistent)) continue;
      into.bytes += sizeof(NamedTensor) + prefix.size() + slot.name.size();
      if (walk_hook) walk_hook->takes(into.bytes);
      into.found.push_back({prefix + slot.name, *slot.tensor});
    }
  for (const Child& child : children_) child.module->collect(into, prefix + child.name + ".");
}

std::vector<NamedTensor> Module::collect_once(Slots slots) const {
  Collect all{.kinds = {slots}};
  collect(all, "");
  std::unordered_set<const Impl*> seen;
  std::erase_if(all.found, [&](const NamedTensor& t) { return !seen.insert(t.tensor.ref().get()).second; });
  return std::move(all.found);
}

std::vector<NamedTensor> Module::named_parameters() const { return collect_once(&Module::parameters_); }

std::vector<NamedTensor> Module::named_buffers() const { return collect_once(&Module::buffers_); }

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> tensors;
  for (NamedTensor& p : named_parameters()) tensors.push_back(std::move(p.tensor));
  return tensors;
}

void Module::train(bool mode) {
  const Step step;
  training_ = mode;
  std::unordered_set<const Module*> done;
  for (const Child& child : children_)
    if (done.insert(child.module).second) child.module->train(mode);
}

void Module::zero_grad(bool set_to_none) const { optim::zero_grad(parameters(), set_to_none); }

// Keeps each tensor object, because others may hold it, and gives it a moved copy of its data.
void Module::to(Device device) {
  const NoRecording no_recording;
  const auto move = [&](const Tensor& x) {
    if (x && x.device() != device) set_data(x, glassgrad::to(x.detach(), device));
  };
  for (const auto& tensors : {named_parameters(), named_buffers()})
    for (const NamedTensor& t : tensors) {
      const Tensor grad = t.tensor.grad();
      move(t.tensor);
      move(grad);
    }
}

// ---- saving and loading
std::vector<NamedTensor> Module::state_dict() const {
  Collect all{.kinds = {&Module::parameters_, &Module::buffers_}, .state = true};
  collect(all, "");
  for (NamedTensor& t : all.found) t.tensor = t.tensor.detach();
  return std::move(all.found);
}

namespace {

void add_keys(std::vector<std::string>& problems, const char* kind, const std::vector<std::string>& keys) {
  std::string quoted;
  for (const std::string& key : keys) quoted += (quoted.empty() ? "\"" : ", \"") + key + "\"";
  if (!keys.empty()) problems.push_back(fmt::format("{} key(s) in state_dict: {}. ", kind, quoted));
}

}  // namespace

Module::Keys Module::load_state_dict(const std::vector<NamedTensor>& state, bool strict) {
  std::unordered_map<std::string_view, const Tensor*> given;
  for (const NamedTensor& t : state) given[t.name] = &t.tensor;
  const std::vector<NamedTensor> own = state_dict();
  std::unordered_set<const Storage*> covered;
  for (const NamedTensor& t : own)
    if (given.count(t.name)) covered.insert(t.tensor->storage.get());

  Keys keys;
  std::vector<std::string> shapes;
  std::unordered_set<std::string_view> known;
  for (const auto& [name, tensor] : own) {
    known.insert(name);
    const auto found = given.find(name);
    if (found == given.end()) {
      if (!covered.count(tensor->storage.get())) keys.missing.push_back(name);
    } else if (const Dims& shape = found->second->shape(); !(shape == tensor.shape())) {
      shapes.push_back(fmt::format(
          "size mismatch for {}: copying a param with shape {} from checkpoint, the shape in current "
          "model is {}.",
          name, size_repr(shape), size_repr(tensor.shape())));
    }
  }
  for (const NamedTensor& t : state)
    if (!known.count(t.name)) keys.unexpected.push_back(t.name);

  std::vector<std::string> problems;
  if (strict) add_keys(problems, "Missing", keys.missing);
  if (strict) add_keys(problems, "Unexpected", keys.unexpected);
  problems.insert(problems.end(), shapes.begin(), shapes.end());
  check(problems.empty(), "Error(s) in loading state_dict for {}:\n\t{}", class_name_,
        joined(problems, "\n\t"));

  const NoGrad no_grad;
  for (const auto& [name, tensor] : own)
    if (const auto found = given.find(name); found != given.end()) copy_(tensor, *found->second);
  return keys;
}

// ---- printing
namespace {

// Adds two spaces after every line break.
std::string indented(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out += text.substr(at, end - at);
    if (text[end - 1] == '\n') out += "  ";
    at = end;
  }
  return out;
}

}  // namespace

std::string module_repr(std::string_view class_name, std::string_view extra,
                        const std::vector<std::pair<std::string, std::string>>& children) {
  const bool one_line = children.empty() && extra.find('\n') == std::string_view::npos;
  if (one_line) return fmt::format("{}({})", class_name, extra);
  std::string lines;
  if (!extra.empty()) lines += indented(fmt::format("\n{}", extra));
  for (const auto& [key, repr] : children) lines += indented(fmt::format("\n({}): {}", key, repr));
  return fmt::format("{}({}\n)", class_name, lines);
}

std::string Module::repr() const {
  const Step step;
  return module_repr(class_name_, extra_repr(), child_reprs());
}

Module::ChildReprs Module::child_reprs() const {
  ChildReprs reprs;
  size_t bytes = 0;
  for (const Child& child : children_) {
    reprs.emplace_back(child.name, child.module->repr());
    bytes += reprs.back().second.size();
    if (walk_hook) walk_hook->takes(2 * bytes);  // for the entries and for the text made from them
  }
  return reprs;
}

Module::ChildReprs ModuleListBase::child_reprs() const {
  const ChildReprs all = Module::child_reprs();
  ChildReprs merged;
  for (size_t first = 0, end; first < all.size(); first = end) {
    const std::string& repr = all[first].second;
    end = first + 1;
    while (end < all.size() && all[end].second == repr) ++end;
    if (end == first + 1)
      merged.push_back(all[first]);
    else
      merged.emplace_back(fmt::format("{}-{}", first, end - 1), fmt::format("{} x {}", end - first, repr));
  }
  return merged;
}

}  // namespace glassgrad::nn

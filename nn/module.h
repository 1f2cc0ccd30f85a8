// Modules: layers and models as trees of named parameters, buffers and child modules (torch.nn.Module).
//
// A class owns its parts as plain members and registers them by reference in its constructor. Members are
// built in the order of their declaration, so their random numbers are drawn in that order.
//
//   struct Head : Module {
//     explicit Head(int64_t width) : Module("Head"), key(width, width) { register_module("key", key); }
//     Tensor forward(const Tensor& x) const override { return named(key(x), "keys"); }
//     Linear key;
//   };
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tensor.h"
#include "engine/trace.h"

namespace glassgrad::nn {

// A learnable tensor: prints as "Parameter containing:" (torch.nn.Parameter). Shares memory and version
// counter with `data`. Throws Error `Only Tensors of floating point and complex dtype can require gradients`.
struct Parameter : Tensor {
  Parameter() = default;  // undefined, like the bias of a Linear without one
  explicit Parameter(const Tensor& data, bool requires_grad = true);
};

struct NotImplementedError : Error {
  using Error::Error;
  const char* kind() const noexcept override { return "NotImplementedError"; }
};

using glassgrad::NamedTensor;

class Module {
 public:
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Calls forward(x). In the trace, the ops are in a scope called trace_name(), at the start of which the
  // module's parameters and buffers are named. A module with different arguments defines its own call
  // operator with a Traced in it.
  Tensor operator()(const Tensor& x) const;
  // Throws NotImplementedError `Module [NAME] is missing the required "forward" function`.
  virtual Tensor forward(const Tensor& x) const;

  // Depth first: own tensors in registration order, then each child's. A parameter reached twice is listed
  // once, under its first name.
  std::vector<NamedTensor> named_parameters() const;
  std::vector<NamedTensor> named_buffers() const;
  std::vector<Tensor> parameters() const;
  struct Child {
    std::string name;
    Module* module;
  };
  const std::vector<Child>& named_children() const { return children_; }

  // Everything to save: each module's parameters, then its persistent buffers, then those of its children.
  // The tensors share memory with the module's and have no graph. A tensor with two names is listed under
  // both.
  std::vector<NamedTensor> state_dict() const;
  struct Keys {
    std::vector<std::string> missing, unexpected;
  };
  // Copies the values of all tensors whose names this module has. Throws Error `Error(s) in loading
  // state_dict for NAME:` with every shape that differs and, if strict, every name that is missing or
  // unexpected. Then nothing is copied (PyTorch copies what fits). A tensor with two names needs only one of
  // them. If not strict, returns the names that did not match.
  Keys load_state_dict(const std::vector<NamedTensor>& state, bool strict = true);

  // Sets training mode (the default) or evaluation mode, here and in all children. Dropout does nothing in
  // evaluation.
  void train(bool mode = true);
  void eval() { train(false); }
  bool training() const { return training_; }
  void set_training(bool mode) { training_ = mode; }  // without the children
  // Returns the parameter or buffer that is registered here under this name, or null.
  Tensor* own(std::string_view name) const;
  // Makes every parameter's grad undefined, or else fills it with 0.
  void zero_grad(bool set_to_none = true) const;
  // Moves all parameters, their gradients and all buffers. An optimizer of these parameters can continue once
  // its state has been loaded again. Throws Error, with the reason, for a device that cannot compute.
  void to(Device device);

  // The tree as print(module) shows it.
  std::string repr() const;
  const char* class_name() const { return class_name_; }
  // "W_query", or "heads.0" in a list; the class name for a module without a parent.
  std::string trace_name() const;
  // Clears the parent if it is `parent`, which is being destroyed.
  void leave(const Module& parent) {
    if (parent_ == &parent) parent_ = nullptr;
  }

 protected:
  // class_name is given without namespace and must outlive the module.
  explicit Module(const char* class_name) : class_name_(class_name) {}

  // Registering a name again replaces its entry in the same place.
  void register_parameter(std::string name, Parameter& parameter);
  // persistent: part of state_dict().
  void register_buffer(std::string name, Tensor& buffer, bool persistent = true);
  void register_module(std::string name, Module& child);
  void unregister(std::string_view name);
  void set_class_name(const char* name) { class_name_ = name; }  // for a class that a program derives

  // The text between the parentheses of repr(): "p=0.1, inplace=False".
  virtual std::string extra_repr() const { return {}; }
  using ChildReprs = std::vector<std::pair<std::string, std::string>>;  // (key, repr)
  virtual ChildReprs child_reprs() const;
  // True if this module's name is put before its children's trace names: for a list, which is never called
  // itself.
  virtual bool names_children() const { return false; }

  // The trace scope of one call.
  class Traced {
   public:
    explicit Traced(const Module& module);

   private:
    std::string name_;
    Scope scope_;
  };

 private:
  struct Slot {
    std::string name;
    Tensor* tensor;  // points to the member, which may be undefined or be assigned later
    bool persistent = true;
  };
  using Slots = std::vector<Slot> Module::*;
  class Step;      // one module of a walk
  struct Collect;  // the settings of a walk and its results
  void collect(Collect& into, const std::string& prefix) const;
  std::vector<NamedTensor> collect_once(Slots slots) const;

  const char* class_name_;
  bool training_ = true;
  std::string name_;
  const Module* parent_ = nullptr;
  std::vector<Slot> parameters_, buffers_;
  std::vector<Child> children_;
};

// Builds the text of print(module) from its parts. Also serves classes that are not C++ modules.
std::string module_repr(std::string_view class_name, std::string_view extra,
                        const std::vector<std::pair<std::string, std::string>>& children);

// The base of all lists of modules.
class ModuleListBase : public Module {
 protected:
  ModuleListBase() : Module("ModuleList") {}
  // Merges neighbours with equal texts into one entry: "(0-1): 2 x CausalAttention(".
  ChildReprs child_reprs() const override;
  bool names_children() const override { return true; }
};

// Modules of one kind, numbered from 0 (torch.nn.ModuleList).
template <class M>
class ModuleList : public ModuleListBase {
 public:
  ModuleList() = default;
  // n modules, each built from the same arguments.
  template <class... A>
  explicit ModuleList(int64_t n, const A&... arguments) {
    for (int64_t i = 0; i < n; ++i) emplace_back(arguments...);
  }
  // Builds one more module at the end.
  template <class... A>
  M& emplace_back(A&&... arguments) {
    modules_.push_back(std::make_unique<M>(std::forward<A>(arguments)...));
    register_module(std::to_string(modules_.size() - 1), *modules_.back());
    return *modules_.back();
  }
  size_t size() const { return modules_.size(); }
  M& operator[](size_t i) const { return *modules_[i]; }
  auto begin() const { return modules_.begin(); }
  auto end() const { return modules_.end(); }

 private:
  std::vector<std::unique_ptr<M>> modules_;
};

// Modules of any kind, each called with the result of the one before it (torch.nn.Sequential).
//
//   Sequential net;
//   net.emplace_back<Linear>(3, 4);
//   net.emplace_back<ReLU>();
class Sequential : public Module {
 public:
  Sequential() : Module("Sequential") {}
  // Builds one more module at the end.
  template <class M, class... A>
  M& emplace_back(A&&... arguments) {
    auto made = std::make_unique<M>(std::forward<A>(arguments)...);
    M& module = *made;
    modules_.push_back(std::move(made));
    register_module(std::to_string(modules_.size() - 1), module);
    return module;
  }
  // Calls one module after the other. A Linear followed by a GELU runs as one op (linear_gelu) with the same
  // bits, unless the steps are watched.
  Tensor forward(const Tensor& x) const override;
  size_t size() const { return modules_.size(); }
  Module& operator[](size_t i) const { return *modules_[i]; }

 private:
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace glassgrad::nn

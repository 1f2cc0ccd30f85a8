// torch.nn for programs. Each module of a program has an nn::Module behind it, which handles registration,
// state, printing and trace scopes.
#pragma once
#include <map>
#include <memory>
#include <optional>

#include "apps/script/types.h"
#include "nn/module.h"

namespace glassgrad::script {

struct ModuleObject;

// The nn::Module behind a module of a program, and the tensors that the program registers.
class NativeModule {
 public:
  explicit NativeModule(ModuleObject& object) : object_(object) {}
  virtual ~NativeModule() = default;
  virtual nn::Module& module() = 0;
  // Replaces any entry of this name; an entry of the same kind keeps its position.
  void set_parameter(const std::string& name, const Tensor& x);  // undefined: None
  void set_buffer(const std::string& name, const Tensor& x, bool persistent);
  void set_child(const std::string& name, nn::Module& child);
  virtual void remove(const std::string& name) = 0;
  bool is_parameter(const std::string& name) const {
    return parameters_.contains(name) || !buffers_.contains(name);
  }
  // Calls f() in the scope of a call of this module.
  virtual Value traced(const std::function<Value()>& f) = 0;

 protected:
  // The result of extra_repr() of the program or of a row; nothing if there is none.
  std::optional<std::string> shown() const;
  virtual void add(const std::string& name, nn::Parameter& x) = 0;
  virtual void add(const std::string& name, Tensor& x, bool persistent) = 0;
  virtual void add(const std::string& name, nn::Module& child) = 0;

 private:
  ModuleObject& object_;
  std::map<std::string, nn::Parameter> parameters_;
  std::map<std::string, Tensor> buffers_;
};

template <class M>
class NativeModuleOf : public NativeModule, public M {
 public:
  template <class... A>
  explicit NativeModuleOf(ModuleObject& object, const char* class_name, A&&... arguments)
      : NativeModule(object), M(std::forward<A>(arguments)...) {
    M::set_class_name(class_name);
  }
  nn::Module& module() override { return *this; }
  void remove(const std::string& name) override { M::unregister(name); }
  Value traced(const std::function<Value()>& f) override {
    const typename M::Traced scope(*this);
    return f();
  }

 private:
  std::string extra_repr() const override {
    const std::optional<std::string> text = shown();
    return text ? *text : M::extra_repr();
  }
  void add(const std::string& name, nn::Parameter& x) override { M::register_parameter(name, x); }
  void add(const std::string& name, Tensor& x, bool persistent) override {
    M::register_buffer(name, x, persistent);
  }
  void add(const std::string& name, nn::Module& child) override { M::register_module(name, child); }
};

// An object of a class derived from nn.Module.
struct ModuleObject : Instance {
  explicit ModuleObject(const Value& type);
  ~ModuleObject() override;
  void clear() override;
  std::unique_ptr<NativeModule> native;  // null until Module.__init__ has run
  std::vector<std::pair<std::string, Value>> children;

  Value* child(std::string_view name);
  nn::Module& module() const { return native->module(); }
};
ModuleObject* as_module(const Value& x);  // null: x is not a module
// The module in a `self`. Throws AttributeError before Module.__init__() has run, TypeError for other values.
ModuleObject& module_of(const Value& x);
// Gives `self` an nn::Module: an M made from the arguments.
template <class M, class... A>
void build(const Value& self, A&&... arguments) {
  ModuleObject& object = *as_module(self);
  object.native =
      std::make_unique<NativeModuleOf<M>>(object, object.type().name.c_str(), std::forward<A>(arguments)...);
}
// A module that has only the entries that the program registers.
struct PlainModule : nn::Module {
  PlainModule() : Module("") {}
};
// self.NAME = child, as in Module.__setattr__.
void set_child(ModuleObject& self, const std::string& name, const Value& child);

// Makes a class of torch.nn with this __init__ and these methods.
Value module_class(Interpreter& in, const char* name, const char* home, const Value& base,
                   std::span<const BuiltinDef> rows);
Value base_module(Interpreter& in);          // nn.Module
void add_layers(Interpreter& in, Dict& nn);  // nn.Linear …
// torch.Tensor, torch.dtype, torch.device and torch.Size.
void add_tensor_classes(Dict& torch);
// torch.autograd.grad
Value gradients(Interpreter& in, const Arguments& a);

}  // namespace glassgrad::script

// Every op, forward and backward, reports its call and result here. Lessons, `why`, the graph view, the NaN
// check and the profiler are observers. Without an observer, a report costs one pointer test.
#pragma once
#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "core/for_scope.h"
#include "fields.h"
#include "tensor.h"

namespace glassgrad {

class Expr;
struct Cell;

// An op's names and its formula.
struct Op {
  const char* name;          // PyTorch's name of the function: "softmax"
  const char* node;          // what grad_fn=<…> prints: "SoftmaxBackward0"; "" for ops without a gradient
  const char* formula;       // how one cell of the result is computed, in the names of the inputs
  Expr (&why)(const Cell&);  // the same with numbers (glass/why.h); a reference, so no op can lack it
};
// The explanations of the ops that the graph itself records; glass/why.h has the rest.
Expr why_same_place(const Cell& cell);   // the element of input 0 at the same place, in the result's dtype
Expr why_same_memory(const Cell& cell);  // for a view: the element of input 0 at the same address

// The attributes of an op: the numbers it was called with, in a trivially copyable struct whose fields have
// names,
//   static constexpr AttrNames kNames{"dim", "keepdim"};
// and types int64_t, double, bool or Dims (fields.h). The node keeps the struct, observers read it with Attr.
struct NoAttr {
  static constexpr AttrNames kNames{};
};
struct AttrVisitor {
  virtual void operator()(const char* name, int64_t value) = 0;
  virtual void operator()(const char* name, double value) = 0;
  virtual void operator()(const char* name, bool value) = 0;
  virtual void operator()(const char* name, const Dims& value) = 0;

 protected:
  ~AttrVisitor() = default;
};
class Attr {
 public:
  template <class A>
  explicit Attr(const A& a) : data_(&a), size_(sizeof(A)), each_(&each_of<A>) {
    static_assert(std::is_trivially_copyable_v<A>);
  }
  // The attributes as the struct A, or null if they are of another type.
  template <class A>
  const A* as() const {
    return each_ == &each_of<A> ? static_cast<const A*>(data_) : nullptr;
  }
  void each(AttrVisitor& visit) const { each_(data_, visit); }
  const void* data() const { return data_; }
  size_t size() const { return size_; }
  // The same attributes, kept at `copy`, which holds size() bytes of them.
  Attr kept_at(const void* copy) const {
    Attr kept = *this;
    kept.data_ = copy;
    return kept;
  }

 private:
  template <class A>
  static void each_of(const void* a, AttrVisitor& visit) {
    visit_named(*static_cast<const A*>(a), visit);
  }
  const void* data_;
  size_t size_;
  void (*each_)(const void*, AttrVisitor&);
};

struct Call {
  const Op& op;
  Attr attr;
  std::span<const Tensor* const> in;
  std::span<const Tensor> out;
  const Node* backward_of;  // the node whose gradient is being computed, null in a forward pass
};

// Ops that an observer runs are not reported to it.
struct Observer {
  virtual ~Observer() = default;
  // True if the observer needs every step of a fused op; the steps are then run one by one.
  virtual bool wants_steps() const { return true; }
  virtual void op(const Call&) {}              // after every op: plain, in place, view, random, gradient
  virtual void before_write(const Tensor&) {}  // an in-place op is about to change this tensor's storage
  virtual void scope(const char* /*name*/, bool /*enter*/) {}  // a composed function, and a module unless …
  virtual void module_scope(const char* name, bool enter) { scope(name, enter); }  // … this is overridden
  virtual void named(const Tensor&, const char* /*name*/) {}
  virtual void backward(const Node&, std::span<const Tensor> /*grads*/, std::span<const Tensor> /*out*/) {}
  virtual void accumulate(const Node&, const Tensor& /*before*/, const Tensor& /*grad*/) {}
  virtual void leaf_gradient(const Tensor& /*leaf*/, const Tensor& /*grad*/) {}  // its new .grad
};

// Several observers, called one after the other.
class Observers : public Observer {
 public:
  explicit Observers(std::vector<Observer*> all) : all_(std::move(all)) {}

  bool wants_steps() const override {
    return std::any_of(all_.begin(), all_.end(), [](const Observer* o) { return o->wants_steps(); });
  }
  void op(const Call& call) override { each(&Observer::op, call); }
  void before_write(const Tensor& x) override { each(&Observer::before_write, x); }
  void scope(const char* name, bool enter) override { each(&Observer::scope, name, enter); }
  void module_scope(const char* name, bool enter) override { each(&Observer::module_scope, name, enter); }
  void named(const Tensor& x, const char* name) override { each(&Observer::named, x, name); }
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override {
    each(&Observer::backward, node, grads, out);
  }
  void accumulate(const Node& node, const Tensor& before, const Tensor& grad) override {
    each(&Observer::accumulate, node, before, grad);
  }
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override {
    each(&Observer::leaf_gradient, leaf, grad);
  }

 private:
  template <class... P, class... A>
  void each(void (Observer::*told)(P...), A&&... what) {
    for (Observer* observer : all_) (observer->*told)(what...);
  }
  std::vector<Observer*> all_;
};

extern thread_local constinit Observer* watching;
extern thread_local constinit const Node* in_backward_of;
inline bool steps_are_watched() { return watching && watching->wants_steps(); }

// Makes `observer` watch this thread's ops until the end of the scope.
struct Watch : ForScope<Observer*> {
  explicit Watch(Observer* observer) : ForScope(watching, observer) {}
};

// Calls f with the observer, if any. Ops that f runs are not watched.
template <class F>
void tell(F&& f) {
  if (!watching) [[likely]]
    return;
  Observer* observer = watching;
  const Watch nobody(nullptr);
  f(*observer);
}

// A composed function or a module: the ops until the end of the C++ scope are part of `name`.
class Scope {
 public:
  using Told = void (Observer::*)(const char* name, bool enter);
  explicit Scope(const char* name, Told told = &Observer::scope) : name_(name), told_(told) {
    tell([&](Observer& o) { (o.*told_)(name_, true); });
  }
  ~Scope() {
    tell([&](Observer& o) { (o.*told_)(name_, false); });
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  const char* name_;
  Told told_;
};

// Gives a value its name in the lesson. Returns x.
inline const Tensor& named(const Tensor& x, const char* name) {
  tell([&](Observer& o) { o.named(x, name); });
  return x;
}

}  // namespace glassgrad

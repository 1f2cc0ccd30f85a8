// Converts the slots of a call to the parameters of a C++ function, and its result back, so that a row of the
// table is only a signature and a lambda.
#pragma once
#include <tuple>

#include "out.h"
#include "signature.h"

namespace glassgrad::GG_HOST {

// ---- types for parameters that have no C++ type
// dtype, layout, device, pin_memory and requires_grad of functions that make tensors: five slots.
struct Options {
  std::optional<DType> dtype;
  std::optional<Device> device;
  bool requires_grad = false;
};
#define GG_OUT ", *, Tensor? out=None"
#define GG_OUTS ", *, Tensor[]? out=None"
#define GG_RANDOM ", *, Generator? generator=None"
#define GG_OPTIONS \
  "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, bool requires_grad=False"
using Text = std::string_view;
// A number, or nothing if the signature allows that.
struct MaybeNumber {
  std::optional<Scalar> scalar;
  explicit operator bool() const { return bool(scalar); }
  Tensor tensor() const { return scalar->dtype == float64 ? Tensor(scalar->real) : Tensor(scalar->whole); }
  std::optional<double> value() const {
    if (!scalar) return {};
    return scalar->dtype == float64 ? scalar->real : double(scalar->whole);
  }
};
// All positional arguments from this parameter on: *object.
struct Rest {
  Items items = {};
  int64_t n = 0;
};
// The result of max(dim), sort and so on: torch.return_types.NAME, or NAME_out if `out=` was written.
struct NamedTuple {
  const char* name;
  Tensor values, indices;
  bool written = false;
};

// ---- lists
// The tensors of a tuple or list. TypeError `expected Tensor as element 1 in argument 0, but got int`.
bool is_tensors(Object o);
std::vector<Tensor> to_tensors(Object o);
Dims to_dims(Object o);  // from ints, or from a single int

// ---- slots
Dims read_dims(const Arguments& a, int i);
std::vector<Tensor> read_tensors(const Arguments& a, int i);
Options read_options(const Arguments& a, int i);
Text read_text(const Arguments& a, int i);
const Tensor& undefined_tensor();

// Refers to a tensor argument, or holds the tensor made from a number.
struct TensorArgument {
  Tensor made;
  const Tensor* tensor = nullptr;
  explicit TensorArgument(Object o) : tensor(o ? as_tensor(o) : &undefined_tensor()) {
    if (!tensor) made = to_number(o);
  }
  operator const Tensor&() const { return tensor ? *tensor : made; }
};

template <class T>
struct Slot;  // how many slots a parameter of type T takes, and how it is read
#define GG_SLOT(T, ...)                                         \
  template <>                                                   \
  struct Slot<T> {                                              \
    static constexpr int kCount = 1;                            \
    static auto read(const Arguments& a, int i) { __VA_ARGS__ } \
  }
GG_SLOT(Tensor, return TensorArgument(a[i]););
GG_SLOT(int64_t, return a[i] ? to_int(a[i]) : int64_t(a.parameter(i).number););
GG_SLOT(double, return a[i] ? to_float(a[i]) : a.parameter(i).number;);
GG_SLOT(bool, return a[i] ? to_bool(a[i]) : a.parameter(i).number != 0;);
GG_SLOT(Dims, return read_dims(a, i););
GG_SLOT(Text, return read_text(a, i););
GG_SLOT(std::vector<Tensor>, return read_tensors(a, i););
GG_SLOT(std::optional<int64_t>, return a[i] ? std::optional(to_int(a[i])) : std::nullopt;);
GG_SLOT(std::optional<double>, return a[i] ? std::optional(to_float(a[i])) : std::nullopt;);
GG_SLOT(std::optional<bool>, return a[i] ? std::optional(to_bool(a[i])) : std::nullopt;);
GG_SLOT(std::optional<Dims>, return a[i] ? std::optional(read_dims(a, i)) : std::nullopt;);
GG_SLOT(std::optional<DType>, return a[i] ? std::optional(to_dtype(a[i])) : std::nullopt;);
GG_SLOT(DType, return to_dtype(a[i]););
GG_SLOT(MaybeNumber, return a[i] ? MaybeNumber{to_scalar(a[i])} : MaybeNumber{};);
GG_SLOT(Object, return a[i];);
GG_SLOT(Rest, return a.variadic_slot == i ? Rest{a.items, a.n_items} : Rest{};);
template <>
struct Slot<Generator> {
  static constexpr int kCount = 1;
  static Generator& read(const Arguments& a, int i) { return to_generator(a[i]); }
};
template <>
struct Slot<Options> {
  static constexpr int kCount = 5;
  static Options read(const Arguments& a, int i) { return read_options(a, i); }
};
#undef GG_SLOT

// ---- results
Result wrap(const NamedTuple& x);  // defined by the host
// The number of tensors that a function with this result type can write to `out=`.
template <class R>
constexpr int kOuts = std::is_same_v<R, Tensor>       ? 1
                      : std::is_same_v<R, NamedTuple> ? 2
                                                      : 0;

// ---- the device for new tensors of a function: the requested one, or that of the first tensor argument off
// the CPU
inline void note_device(std::optional<Device>& device, const Tensor& x) {
  if (x && !x->is_number && (!device || *device == kCpu)) device = x.device();
}
inline void note_device(std::optional<Device>& device, const TensorArgument& x) {
  if (x.tensor) note_device(device, *x.tensor);
}
inline void note_device(std::optional<Device>& device, const std::vector<Tensor>& all) {
  for (const Tensor& x : all) note_device(device, x);
}
inline void note_device(std::optional<Device>& device, const Options& o) {
  if (o.device) device = o.device;
}
template <class T>
void note_device(std::optional<Device>&, const T&) {}

// ---- calls a row's function with the slots of a call; one instantiation for all functions of a type
template <class R, class... A>
struct ArgumentUnpacker {
  static constexpr auto kFirst = [] {
    std::array<int, sizeof...(A) + 1> first{};
    int n = 0, at = 0;
    ((first[size_t(at++)] = n, n += Slot<std::remove_cvref_t<A>>::kCount), ...);
    first[sizeof...(A)] = n;
    return first;
  }();

  static constexpr int kWrites = kOuts<R>;

  static R compute(const Arguments& a, AnyFunction function) {
    const int out = a.signature->out();
    const auto slot = [&](int i) {
      return i + (out >= 0 && i >= out);
    };  // the function itself has no parameter `out`
    return [&]<size_t... I>(std::index_sequence<I...>)->R {
      std::tuple<decltype(Slot<std::remove_cvref_t<A>>::read(a, 0))...> values{
          Slot<std::remove_cvref_t<A>>::read(a, slot(kFirst[I]))...};
      std::optional<Device> device;
      (note_device(device, std::get<I>(values)), ...);
      std::optional<DefaultDevice> here;
      if (device && *device != default_device) here.emplace(*device);
      return reinterpret_cast<R (*)(A...)>(function)(std::get<I>(values)...);
    }
    (std::index_sequence_for<A...>());
  }
  static Result call(const Arguments& a, AnyFunction function) {
    if constexpr (kOuts < R >> 0)
      if (const int out = a.signature->out(); out >= 0 && a[out]) return give_out(a, {compute, function});
    return wrap(compute(a, function));
  }
};

// A function, or a method of Tensor, as a function object. A row that only forwards consists of a signature
// and call<&Tensor::narrow>.
template <auto f, class F = decltype(f)>
struct Forward;
template <auto f, class R, class... A>
struct Forward<f, R (*)(A...)> {
  R operator()(A... a) const { return f(std::forward<A>(a)...); }
};
template <auto f, class R, class... A>
struct Forward<f, R (Tensor::*)(A...) const> {
  R operator()(const Tensor& x, A... a) const { return (x.*f)(std::forward<A>(a)...); }
};
template <auto f>
constexpr Forward<f> call{};
// Picks the overload of this type: call<only<Tensor(const Tensor&)>(max)>.
template <class F>
constexpr F* only(F* f) {
  return f;
}
template <class F>
constexpr F Tensor::*only(F Tensor::*f) {
  return f;
}

template <class F, class R, class... A>
R forward(A... a) {
  return F{}(std::forward<A>(a)...);
}
// Splits a stateless function object into the ArgumentUnpacker of its type and a function pointer.
template <class F, class R, class... A>
auto erased(R (F::*)(A...) const) {
  using Value = std::remove_cvref_t<R>;
  return std::pair{ArgumentUnpacker<Value, A...>(), reinterpret_cast<AnyFunction>(&forward<F, Value, A...>)};
}

}  // namespace glassgrad::GG_HOST

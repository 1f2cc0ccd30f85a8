// `out=`: which dtypes a function may write to it, and in which dtype it computes.
#pragma once
#include "host.h"

namespace glassgrad::GG_HOST {

struct Arguments;
struct NamedTuple;

// How a function of PyTorch writes its result to `out=`.
struct OutRule {
  enum Fit : uint8_t { Castable, Same, Any };  // Castable: result's category is not above out's
  enum Size : uint8_t {
    Warns,
    Silent,
    Counted,
    Keep
  };  // if out's size differs: Keep leaves it, the others resize it, Warns and Counted with a warning
  Fit fit = Castable;
  // The error where it does not fit. {E}, {G}: result's and out's dtype as "Float"; {e}, {g}: as "float".
  const char* text = "result type {E} can't be cast to the desired output type {G}";
  Size size = Warns;
  bool in_its_dtype = false;       // the function computes in out's dtype
  const char* not_bool = nullptr;  // the error for an out of dtype bool, if bool is refused
  const char* indices = nullptr;   // the error for the second of two outs, if it differs
  const char* known_as = nullptr;  // the function's name in errors, if it is an alias
};
// Not inline, so that the tables stay small.
OutRule same(const char* text, const char* indices = nullptr);
OutRule without_bool(const OutRule& rule, const char* text);
inline constexpr OutRule kUsual;
inline constexpr OutRule kSame{OutRule::Same, "Expected out tensor to have dtype {e}, but got {g} instead"};
inline constexpr OutRule kFound{OutRule::Same, "Found dtype {G} but expected {E}"};
inline constexpr OutRule kAny{OutRule::Any, nullptr};
inline constexpr OutRule kMade{OutRule::Any, nullptr, OutRule::Silent, true};  // of functions such as zeros
// The function computes in out's dtype.
inline constexpr OutRule kComputed{OutRule::Any, nullptr, OutRule::Warns, true};
inline constexpr OutRule kComputedIfCastable{OutRule::Castable, kUsual.text, OutRule::Warns, true};
inline constexpr OutRule kJoined{OutRule::Castable,
                                 "torch.cat(): input types can't be cast to the desired output type {G}"};

// Computes the result of a call: a function, and the code that reads its parameters.
using AnyFunction = void (*)();
template <class R>
struct Computation {
  R (*call)(const Arguments&, AnyFunction);
  AnyFunction function;
  R operator()(const Arguments& a) const { return call(a, function); }
};

// Writes compute(a)'s result to the tensor, or the two tensors, of the call's `out=`, and returns those.
Result give_out(const Arguments& a, const Computation<Tensor>& compute);
Result give_out(const Arguments& a, const Computation<NamedTuple>& compute);

// Gives x this shape, contiguous, without moving the elements in its storage. If the storage is too small, x
// gets a larger one, whose additional elements are not initialised. Throws RuntimeError `cannot resize
// variables that require grad`, `Trying to resize storage that is not resizable` (memory of numpy).
const Tensor& resize_(const Tensor& x, const Dims& shape);

}  // namespace glassgrad::GG_HOST

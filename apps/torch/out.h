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
};
// The rule of the function with this signature.
const OutRule& out_rule(std::string_view signature);

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

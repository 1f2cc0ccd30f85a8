// What `out=` does: which dtypes of it a function writes, and where it computes.
#pragma once
#include "host.h"

namespace glassgrad::GG_HOST {

struct Arguments;
struct Named;

// How a function of PyTorch's writes its result to `out=`.
struct OutRule {
  enum Fit : uint8_t { Castable, Same, Any };  // result's dtype to out's: of no higher category …
  enum Size : uint8_t {
    Warns,
    Silent,
    Counted,
    Keep
  };  // of another size: resized, with or without a warning
  Fit fit = Castable;
  // The error where it does not fit. {E}, {G}: result's and out's dtype as "Float"; {e}, {g}: as "float".
  const char* text = "result type {E} can't be cast to the desired output type {G}";
  Size size = Warns;
  bool in_its_dtype = false;       // out's dtype decides in which the numbers are computed
  const char* not_bool = nullptr;  // the error for an out of bools, where a result of them is none
  const char* indices = nullptr;   // the text for the second of two, where the texts differ
};
// The rule of the function with this signature.
const OutRule& out_rule(std::string_view signature);

// Computes a call: a function, and the code that reads its parameters.
using AnyFunction = void (*)();
template <class R>
struct Computation {
  R (*call)(const Arguments&, AnyFunction);
  AnyFunction function;
  R operator()(const Arguments& a) const { return call(a, function); }
};

// compute(a)'s result, written to the tensor, or the two, that `out=` names in the call; gives that.
Result give_out(const Arguments& a, const Computation<Tensor>& compute);
Result give_out(const Arguments& a, const Computation<Named>& compute);

// x has this shape from now on, contiguous, over the elements as they lie in its storage; where that has no
// room for all of them, x gets a larger one of its own, and what it has more is not initialised. RuntimeError
// `cannot resize variables that require grad`, `Trying to resize storage that is not resizable` (memory of
// numpy's).
const Tensor& resize_(const Tensor& x, const Dims& shape);

}  // namespace glassgrad::GG_HOST

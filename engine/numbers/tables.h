// The rows of pointwise.def and scalar.def as enums, and the table of a device's kernels for them.
#pragma once
#include "../core/types.h"

namespace glassgrad {

// The rows of pointwise.def, numbered.
enum class PointwiseId : int {
#define UNARY(name, ...) name,
#define BINARY(name, ...) name,
#define UNARY_PLAIN(name, ...) name,
#define BINARY_PLAIN(name, ...) name,
#define UNARY_NUMBERS(name, ...) name,
#include "pointwise.def"
  count
};

// The rows of scalar.def, functions of a Scalar.
enum class ScalarFunction : uint8_t {
#define SCALAR(name, ...) name,
#include "scalar.def"
};

// y[i·step] = f(in[0][i·steps[0]], in[1][i·steps[1]], …) for i = 0 … n−1. Steps are counted in elements; a
// step of 0 repeats one element. y may be exactly one of the inputs, but must not overlap an input in another
// way.
using RowKernel = void (*)(int64_t n, void* y, int64_t step, const void* const* in, const int64_t* steps);

inline constexpr int kDTypes = 0  // in which kernels compute; the others are narrow
#define NARROW_INTEGER(...)
#define NARROW_FLOAT(...)
#define WIDE(...) +1
#include "../core/dtypes.def"
    ;
inline constexpr int kNarrowDTypes = int(sizeof kAllDTypes) - kDTypes;

// Kernels by the operands' dtype, for the dtypes that kernels compute in; null where an op is not defined for
// one. K: the CPU's RowKernel, or the type that runs a whole loop on a GPU.
template <class K>
struct PointwiseTable {
  struct Entry {
    K value[kDTypes] = {};          // of x; of a, b; or of x and its numbers
    K derivative[2][kDTypes] = {};  // by operand; of g, then the operands, then y, then the numbers
  };
  Entry rows[int(PointwiseId::count)];
  K select[kDTypes] = {};            // condition ? a : b
  K convert[kDTypes][kDTypes] = {};  // [from][to]: != 0 to bool, towards zero to int64
  // For narrow dtypes, index 0 being the first of them: to the dtype that they are computed in, from it, and
  // to themselves. Null on a GPU, whose loops read and write narrow numbers themselves.
  K widen[kNarrowDTypes] = {}, round[kNarrowDTypes] = {}, copy[kNarrowDTypes] = {};

  // Returns null if the conversion takes two steps, by way of the dtype that a narrow one is computed in.
  K conversion(DType from, DType to) const {
    if (!is_narrow(from) && !is_narrow(to)) [[likely]]
      return convert[int(from)][int(to)];
    if (from == to) return copy[int(from) - kDTypes];
    if (to == computed_in(from)) return widen[int(from) - kDTypes];
    return from == computed_in(to) ? round[int(to) - kDTypes] : nullptr;
  }
};
using PointwiseKernels = PointwiseTable<RowKernel>;

}  // namespace glassgrad

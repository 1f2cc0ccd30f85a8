// Pointwise loops: what a kernel for one row of elements looks like, and how it is led over operands of any
// strides.
#pragma once
#include <span>

#include "../types.h"

namespace glassgrad {

// y[i·step] = f(in[0][i·steps[0]], in[1][i·steps[1]], …) for i = 0 … n−1. Steps are counted in elements; 0
// repeats one. y may be one of the inputs itself, element for element, but must not overlap one in another
// way.
using RowKernel = void (*)(int64_t n, void* y, int64_t step, const void* const* in, const int64_t* steps);

// The rows of ops/pointwise.def, numbered.
enum class PointwiseId : int {
#define UNARY(name, ...) name,
#define BINARY(name, ...) name,
#define UNARY_PLAIN(name, ...) name,
#define BINARY_PLAIN(name, ...) name,
#define UNARY_NUMBERS(name, ...) name,
#include "../ops/pointwise.def"
  count
};

inline constexpr int kDTypes = 4;

// Kernels by the dtype of the operands; null where an op is not defined for it.
struct PointwiseKernels {
  struct Row {
    RowKernel value[kDTypes] = {};          // of x; a, b; or x and its numbers
    RowKernel derivative[2][kDTypes] = {};  // by operand; of g, then the operands, then y, then the numbers
  };
  Row rows[int(PointwiseId::count)];
  RowKernel select[kDTypes] = {};            // condition ? a : b
  RowKernel convert[kDTypes][kDTypes] = {};  // [from][to]: != 0 to bool, towards zero to int64
};

// A tensor in a loop. Without data: an operand whose values the kernel does not read.
struct Operand {
  void* data = nullptr;
  const Dims* shape = nullptr;
  const Dims* strides = nullptr;
  int64_t item_size = 0;
};
inline constexpr int kMaxOperands = 6;  // with the result

// Runs the kernel over operands[0], the result, which has the shape of the loop; the others broadcast to it.
void run_loop(RowKernel kernel, std::span<const Operand> operands);

}  // namespace glassgrad

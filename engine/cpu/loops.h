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

// Kernels by the dtype of the operands; null where an op is not defined for it. K: the CPU's RowKernel, or
// what runs the whole loop on a GPU.
template <class K>
struct PointwiseTable {
  struct Row {
    K value[kDTypes] = {};          // of x; a, b; or x and its numbers
    K derivative[2][kDTypes] = {};  // by operand; of g, then the operands, then y, then the numbers
  };
  Row rows[int(PointwiseId::count)];
  K select[kDTypes] = {};            // condition ? a : b
  K convert[kDTypes][kDTypes] = {};  // [from][to]: != 0 to bool, towards zero to int64
};
using PointwiseKernels = PointwiseTable<RowKernel>;

// A tensor in a loop. Without data: an operand whose values the kernel does not read.
struct Operand {
  void* data = nullptr;
  const Dims* shape = nullptr;
  const Dims* strides = nullptr;
  int64_t item_size = 0;
  bool is_number = false;  // one number in the CPU's memory, whatever device the loop runs on
};
inline constexpr int kMaxOperands = 6;  // with the result

// The dimensions of a loop, outermost first, with every operand's step in each: in the order of the result's
// memory, joined where every operand moves evenly. None if all is one element.
struct Nest {
  int dims = 0, operands = 0;
  int64_t size[kMaxDims];
  int64_t step[kMaxDims][kMaxOperands];  // in elements
};
Nest nest_of(std::span<const Operand> operands);

// Runs the kernel over operands[0], the result, which has the shape of the loop; the others broadcast to it.
void run_loop(RowKernel kernel, std::span<const Operand> operands);

}  // namespace glassgrad

#include "error.h"

namespace glassgrad {

void throw_too_many_dims(int64_t n) {
  fail("a tensor can have at most {} dimensions, but {} were asked for", kMaxDims, n);
}

void throw_no_kernel(DType t) { fail("no kernel computes in {}", dtype_name(t)); }

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (int i = 0; i < dims.n; ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

namespace {

struct Names {
  const char *scalar_type, *cpp_type, *dtype;
};
constexpr Names kNames[] = {
#define DTYPE(dtype, T, name, scalar_type, cpp_type, ...) {scalar_type, cpp_type, name},
#include "dtypes.def"
};

}  // namespace

const char* scalar_type_name(DType t) { return kNames[int(t)].scalar_type; }
const char* cpp_type_name(DType t) { return kNames[int(t)].cpp_type; }
const char* dtype_name(DType t) { return kNames[int(t)].dtype; }

}  // namespace glassgrad

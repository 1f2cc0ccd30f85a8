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
    {"Bool", "bool", "torch.bool"},           {"Long", "long int", "torch.int64"},
    {"Float", "float", "torch.float32"},      {"Double", "double", "torch.float64"},
    {"Byte", "unsigned char", "torch.uint8"}, {"Char", "signed char", "torch.int8"},
    {"Short", "short int", "torch.int16"},    {"Int", "int", "torch.int32"},
    {"Half", "c10::Half", "torch.float16"},   {"BFloat16", "c10::BFloat16", "torch.bfloat16"}};

}  // namespace

const char* scalar_type_name(DType t) { return kNames[int(t)].scalar_type; }
const char* cpp_type_name(DType t) { return kNames[int(t)].cpp_type; }
const char* dtype_name(DType t) { return kNames[int(t)].dtype; }

}  // namespace glassgrad

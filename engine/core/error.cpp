#include "error.h"

namespace glassgrad {

void throw_too_many_dims(int64_t n) {
  fail("a tensor can have at most {} dimensions, but {} were asked for", kMaxDims, n);
}

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (int i = 0; i < dims.n; ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

const char* scalar_type_name(DType t) {
  switch (t) {
    case DType::Bool:
      return "Bool";
    case DType::Int64:
      return "Long";
    case DType::Float32:
      return "Float";
    case DType::Float64:
      return "Double";
  }
  return "";
}

const char* cpp_type_name(DType t) {
  switch (t) {
    case DType::Bool:
      return "bool";
    case DType::Int64:
      return "long int";
    case DType::Float32:
      return "float";
    case DType::Float64:
      return "double";
  }
  return "";
}

const char* dtype_name(DType t) {
  switch (t) {
    case DType::Bool:
      return "torch.bool";
    case DType::Int64:
      return "torch.int64";
    case DType::Float32:
      return "torch.float32";
    case DType::Float64:
      return "torch.float64";
  }
  return "";
}

}  // namespace glassgrad

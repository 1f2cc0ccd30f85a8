// A tensor and what it is called: in a module, an optimizer's state, a file.
#pragma once
#include <string>

#include "tensor.h"

namespace glassgrad {

struct NamedTensor {
  std::string name;  // "heads.0.W_query.weight"
  Tensor tensor;
};

}  // namespace glassgrad

// What a tensor, dtype, device or generator is asked for by name: x.shape, x.backward(), …
#pragma once
#include "apps/script/types.h"

namespace glassgrad::script {

bool find_tensor_attribute(Interpreter& in, const Value& x, std::string_view name, Value& into);
void set_tensor_attribute(Interpreter& in, const Value& x, std::string_view name, const Value& value);
// The classes torch.Tensor, torch.nn.Parameter, torch.dtype, torch.device, torch.Generator and torch.Size.
Value class_of_tensor(Interpreter& in, const Value& x);
void add_tensor_classes(Interpreter& in, Dict& torch);
// What tensors do under operators, in brackets and in loops, told to the interpreter; before any runs.
void provide_tensors();
// torch.autograd.grad, and x.backward().
Value gradients(Interpreter& in, const Arguments& a);

}  // namespace glassgrad::script

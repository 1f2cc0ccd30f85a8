// torch for a script: the functions and methods of the table in apps/torch.
#pragma once
#include "apps/script/value.h"

namespace glassgrad::script {

namespace rows {
struct Function;
class Signature;
}  // namespace rows
// Roughly the bytes of a tensor without its elements.
inline constexpr size_t kBytesOfTensor = 512;

// torch., x., F., torch.linalg., nn.init.
enum class TorchNamespace { Functions, Methods, Functional, Linalg, Init };

// The function of this name; null if there is none.
const rows::Function* torch_function(TorchNamespace place, std::string_view name);
// The names of all functions of a place.
std::vector<std::string> torch_functions(TorchNamespace place);
// Calls f; a method's first argument is the tensor. Throws TypeError if the call fits no overload.
Value call(const rows::Function& f, const Arguments& arguments);

// Binds the arguments of a torch class's constructor as Python does: a value for each parameter. Throws
// TypeError, like match().
std::vector<Value> values_of(const rows::Signature& constructor, const Arguments& arguments);

// Gets the text of each UserWarning of torch, if set.
std::function<void(const std::string&)>& warnings();

}  // namespace glassgrad::script

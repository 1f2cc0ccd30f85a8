// What a script finds in torch: the functions and methods of the table in apps/torch.
#pragma once
#include "apps/script/value.h"

namespace glassgrad::script {

namespace rows {
struct Function;
class Signature;
}  // namespace rows
// About what a tensor takes beside its numbers.
inline constexpr size_t kBytesOfTensor = 512;

enum class Torch { Functions, Methods, Functional, Linalg, Init };  // torch., x., F., torch.linalg., nn.init.

// The function of this name; null if there is none.
const rows::Function* torch_function(Torch place, std::string_view name);
// The names of all that there are.
std::vector<std::string> torch_functions(Torch place);
// Of a method, the first argument is the tensor. TypeError if the call fits none of its overloads.
Value call(const rows::Function& f, const Arguments& arguments);

// The arguments of a constructor of a class of torch, as Python sorts them: a value for each parameter.
// TypeError, as match().
std::vector<Value> values_of(const rows::Signature& constructor, const Arguments& arguments);

// What a UserWarning of torch's is told to, if set.
std::function<void(const std::string&)>& warnings();

}  // namespace glassgrad::script

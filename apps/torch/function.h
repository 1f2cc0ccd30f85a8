// All overloads of one name: which of them a call means, and what help() says.
#pragma once
#include <map>

#include "table.h"

namespace glassgrad::GG_HOST {

// Says how PyTorch's autocast casts the floats of a call on a type of device: to float32, to the half, or to
// the widest among them; or it refuses the call.
enum class Cast : uint8_t { None, Wide, Half, Widest, Refused };

struct Overload {
  Signature signature;
  Compute compute;
};
struct Function {
  std::string name, help;
  bool method = false;
  Cast casts[2] = {};  // by type of device
  std::vector<Overload> overloads;

  // Of a method `self` is not among the call's arguments. TypeError if the call fits none of the overloads.
  Result operator()(Object self, const HostCall& call) const;
  std::string documentation() const;  // the first line is what inspect.signature reads

 private:
  Result cast_call(const Overload& o, Arguments& a) const;
  [[noreturn]] void refuse(Object self, const HostCall& call) const;
};

// The functions of a place, by name; kept for the life of the process.
using Functions = std::map<std::string, Function, std::less<>>;
const Functions& functions_at(Place place);
// One of them, read when first asked for; null: there is none.
const Function* function_at(Place place, std::string_view name);

}  // namespace glassgrad::GG_HOST

// All overloads of a name: picks the overload for a call, and has the text for help().
#pragma once
#include <map>

#include "table.h"

namespace glassgrad::GG_HOST {

struct Overload {
  Signature signature;
  Compute compute;
};
struct Function {
  std::string name, help;
  bool method = false;
  Cast casts[2] = {};  // by type of device
  std::vector<Overload> overloads;

  // A method's `self` is not among the call's arguments. Throws TypeError if the call fits no overload.
  Result operator()(Object self, const HostCall& call) const;
  std::string documentation() const;  // the first line is what inspect.signature reads

 private:
  Result cast_call(const Overload& o, Arguments& a) const;
  [[noreturn]] void refuse(Object self, const HostCall& call) const;
};

// The functions of a place, by name; kept for the life of the process.
using Functions = std::map<std::string, Function, std::less<>>;
const Functions& functions_at(Place place);
// The function of this name, parsed at first use; null: there is none.
const Function* function_at(Place place, std::string_view name);

}  // namespace glassgrad::GG_HOST

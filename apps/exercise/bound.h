// Keeps what a name of a program is bound to, as it is at that moment.
#pragma once
#include "apps/exercise/trial.h"
#include "apps/script/value.h"

namespace glassgrad::exercise {

// Adds what the name holds: a tensor, a module's parameters, the items of a list. always: also what is
// neither a tensor nor made of some. Beyond 20'000 entries nothing is added.
void add_bound(std::vector<Bound>& all, const std::string& call, const std::string& name,
               const script::Value& v, bool always);

// The same numbers, nan included.
bool is_same(const Tensor& a, const Tensor& b);

}  // namespace glassgrad::exercise

// Copies the value that a name of a program is bound to at this moment.
#pragma once
#include "apps/exercise/answer_run.h"
#include "apps/script/value.h"

namespace glassgrad::exercise {

// Adds the tensors of a name's value: a tensor, a module's parameters, the items of a list. always: adds
// other values too. Adds nothing beyond 20'000 entries.
void add_bound_values(std::vector<BoundValue>& all, const std::string& call, const std::string& name,
                      const script::Value& v, bool always);

// Returns whether shape, dtype and numbers are the same; nan equals nan.
bool is_same(const Tensor& a, const Tensor& b);

}  // namespace glassgrad::exercise

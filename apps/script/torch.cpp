#include "torch.h"

#include "apps/torch/function.h"

namespace glassgrad::script {

namespace {

constexpr rows::Place kPlaces[] = {rows::kTorch, rows::kMethod, rows::kFunctional, rows::kLinalg};

// An in-place function gives back the object that it was given.
Value same_object(Value y, std::span<const Value> among) {
  if (const TensorObject* const made = y.as<TensorObject>())
    for (const Value& x : among)
      if (const TensorObject* const given = x.as<TensorObject>();
          given && given->tensor.ref() == made->tensor.ref())
        return x;
  return y;
}

}  // namespace

const rows::Function* torch_function(Torch place, std::string_view name) {
  return rows::function_at(kPlaces[size_t(place)], name);
}

std::vector<std::string> torch_functions(Torch place) {
  std::vector<std::string> names;
  for (const auto& [name, function] : rows::functions_at(kPlaces[size_t(place)])) names.push_back(name);
  return names;
}

Value call(const rows::Function& f, const Arguments& arguments) {
  const std::span<const Value> all = arguments.positional, given = all.subspan(f.method);
  const rows::HostCall call{{given.data()}, int64_t(given.size()), arguments.named};
  return same_object(f(f.method ? all.data() : nullptr, call), all);
}

std::function<void(const std::string&)>& warnings() {
  static thread_local std::function<void(const std::string&)> told;
  return told;
}

}  // namespace glassgrad::script

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

// MemoryError: a function that cuts a tensor would make more tensors, all at once, than the heap has room
// for.
void check_pieces(const rows::Function& f, const Arguments& a) {
  const bool each = f.name == "unbind", by_size = f.name == "split" || f.name == "unsafe_split";
  if (!each && !by_size && !f.name.ends_with("split") && !f.name.ends_with("chunk")) return;
  int64_t largest = 0, number = 1;
  bool listed = false;  // the sizes of all pieces are given
  const auto look = [&](const Value& x) {
    if (const Tensor* const t = tensor_of(x))
      for (const int64_t size : t->shape()) largest = std::max(largest, size);
    listed = listed || x.as<List>() || x.as<Tuple>();
    if (x.is_int()) number = std::max(number, x.whole());
  };
  for (const Value& x : a.positional) look(x);
  for (const Named& n : a.named) look(n.value);
  if (listed) return;
  const int64_t pieces = each ? largest : by_size ? largest / number : std::min(largest, number);
  Heap::current().check(static_cast<size_t>(pieces) * kBytesOfTensor);
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
  check_pieces(f, arguments);
  const std::span<const Value> all = arguments.positional, given = all.subspan(f.method);
  const rows::HostCall call{{given.data()}, int64_t(given.size()), arguments.named};
  return same_object(f(f.method ? all.data() : nullptr, call), all);
}

std::function<void(const std::string&)>& warnings() {
  static thread_local std::function<void(const std::string&)> told;
  return told;
}

}  // namespace glassgrad::script

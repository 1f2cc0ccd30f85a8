#include "torch.h"

#include "apps/script/number.h"
#include "apps/script/types.h"
#include "apps/torch/function.h"

namespace glassgrad::script {

namespace {

constexpr rows::Place kPlaces[] = {rows::kTorch, rows::kMethod, rows::kFunctional, rows::kLinalg,
                                   rows::kInit};

// Returns the argument itself if y is its tensor: an in-place function gives back the object it was given.
Value same_object(Value y, std::span<const Value> among) {
  if (const TensorObject* const made = y.as<TensorObject>())
    for (const Value& x : among)
      if (const TensorObject* const given = x.as<TensorObject>();
          given && given->tensor.ref() == made->tensor.ref())
        return x;
  return y;
}

// Throws MemoryError if a function that splits a tensor would make more tensors at once than fit on the heap.
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
  for (const KeywordArgument& n : a.named) look(n.value);
  if (listed) return;
  const int64_t pieces = each ? largest : by_size ? largest / number : std::min(largest, number);
  Heap::current().check(static_cast<size_t>(pieces) * kBytesOfTensor);
}

// The value of a constant in Python's syntax: True, None, 0.5, 'mean', (0.9,0.999).
Value constant(std::string_view text) {
  if (text == "None") return Value::none();
  if (text == "True" || text == "False") return Value::of(text == "True");
  if (text[0] == '\'') return str(std::string(text.substr(1, text.size() - 2)));
  if (text[0] == '(') {
    const size_t comma = text.find(',');
    return tuple(
        {constant(text.substr(1, comma - 1)), constant(text.substr(comma + 1, text.size() - comma - 2))});
  }
  const auto whole = text.find_first_of(".e") == text.npos ? parse_int(text) : std::nullopt;
  return whole ? Value::of(*whole) : Value::of(*parse_float(text));
}

}  // namespace

const rows::Function* torch_function(TorchNamespace place, std::string_view name) {
  return rows::function_at(kPlaces[size_t(place)], name);
}

std::vector<std::string> torch_functions(TorchNamespace place) {
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

std::vector<Value> values_of(const rows::Signature& constructor, const Arguments& arguments) {
  BuiltinDef row{"__init__", 0, 0, nullptr};
  std::string names;
  for (const rows::Parameter& p : constructor.parameters()) {
    row.least += !p.optional;
    row.most += !p.keyword_only;
    names += (names.empty() ? "" : " ") + p.name;
  }
  row.names = names.c_str();
  std::vector<Value> all = match(row, row.name, arguments);
  for (size_t k = 0; k < all.size(); ++k)
    if (!all[k]) all[k] = constant(constructor.parameters()[k].fallback);
  return all;
}

std::function<void(const std::string&)>& warnings() {
  static thread_local std::function<void(const std::string&)> told;
  return told;
}

}  // namespace glassgrad::script

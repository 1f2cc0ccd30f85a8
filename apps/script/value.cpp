#include "apps/script/value.h"

#include <algorithm>
#include <bit>

#include "apps/script/slots.h"
#include "apps/script/types.h"
#include "engine/core/utf8.h"

namespace glassgrad::script {

// If a constructor throws, the destructor does not run and refunds no bytes. So nothing may throw after
// charge().
Str::Str(std::string x)
    : Object((Heap::current().charge(x.size()), Kind::Str)),
      text(std::move(x)),
      length(static_cast<int64_t>(count_characters(text))),
      hash(std::hash<std::string_view>()(text)) {}
Str::~Str() { heap().refund(text.size()); }

List::List(std::vector<Value> x) : Object(Kind::List), items(std::move(x)) {
  heap().charge(items.capacity() * sizeof(Value));
  charged_ = items.capacity() * sizeof(Value);
}
List::~List() { heap().refund(charged_); }
void List::charge_anew() {
  const size_t bytes = items.capacity() * sizeof(Value);
  heap().refund(std::exchange(charged_, 0));
  heap().charge(bytes);
  charged_ = bytes;
}

const Tuple::Type kSize = {"torch.Size", {}};
Tuple* Tuple::of(std::span<Value> items, const Type* type) {
  Heap& heap = Heap::current();
  heap.charge(items.size() * sizeof(Value));
  void* const block = heap.allocate(sizeof(Tuple) + items.size() * sizeof(Value));
  return ::new (block) Tuple(items, type);
}
Tuple::Tuple(std::span<Value> from, const Type* of) : Object(Kind::Tuple), type(of), items(from.size()) {
  static_assert(sizeof(Tuple) % alignof(Value) == 0);
  for (size_t k = 0; k < from.size(); ++k) ::new (first() + k) Value(std::move(from[k]));
}
Tuple::~Tuple() {
  for (size_t k = 0; k < items.size(); ++k) first()[k].~Value();
  heap().refund(items.size() * sizeof(Value));
}
void Tuple::operator delete(Tuple* x, std::destroying_delete_t) {
  Heap& heap = x->heap();
  const size_t bytes = sizeof(Tuple) + x->items.size() * sizeof(Value);
  x->~Tuple();
  heap.free(x, bytes);
}
void Tuple::clear() {
  for (size_t k = 0; k < items.size(); ++k) first()[k] = Value();
}

void SlotStack::push_chunk(size_t n) {
  if (!chunks_.empty()) chunks_[at_].next = next_;
  if (next_ != begin_) ++at_;
  if (at_ == chunks_.size()) chunks_.emplace_back();
  Chunk& c = chunks_[at_];
  if (c.size < n) {
    c.size = std::max(n, size_t{1024});
    c.values = std::make_unique<Value[]>(c.size);
  }
  begin_ = next_ = c.values.get();
  end_ = begin_ + c.size;
}

void SlotStack::pop_chunk() noexcept {
  const Chunk& c = chunks_[--at_];
  begin_ = c.values.get();
  next_ = c.next;
  end_ = begin_ + c.size;
}

int64_t Range::size() const {
  const bool up = step > 0;
  if (up ? start >= stop : start <= stop) return 0;
  const uint64_t span = up ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                           : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
  const uint64_t by = up ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  return static_cast<int64_t>(std::min<uint64_t>((span - 1) / by, INT64_MAX - 1) + 1);
}

Function::Function(const Code* x)
    : Object(Kind::Function),
      code(x),
      simple(std::all_of(code->parameters.begin(), code->parameters.end(),
                         [](const Parameter& p) { return p.kind == Parameter::Plain; }) &&
             std::all_of(code->cell_of_slot.begin(), code->cell_of_slot.end(), [](int c) { return c < 0; })) {
}
void Function::clear() {
  defaults.clear();
  captured.clear();
  wrapped = Value();
}
Namespace::Namespace(std::string x) : Object(Kind::Namespace), name(std::move(x)), attributes(make<Dict>()) {
  attributes.as<Dict>()->of_names = true;
  ++heap().epoch;
}
TensorObject::TensorObject(Tensor x, bool is_parameter)
    : Object(Kind::Tensor), tensor(std::move(x)), parameter(is_parameter || tensor->is_parameter) {}
Value str(std::string text) { return make<Str>(std::move(text)); }
Value list(std::vector<Value> items) { return make<List>(std::move(items)); }
Value tuple(std::vector<Value> items, const Tuple::Type* type) { return Tuple::of(items, type); }
Value tensor(Tensor x) { return x ? Value(make<TensorObject>(std::move(x))) : Value::none(); }

bool identical(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  switch (a.tag()) {
    case Tag::Bool:
    case Tag::Int:
      return a.whole() == b.whole();
    case Tag::Float:
      return __builtin_bit_cast(int64_t, a.real()) == __builtin_bit_cast(int64_t, b.real());
    case Tag::Object:
      return a.object() == b.object();
    default:
      return true;
  }
}

std::string type_name(const Value& x) {
  constexpr const char* kTags[] = {"absent", "NoneType", "NotImplementedType", "ellipsis", "bool",
                                   "int",    "float"};
  if (!x.object()) return kTags[static_cast<size_t>(x.tag())];
  const Object& o = *x.object();
  switch (o.kind) {
    case Kind::Tuple: {
      const auto* type = static_cast<const Tuple&>(o).type;
      return !type ? "tuple" : type == &kSize ? "Size" : type->name;
    }
    case Kind::Iterator:
      return static_cast<const Iterator&>(o).type_name;
    case Kind::BoundMethod:
      return static_cast<const BoundMethod&>(o).function.as<Builtin>() ? "builtin_function_or_method"
                                                                       : "method";
    case Kind::Instance:
      return static_cast<const Instance&>(o).type().name;
    case Kind::Tensor:
      return static_cast<const TensorObject&>(o).parameter ? "Parameter" : "Tensor";
    case Kind::Descriptor: {
      constexpr const char* kNames[] = {"property", "staticmethod", "classmethod"};
      return kNames[static_cast<size_t>(static_cast<const Descriptor&>(o).of)];
    }
    case Kind::DictView: {
      constexpr const char* kNames[] = {"dict_keys", "dict_values", "dict_items"};
      return kNames[static_cast<const DictView&>(o).of];
    }
    default: {
      constexpr const char* kNames[] = {"str",
                                        "tuple",
                                        "list",
                                        "dict",
                                        "set",
                                        "slice",
                                        "range",
                                        "iterator",
                                        "cell",
                                        "function",
                                        "builtin_function_or_method",
                                        "method",
                                        "type",
                                        "instance",
                                        "module",
                                        "Tensor",
                                        "dtype",
                                        "device",
                                        "Generator",
                                        "view",
                                        "super"};
      return kNames[static_cast<size_t>(o.kind)];
    }
  }
}

}  // namespace glassgrad::script

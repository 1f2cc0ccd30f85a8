#include "apps/script/value.h"

#include <bit>

#include "apps/script/types.h"
#include "engine/io/utf8.h"

namespace glassgrad::script {
namespace {

thread_local Heap* current_heap = nullptr;

}  // namespace

Heap::Heap(size_t budget) : budget_(budget), outer_(std::exchange(current_heap, this)) {}

Heap::~Heap() {
  interpreter = nullptr;
  types_.reset();
  // Whoever refers to others lets go of them; the count of the one that is cleared is held meanwhile.
  for (Object* x = first_; x;) {
    ++x->count;
    x->clear();
    Object* const next = x->after;
    if (--x->count == 0) release(x);
    x = next;
  }
  while (first_) delete first_;
  current_heap = outer_;
}

void Heap::ask() {
  work_ = 0;
  if (interpreter) interpreter->look();
}

void Heap::take(size_t bytes) {
  work(bytes);
  if (bytes > budget_ || used_ > budget_ - bytes) {
    const size_t budget = std::exchange(budget_, budget_ + used_ + (1 << 16));  // the error itself takes some
    Value error = new_exception(types().find("MemoryError")->object(), {});
    if (interpreter) interpreter->remember(static_cast<Exception&>(*error.object()));
    budget_ = budget;
    throw Raised{std::move(error)};
  }
  used_ += bytes;
}

Heap& Heap::current() { return *current_heap; }

Types& Heap::types() {
  if (!types_) types_ = std::make_unique<Types>();
  return *types_;
}

void release(Object* x) noexcept {
  Heap& heap = *x->heap;
  // Out of the list of the living, into that of the doomed.
  (x->before ? x->before->after : heap.first_) = x->after;
  if (x->after) x->after->before = x->before;
  x->before = x;  // marks it
  x->after = std::exchange(heap.doomed_, x);
  if (heap.releasing_) return;
  heap.releasing_ = true;
  while (heap.doomed_) {
    Object* const doomed = heap.doomed_;
    heap.doomed_ = doomed->after;
    delete doomed;
  }
  heap.releasing_ = false;
}

Object::Object(Kind of) : kind(of), heap(&Heap::current()), after(heap->first_) {
  if (after) after->before = this;
  heap->first_ = this;
  heap->used_ += sizeof(Object) + 64;  // about what objects of all kinds take; never refused
}

Object::~Object() {
  heap->used_ -= sizeof(Object) + 64;
  if (before == this) return;  // release() has taken it out
  (before ? before->after : heap->first_) = after;
  if (after) after->before = before;
}

// What the body of a constructor throws ends its members, but no destructor gives back: so these take first.
Str::Str(std::string x)
    : Object((Heap::current().take(x.size()), Kind::Str)),
      text(std::move(x)),
      length(static_cast<int64_t>(count_characters(text))),
      hash(std::hash<std::string_view>()(text)) {}
Str::~Str() { heap->give(text.size()); }

List::List(std::vector<Value> x) : Object(Kind::List), items(std::move(x)) {
  heap->take(items.capacity() * sizeof(Value));
  charged_ = items.capacity() * sizeof(Value);
}
List::~List() { heap->give(charged_); }
void List::charge() {
  const size_t bytes = items.capacity() * sizeof(Value);
  if (bytes == charged_) return;
  heap->give(std::exchange(charged_, 0));
  heap->take(bytes);
  charged_ = bytes;
}

const Tuple::Type kSize = {"torch.Size", {}};
Tuple::Tuple(std::vector<Value> x, const Type* of)
    : Object((Heap::current().take(x.size() * sizeof(Value)), Kind::Tuple)), items(std::move(x)), type(of) {}
Tuple::~Tuple() { heap->give(items.size() * sizeof(Value)); }

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
}
Class::Class(std::string x, Value above)
    : Object(Kind::Class),
      name(std::move(x)),
      module("__main__"),
      base(std::move(above)),
      attributes(make<Dict>()) {}
void Class::clear() { base = attributes = Value(); }
const Value* Class::find(std::string_view attribute) const {
  for (const Class* c = this; c; c = c->base.as<Class>())
    if (const Value* x = static_cast<Dict*>(c->attributes.object())->find(attribute)) return x;
  return nullptr;
}
bool Class::is_a(const Class& other) const {
  for (const Class* c = this; c; c = c->base.as<Class>())
    if (c == &other) return true;
  return false;
}
Instance::Instance(Value type) : Object(Kind::Instance), class_(std::move(type)), attributes(make<Dict>()) {}
void Instance::clear() { class_ = attributes = Value(); }
Class& Instance::type() const { return static_cast<Class&>(*class_.object()); }

Namespace::Namespace(std::string x) : Object(Kind::Namespace), name(std::move(x)), attributes(make<Dict>()) {}
TensorObject::TensorObject(Tensor x, bool is_parameter)
    : Object(Kind::Tensor), tensor(std::move(x)), parameter(is_parameter || tensor->is_parameter) {}
Value str(std::string text) { return make<Str>(std::move(text)); }
Value list(std::vector<Value> items) { return make<List>(std::move(items)); }
Value tuple(std::vector<Value> items) { return make<Tuple>(std::move(items)); }
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
    case Kind::Bound:
      return static_cast<const Bound&>(o).function.as<Builtin>() ? "builtin_function_or_method" : "method";
    case Kind::Instance:
      return static_cast<const Instance&>(o).type().name;
    case Kind::Tensor:
      return static_cast<const TensorObject&>(o).parameter ? "Parameter" : "Tensor";
    case Kind::View: {
      constexpr const char* kNames[] = {"dict_keys", "dict_values", "dict_items"};
      return kNames[static_cast<const View&>(o).of];
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

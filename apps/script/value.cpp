#include "apps/script/value.h"

#include <bit>

#include "apps/script/types.h"

namespace glassgrad::script {
namespace {

thread_local Heap* current_heap = nullptr;

size_t code_points(std::string_view text) {
  size_t n = 0;
  for (const char c : text) n += (c & 0xC0) != 0x80;
  return n;
}

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

void Heap::take(size_t bytes) {
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
      length(static_cast<int64_t>(code_points(text))),
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

Slice::Slice(Value a, Value b, Value c)
    : Object(Kind::Slice), start(std::move(a)), stop(std::move(b)), step(std::move(c)) {}
Range::Range(int64_t a, int64_t b, int64_t by) : Object(Kind::Range), start(a), stop(b), step(by) {}
int64_t Range::size() const {
  const bool up = step > 0;
  if (up ? start >= stop : start <= stop) return 0;
  const uint64_t span = up ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                           : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
  const uint64_t by = up ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  return static_cast<int64_t>(std::min<uint64_t>((span - 1) / by, INT64_MAX - 1) + 1);
}

Iterator::Iterator(const char* x) : Object(Kind::Iterator), type_name(x) {}
Cell::Cell() : Object(Kind::Cell) {}
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
Builtin::Builtin(std::string x, Body body)
    : Object(Kind::Builtin), name(std::move(x)), call(std::move(body)) {}
Bound::Bound(Value x, Value f) : Object(Kind::Bound), self(std::move(x)), function(std::move(f)) {}

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
DTypeObject::DTypeObject(DType x) : Object(Kind::DType), dtype(x) {}
DeviceObject::DeviceObject(Device x) : Object(Kind::Device), device(x) {}
GeneratorObject::GeneratorObject(std::shared_ptr<glassgrad::Generator> x)
    : Object(Kind::Generator), generator(std::move(x)) {}

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
  switch (x.tag()) {
    case Tag::Absent:
      return "absent";
    case Tag::None:
      return "NoneType";
    case Tag::NotImplemented:
      return "NotImplementedType";
    case Tag::Ellipsis:
      return "ellipsis";
    case Tag::Bool:
      return "bool";
    case Tag::Int:
      return "int";
    case Tag::Float:
      return "float";
    case Tag::Object:
      break;
  }
  switch (const Object& o = *x.object(); o.kind) {
    case Kind::Str:
      return "str";
    case Kind::Tuple: {
      const auto* type = static_cast<const Tuple&>(o).type;
      return !type ? "tuple" : type == &kSize ? "Size" : std::string(type->name);
    }
    case Kind::List:
      return "list";
    case Kind::Dict:
      return "dict";
    case Kind::Set:
      return "set";
    case Kind::Slice:
      return "slice";
    case Kind::Range:
      return "range";
    case Kind::Iterator:
      return static_cast<const Iterator&>(o).type_name;
    case Kind::Cell:
      return "cell";
    case Kind::Function:
      return "function";
    case Kind::Builtin:
      return "builtin_function_or_method";
    case Kind::Bound:
      return static_cast<const Bound&>(o).function.as<Builtin>() ? "builtin_function_or_method" : "method";
    case Kind::Class:
      return "type";
    case Kind::Instance:
      return static_cast<const Instance&>(o).type().name;
    case Kind::Namespace:
      return "module";
    case Kind::Tensor:
      return static_cast<const TensorObject&>(o).parameter ? "Parameter" : "Tensor";
    case Kind::DType:
      return "dtype";
    case Kind::Device:
      return "device";
    case Kind::Generator:
      return "Generator";
    case Kind::View: {
      constexpr const char* kNames[] = {"dict_keys", "dict_values", "dict_items"};
      return kNames[static_cast<const View&>(o).of];
    }
    case Kind::Super:
      return "super";
  }
  return "";
}

}  // namespace glassgrad::script

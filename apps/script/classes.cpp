#include "apps/script/classes.h"

#include <algorithm>

namespace glassgrad::script {

Class::Class(std::string x, Value above)
    : Object(Kind::Class),
      name(std::move(x)),
      module("__main__"),
      base(std::move(above)),
      attributes(make<Dict>()) {
  attributes.as<Dict>()->of_names = true;
  ++heap().epoch;
}
void Class::clear() {
  base = attributes = Value();
  places.clear();
}
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

const char* name_of(Special method) {
  static constexpr const char* kNames[] = {
      "__add__",      "__sub__",     "__mul__",     "__truediv__", "__floordiv__", "__mod__",
      "__pow__",      "__matmul__",  "__and__",     "__or__",      "__xor__",      "__lshift__",
      "__rshift__",   "__radd__",    "__rsub__",    "__rmul__",    "__rtruediv__", "__rfloordiv__",
      "__rmod__",     "__rpow__",    "__rmatmul__", "__rand__",    "__ror__",      "__rxor__",
      "__rlshift__",  "__rrshift__", "__eq__",      "__lt__",      "__le__",       "__gt__",
      "__ge__",       "__neg__",     "__init__",    "__call__",    "__len__",      "__bool__",
      "__contains__", "__iter__",    "__next__",    "__getitem__", "__setitem__",  "__getattr__",
      "__setattr__",  "__repr__",    "__str__"};
  static_assert(std::size(kNames) == kSpecials);
  return kNames[static_cast<size_t>(method)];
}

const Value* Class::find(Special method) const {
  static const Value unknown;  // a sentinel, compared by address
  if (!specials_ || epoch_ != heap().epoch) {
    if (!specials_) specials_ = std::make_unique<std::array<const Value*, kSpecials>>();
    specials_->fill(&unknown);
    epoch_ = heap().epoch;
  }
  const Value*& known = (*specials_)[static_cast<size_t>(method)];
  if (known == &unknown) known = find(name_of(method));
  return known;
}

int Class::place_of(std::string_view attribute) const {
  const size_t hash = std::hash<std::string_view>()(attribute);
  for (size_t k = 0; k < places.size(); ++k) {
    const Str& known = static_cast<const Str&>(*places[k].object());
    if (known.hash == hash && known.text == attribute) return static_cast<int>(k);
  }
  return -1;
}
int Class::add_place(std::string_view attribute) {
  constexpr size_t kMost = 64;
  if (places.size() >= kMost) return -1;
  places.push_back(str(std::string(attribute)));
  ++heap().epoch;
  return static_cast<int>(places.size()) - 1;
}

PlainInstance* PlainInstance::of(const Value& type) {
  Heap& heap = Heap::current();
  const size_t room = type.as<Class>()->places.size();
  heap.charge(room * sizeof(Value));
  return ::new (heap.allocate(sizeof(PlainInstance) + room * sizeof(Value))) PlainInstance(type, room);
}
void PlainInstance::operator delete(PlainInstance* x, std::destroying_delete_t) {
  Heap& heap = x->heap();
  const size_t bytes = x->room_within_ * sizeof(Value);
  x->~PlainInstance();
  heap.refund(bytes);
  heap.free(x, sizeof(PlainInstance) + bytes);
}

Instance::Instance(const Value& type, Value* slots, size_t room)
    : Object(Kind::Instance),
      room_within_(static_cast<uint16_t>(room)),
      room_(room_within_),
      class_(type.as<Class>()),
      slots_(slots) {
  ++class_->count;
}
Instance::~Instance() {
  drop_slots();
  drop_references();
}
void Instance::drop_references() noexcept {
  if (Class* const c = std::exchange(class_, nullptr); c && --c->count == 0) release(c);
  if (Dict* const d = std::exchange(dict_, nullptr); d && --d->count == 0) release(d);
}
void Instance::drop_slots() noexcept {
  for (Value* x = slots_; x != slots_ + size_; ++x) x->~Value();
  if (owns_slots_) {
    ::operator delete(slots_);
    heap().refund(room_ * sizeof(Value));
  }
  slots_ = nullptr;
  owns_slots_ = false;
  size_ = room_ = 0;
}
void Instance::clear() {
  for (uint32_t k = 0; k < size_; ++k) slots_[k] = Value();
  drop_references();
}

Value* Instance::find(std::string_view attribute) {
  if (dict_) return attributes().find(attribute);
  const int place = type().place_of(attribute);
  return place < 0 ? nullptr : at(place);
}
void Instance::set(std::string_view attribute, Value value) {
  if (!dict_) {
    int place = type().place_of(attribute);
    if (place < 0) place = type().add_place(attribute);
    if (place >= 0 && set_at(place, value)) return;
  }
  attributes().set(attribute, std::move(value));
}
bool Instance::set_at(int place, Value& value) {
  const auto k = static_cast<uint32_t>(place);
  if (k < size_) {
    if (!slots_[k]) return false;  // the order would change: later attributes are set already
  } else if (dict_) {
    return false;
  } else {
    make_room(k + 1);
    while (size_ <= k) new (slots_ + size_++) Value();
  }
  slots_[k] = std::move(value);
  return true;
}
bool Instance::erase(std::string_view attribute) { return find(attribute) && attributes().erase(attribute); }

void Instance::make_room(size_t n) {
  if (n <= room_) return;
  n = std::max({n, type().places.size(), size_t{room_} * 2});
  heap().charge(n * sizeof(Value));
  auto* const grown = static_cast<Value*>(::operator new(n * sizeof(Value)));
  const uint16_t size = size_;
  for (uint32_t k = 0; k < size; ++k) ::new (grown + k) Value(std::move(slots_[k]));
  drop_slots();
  slots_ = grown;
  size_ = size;
  room_ = static_cast<uint16_t>(n);
  owns_slots_ = true;
}

Dict& Instance::attributes() {
  if (!dict_) {
    const Value made = make<Dict>();
    for (uint32_t k = 0; k < size_; ++k)
      if (slots_[k]) made.as<Dict>()->set(type().places[k], slots_[k]);
    dict_ = made.as<Dict>();
    ++dict_->count;
    drop_slots();
  }
  return *dict_;
}

}  // namespace glassgrad::script
